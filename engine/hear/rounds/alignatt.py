"""AlignAtt: a word is committed at once if the decoder attended far enough from the end of the audio to write it.

It was published for speech translation (arXiv:2305.11408) and for Whisper in SimulStreaming, where the decoder stops at
the first token whose attention is too near to the end; here the tokens from there on are pending. The last word may be
incomplete, and a doubtful word may change with a little more audio: these wait until they are recognized again
(LocalAgreement), which with short steps is sooner than the next word. Only a word that is both, last and doubtful,
waits for the next word or for the end of speech: most of those are halves of words. (Chosen in LOG 2026-11-21.)

If the encoder has a draft network (engine.hear.whisper.encoder_draft), that is a second opinion on the word's end:
words of both are committed at once.

Agreement is counted in seconds of audio, not in rounds: two rounds 0.1 s apart agree on the same mistake. Even over
longer it proves little, since rounds hear nearly the same audio. So the less likely a word is, the more audio must
have been heard after it, unless the draft has it too. (Chosen in LOG 2026-11-28.)
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.events import Word
from engine.hear.rounds.policy import Policy, ending_of, key_of

REWIND_SECONDS = 4.0
"""Longest jump back of attention, in seconds; beyond it the decoder has failed to stop (200 frames in
SimulStreaming).
"""

STEADY_SECONDS = 0.3
"""New audio over which all hypotheses must agree, in seconds, whatever the number of rounds."""

HALF_SECONDS = 1.0
"""Least time between a word's end and the end of the audio for the word to be complete, in seconds."""

DRAFT_TOLERANCE_SECONDS = 0.4
"""Tolerance, in seconds, by which a new word of the draft may end before the end of committed words."""

MOST_SKIPPED = 2
"""Most words of the draft that may be committed already."""

LEAST_PROBABILITY = 0.5
"""Least probability of a word that is committed without agreement."""

DOUBT_SECONDS, DOUBT_MARGINS = 2.0, 8.0
"""Most audio after a doubtful word before agreement commits it, in seconds and as a multiple of the margin.

It is that much for a word without any probability, and none for a certain one. Without a margin nothing waits.
"""

LATE_PROBABILITY, LATE_SECONDS = 0.85, 0.45
"""Probability below which a word is heard again before it is committed, and audio after it from which on, in seconds.

A word that waited so long was committed neither for its probability nor by the draft.
"""

QUIET_SECONDS = 0.2
"""Least silence after an ended word of the draft, in seconds."""


class AlignAtt(Policy):
    """Commits likely words by attention, and the others by agreement."""

    def __init__(self, margin_seconds: float, certain_probability: float = 0.0, agreement: int = 2) -> None:
        """Require this distance of attention from the end, and agreement for words below this probability."""
        super().__init__(earlier=agreement - 1, seconds=STEADY_SECONDS)
        self._margin_seconds = margin_seconds
        self._certain_probability = certain_probability

    def _believed(
        self, newest: tuple[Word, ...], heard_until: float, draft: Sequence[Word]
    ) -> tuple[tuple[Word, ...], int]:
        newest = newest[: _rewind(newest, self.committed_until)]
        agreed = self._agreed(newest, heard_until)
        seconded = self._seconded(newest, heard_until, draft)
        count = 0
        while count < len(newest) and (
            count < seconded or attended(newest[count]) <= heard_until - self._margin_seconds
        ):
            confirmed = seconded if self._is_awaited(newest[count], heard_until) else max(agreed, seconded)
            settled = count < confirmed and not self._may_be_half(newest, count, heard_until)
            if not settled and not self._is_certain(newest, count):
                break
            count += 1
        return newest, count

    def _doubtful(self, certain: Sequence[Word], heard_until: float) -> range:
        """Return the places from the first to the last word that is unlikely though much audio followed it."""
        late = [
            place
            for place, word in enumerate(certain)
            if word.probability < LATE_PROBABILITY and heard_until - word.end > LATE_SECONDS
        ]
        return range(late[0], late[-1] + 1) if late else range(0)

    def _seconded(self, newest: Sequence[Word], heard_until: float, draft: Sequence[Word]) -> int:
        """Count the words that the draft also starts with, among those that it reports as ended.

        Two methods that see the same audio in different ways rarely make the same mistake.
        """
        said = [word for word in draft if word.end > self.committed_until - DRAFT_TOLERANCE_SECONDS]
        most = 0
        for first in range(min(MOST_SKIPPED, len(said)) + 1):
            rest = said[first:]
            count = 0
            while count < min(len(newest), len(rest)) and self._alike(newest[count], rest[count]):
                count += 1
            if count and count == len(rest) and rest[-1].end > heard_until - QUIET_SECONDS:
                count -= 1  # nothing follows it: it may be incomplete
            if count and count == len(newest) and ending_of(newest[-1]) != ending_of(rest[count - 1]):
                count -= 1
            most = max(most, count)
        return most

    def _alike(self, word: Word, drafted: Word) -> bool:
        """Return whether a word is the draft's as well, and not very doubtful: both may have “to” for “took”."""
        least = min(LEAST_PROBABILITY, self._certain_probability)
        return word.probability >= least and key_of(word) == key_of(drafted)

    def _is_awaited(self, word: Word, heard_until: float) -> bool:
        """Return whether a doubtful word waits for more audio after it, however often it is recognized."""
        if word.probability >= self._certain_probability:
            return False
        doubt = 1 - word.probability / self._certain_probability
        wait = doubt * min(DOUBT_SECONDS, DOUBT_MARGINS * self._margin_seconds)
        return heard_until < word.end + wait

    def _may_be_half(self, newest: Sequence[Word], index: int, heard_until: float) -> bool:
        """Return whether a word may be incomplete: "some" for "sometimes" is doubtful and last, however often it is
        recognized.
        """
        word = newest[index]
        doubtful = word.probability < self._certain_probability
        return doubtful and index + 1 == len(newest) and word.end > heard_until - HALF_SECONDS

    def _is_certain(self, newest: Sequence[Word], index: int) -> bool:
        """Return whether a word is likely, and complete with its punctuation: followed by another."""
        return newest[index].probability >= self._certain_probability and index + 1 < len(newest)


def attended(word: Word) -> float:
    """Return the latest moment that the decoder attended to for a word, in seconds; the word's end if unknown."""
    return word.end if word.attended is None else word.attended


def _rewind(words: Sequence[Word], reached: float) -> int | None:
    """Return the index of the first word whose attention went back too far; None if there is none."""
    for index, word in enumerate(words):
        if attended(word) < reached - REWIND_SECONDS:
            return index
        reached = max(reached, attended(word))
    return None
