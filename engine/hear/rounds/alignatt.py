"""AlignAtt: a word is committed at once if the decoder looked far enough from the end of the audio to write it.

Published for speech translation (arXiv:2305.11408) and for Whisper in SimulStreaming, where the decoder stops at the
first token that it looks too near to the end for; here what follows that token is pending. A word that is followed by
nothing may go on, and one that the decoder doubts may come out otherwise with a little more audio: these wait until
they are heard again (LocalAgreement), which with short steps is sooner than the next word. Only what is both, the last
word and doubtful, waits for the next one or for the end of speech: most of those are halves of words. (In one voice the
first starter, of synthetic voices, got 32 of 369 unseen words wrong without this rule and 27 with it, 0.02 s later.)

Where the encoder has a draft network (engine.hear.whisper.encoder_draft), that is a second witness, which hears the
word's end: what both say is committed at once.

Agreement is counted in seconds of audio, not in rounds: two rounds that are a tenth of a second apart agree on the
same mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.events import Word
from engine.hear.rounds.policy import Policy, ending_of, key_of

REWIND_SECONDS = 4.0
"""Attention that goes back further than this is a decoder that failed to stop (200 frames in SimulStreaming)."""

STEADY_SECONDS = 0.3
"""Hypotheses agree on a word if all of about so much new audio do, however many rounds that is."""

HALF_SECONDS = 1.0
"""A word that ends this long before the audio does not go on."""

DRAFT_TOLERANCE_SECONDS = 0.4
"""How far before the end of what is committed a word of the draft may end and still be new."""

MOST_SKIPPED = 2
"""Words of the draft that may be committed already."""

LEAST_PROBABILITY = 0.5
"""What the decoder doubts more than this is believed by agreement alone."""

QUIET_SECONDS = 0.2
"""How long nothing follows a word of the draft that has ended."""


class AlignAtt(Policy):
    """Commits by attention what is likely, and by agreement what is not."""

    def __init__(self, margin_seconds: float, certain_probability: float = 0.0, agreement: int = 2) -> None:
        """Ask that attention stays this far from the end, and for agreement below this probability."""
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
            settled = count < max(agreed, seconded) and not self._may_be_half(newest, count, heard_until)
            if not settled and not self._is_certain(newest, count):
                break
            count += 1
        return newest, count

    def _seconded(self, newest: Sequence[Word], heard_until: float, draft: Sequence[Word]) -> int:
        """Count the words that the draft begins with as well, of those that it says have ended.

        Two that look at the same audio in different ways hardly ever make the same mistake.
        """
        said = [word for word in draft if word.end > self.committed_until - DRAFT_TOLERANCE_SECONDS]
        most = 0
        for first in range(min(MOST_SKIPPED, len(said)) + 1):
            rest = said[first:]
            count = 0
            while count < min(len(newest), len(rest)) and self._alike(newest[count], rest[count]):
                count += 1
            if count and count == len(rest) and rest[-1].end > heard_until - QUIET_SECONDS:
                count -= 1  # nothing follows it: it may go on
            if count and count == len(newest) and ending_of(newest[-1]) != ending_of(rest[count - 1]):
                count -= 1
            most = max(most, count)
        return most

    def _alike(self, word: Word, drafted: Word) -> bool:
        """Tell whether a word is the draft's as well, and not very doubtful: “to” was both's word for “took”."""
        least = min(LEAST_PROBABILITY, self._certain_probability)
        return word.probability >= least and key_of(word) == key_of(drafted)

    def _may_be_half(self, newest: Sequence[Word], index: int, heard_until: float) -> bool:
        """Tell whether a word may go on: "some" for "sometimes" is doubtful and the last one, however often it was
        heard.
        """
        word = newest[index]
        doubtful = word.probability < self._certain_probability
        return doubtful and index + 1 == len(newest) and word.end > heard_until - HALF_SECONDS

    def _is_certain(self, newest: Sequence[Word], index: int) -> bool:
        """Tell whether a word is likely, and complete with its punctuation: followed by another."""
        return newest[index].probability >= self._certain_probability and index + 1 < len(newest)


def attended(word: Word) -> float:
    """The latest moment the decoder looked at for a word, in seconds; the word's end where that is not known."""
    return word.end if word.attended is None else word.attended


def _rewind(words: Sequence[Word], reached: float) -> int | None:
    """Index of the first word for which attention went back too far from what it had reached; None if there is none."""
    for index, word in enumerate(words):
        if attended(word) < reached - REWIND_SECONDS:
            return index
        reached = max(reached, attended(word))
    return None
