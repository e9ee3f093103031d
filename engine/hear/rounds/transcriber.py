"""The rounds of hearing: audio piles up in a buffer, each round hears all of it again, a policy commits words.

Works on any Recognizer and knows neither clock nor voice gate: the session says when a round is due. A round begins
with what is to be heard (`next_stretch`) and ends with what came of it (`take`); in between, the next may begin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.audio.pauses import quietest_place
from engine.events import Hypothesis, Reference, RoundStats, Shed, Word
from engine.hear.rounds.agree import LocalAgreement
from engine.hear.rounds.alignatt import AlignAtt
from engine.hear.rounds.guards import Verdict, judge
from engine.hear.rounds.policy import Policy
from engine.hear.rounds.sentences import ends_segment
from engine.machine import backend
from engine.options import MAX_BUFFER_SECONDS, CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer, Stage

GRACE_SECONDS = 5.0
"""Longest excess of the buffer while it waits for a good place to be cut, in seconds."""

SHORT_BUFFER_SECONDS, SHORT_GRACE_SECONDS = 5.0, 2.0
"""Length and longest excess of the buffer under Shed.CONTEXT, in seconds."""

SHORTEST_BUFFER_SECONDS, SHORTEST_GRACE_SECONDS = 1.0, 0.0
"""The same under Shed.REHEARING: little more is heard again than a word that may have been cut through."""

DETECTION_SECONDS = 3.0
"""Shortest audio for language detection, in seconds, pre-roll included; in less, the language heard before is a better
guess."""

MARGIN_SECONDS = 0.2
"""Distance of a cut behind a word, in seconds, if the next word leaves so much room."""

FADE_SECONDS = 0.1
"""Longest part of a word's end or beginning that is too soft for the voice gate, in seconds."""

KEPT_AFTER_SPEECH_SECONDS = 0.25
"""Silence after speech that is dropped with the speech, in seconds; the next words may begin after it."""

PROMPT_CHARACTERS = 200
"""Longest prompt: committed text that has left the buffer, which the decoder is given as context."""

UNSPACED_LANGUAGES = frozenset(("zh", "yue", "ja", "th", "lo", "my", "km", "bo"))


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """The audio of one round, with all that is known about it beforehand.

    Attributes:
        samples: (n,) at 16 kHz, a copy.
        offset_seconds: where they begin, since the stream began.
        prompt, language, reference, final: see Recognizer.hear.
        voiced_from: where the speech in them begins, if known: no word that lasts into it begins before.
        voiced_until: where the newest speech in them ends, if known: no word lasts beyond it.
    """

    samples: Samples
    offset_seconds: float
    prompt: str
    language: str | None
    reference: Reference
    final: bool
    voiced_until: float | None
    voiced_from: float | None = None

    @property
    def seconds(self) -> float:
        return len(self.samples) / SAMPLE_RATE_HZ

    @property
    def end_seconds(self) -> float:
        return self.offset_seconds + self.seconds


@dataclass(frozen=True, slots=True)
class Round:
    """The outcome of one hearing of the buffer.

    Attributes:
        committed: words that became certain, in order; they never come again.
        pending: words beyond those that may still change.
        hypothesis: as the recognizer gave it, with only the words that are believed.
        verdict: "heard" if it was believed, else why it was not.
        buffer_seconds: how much audio was heard.
    """

    committed: tuple[Word, ...]
    pending: tuple[Word, ...]
    hypothesis: Hypothesis
    verdict: Verdict
    buffer_seconds: float

    def stats(self, number: int, audio_seconds: float) -> RoundStats:
        """Return what the hearing cost, under its number, of audio that ends there."""
        heard = self.hypothesis
        return RoundStats(
            round=number,
            buffer_seconds=self.buffer_seconds,
            encode_seconds=heard.encode_seconds,
            decode_seconds=heard.decode_seconds,
            align_seconds=heard.align_seconds,
            forwards=heard.forwards,
            tokens=heard.tokens,
            committed_words=len(self.committed),
            reused_tokens=heard.reused_tokens,
            steps=heard.steps,
            pruned_steps=heard.pruned_steps,
            candidates=heard.candidates,
            audio_seconds=audio_seconds,
        )


class Transcriber:
    """Buffer, prompt, rounds, trimming and commitment for one stream.

    Attributes:
        buffer: the audio that the next round hears.
        language: that of the newest hypothesis, or the one that was asked for; None before either.
        on_stage: called after every stage of a round that nothing overlaps.
    """

    def __init__(self, recognizer: Recognizer, options: CaptionOptions, start_seconds: float = 0.0) -> None:
        """Hear a stream whose first sample stands at `start_seconds`."""
        self._full = self._recognizer = recognizer
        self._options = options
        self._policy = make_policy(options)
        self._in_audio: deque[Word] = deque()  # committed words that are still in the buffer
        self._scrolled = ""  # the end of the committed text that is not
        self._certain_language = options.language
        self._grace_seconds = GRACE_SECONDS
        self._usual_seconds = min(options.buffer_seconds or recognizer.buffer_seconds, MAX_BUFFER_SECONDS - 2)
        self._wanted_seconds = self._usual_seconds
        self._speech_start: float | None = None
        self._heard_until = start_seconds  # end of the newest stretch that was taken; the buffer may reach beyond it
        self.buffer = AudioBuffer(MAX_BUFFER_SECONDS, start_seconds)
        self.language = options.language
        self.on_stage: Callable[[], None] = lambda: None

    @property
    def pending(self) -> tuple[Word, ...]:
        return self._policy.pending

    @property
    def written_language(self) -> str | None:
        """Return the code of the language of the words: what is spoken, or English where that is translated."""
        return "en" if self._options.decode.into_english else self.language

    @property
    def prompt(self) -> str:
        """Return the last committed text whose audio has left the buffer, whole words only."""
        if len(self._scrolled) <= PROMPT_CHARACTERS:
            return self._scrolled.strip()
        text = self._scrolled[-PROMPT_CHARACTERS:]
        begins_whole = text[:1].isspace() or self.written_language in UNSPACED_LANGUAGES
        return (text if begins_whole else text.partition(" ")[2]).strip()

    def recall(self, words: Sequence[Word]) -> None:
        """Accept words that another session committed, in audio that will be added or before it."""
        start = self.buffer.start_seconds
        in_audio = [word for word in words if _middle(word) >= start]
        self._scrolled = "".join(word.text for word in words if _middle(word) < start)
        self._keep(self._policy.recall(in_audio))

    def spare(self, shed: Shed) -> None:
        """Hear with less effort from the next round on, or with more again."""
        self._recognizer = self._full.with_one_candidate() if shed >= Shed.CANDIDATES else self._full
        wanted, self._grace_seconds = self._usual_seconds, GRACE_SECONDS
        if shed >= Shed.REHEARING:
            wanted, self._grace_seconds = SHORTEST_BUFFER_SECONDS, SHORTEST_GRACE_SECONDS
        elif shed >= Shed.CONTEXT:
            wanted, self._grace_seconds = SHORT_BUFFER_SECONDS, SHORT_GRACE_SECONDS
        self._wanted_seconds = min(wanted, self._usual_seconds)
        if self._heard_seconds > self._wanted_seconds:
            following = self.pending[0].start if self.pending else self._heard_until
            self.forget_before(_within_pause(self._policy.committed_until, following))

    def begin_speech(self, seconds: float, pre_roll_seconds: float) -> None:
        """Note the second at which speech begins; only the pre-roll of the audio before it is heard."""
        self._speech_start = seconds
        self.forget_before(seconds - pre_roll_seconds)

    def add(self, samples: Samples) -> None:
        """Add samples (n,) to the end of the buffer."""
        self.buffer.append(samples)

    def next_stretch(self, voiced_until: float | None = None, *, final: bool = False) -> Stretch:
        """Return all of the buffer, to be heard now; `final` if it is not heard again and `take` commits all of it."""
        return Stretch(
            self.buffer.samples.copy(),
            self.buffer.start_seconds,
            self.prompt,
            self._language_to_hear(),
            Reference(tuple(self._in_audio), self.pending),
            final,
            voiced_until,
            self._speech_start,
        )

    def stages(self, stretch: Stretch) -> Generator[Stage, None, Hypothesis]:
        """Hear a stretch, pausing where the recognizer can; any thread may resume it, and nothing here changes."""
        return self._recognizer.stages(
            stretch.samples,
            offset_seconds=stretch.offset_seconds,
            prompt=stretch.prompt,
            language=stretch.language,
            final=stretch.final,
            reference=stretch.reference,
        )

    def take(self, stretch: Stretch, heard: Hypothesis) -> Round:
        """Adopt the hypothesis of a stretch; call it in the order of `next_stretch`."""
        self._learn_language(heard.language, stretch.seconds)
        known = self._policy.committed_until
        verdict, words = judge(heard, stretch.seconds, known, final=stretch.final)
        hypothesis = replace(heard, words=tuple(self._tidy(words, stretch)))
        self._heard_until = stretch.end_seconds
        committed: tuple[Word, ...] = ()
        if verdict == "heard":
            committed = self._keep(self._policy.insert(hypothesis.words, stretch.end_seconds, hypothesis.draft))
        elif verdict == "silence" and stretch.final:
            self._policy.forget_pending()
        committed += self.settle(stretch.voiced_until) if stretch.final else self._trim(hypothesis.words)
        return Round(committed, self.pending, hypothesis, verdict, stretch.seconds)

    def hear(self, voiced_until: float | None = None) -> Round:
        """Hear the buffer, commit what has become certain, and trim."""
        return self._hear(self.next_stretch(voiced_until))

    def close(self, voiced_until: float | None = None) -> Round:
        """Hear the buffer for the last time, commit all of it and drop it."""
        return self._hear(self.next_stretch(voiced_until, final=True))

    def settle(self, voiced_until: float | None = None) -> tuple[Word, ...]:
        """Commit what is pending and drop the audio up to the end of speech, by default all of it."""
        end = self.buffer.end_seconds
        return self.leave(end if voiced_until is None else min(voiced_until + KEPT_AFTER_SPEECH_SECONDS, end))

    def leave(self, seconds: float) -> tuple[Word, ...]:
        """Commit what is pending, drop the audio before a moment, and go on as with another speaker."""
        committed = self._keep(self._policy.commit_pending())
        self._policy.begin_utterance()
        self._speech_start = None
        self.forget_before(seconds)
        self._certain_language = self._options.language
        return committed

    def forget_before(self, seconds: float) -> None:
        """Cut the buffer at a moment; words committed before it are the prompt from now on.

        A word is before the cut if half of it is: cuts follow newer hypotheses, in which it may end a little sooner.
        """
        self.buffer.cut_before(seconds)
        self._policy.forget_before(self.buffer.start_seconds)
        while self._in_audio and _middle(self._in_audio[0]) < self.buffer.start_seconds:
            self._scrolled += self._in_audio.popleft().text
        self._scrolled = self._scrolled[-2 * PROMPT_CHARACTERS - 1 :]

    def keep_newest(self, seconds: float) -> float:
        """Cut the buffer to about so many of its newest seconds, in the quietest place; return where that is."""
        newest = self.buffer.samples[-round(seconds * SAMPLE_RATE_HZ) :]
        quietest = quietest_place(newest[: len(newest) // 2])
        cut = self.buffer.end_seconds - (len(newest) - quietest) / SAMPLE_RATE_HZ
        self.forget_before(cut)
        return cut

    def _hear(self, stretch: Stretch) -> Round:
        stages = backend.allotted(self.stages(stretch))
        while True:
            try:
                next(stages)
            except StopIteration as end:
                return self.take(stretch, end.value)
            self.on_stage()

    def _tidy(self, words: Sequence[Word], stretch: Stretch) -> Iterator[Word]:
        """Yield the words that are not empty, moved inside the stretch, the first one with a leading space."""
        start, end = stretch.offset_seconds, stretch.end_seconds
        last = end if stretch.voiced_until is None else min(end, stretch.voiced_until + FADE_SECONDS)
        first = start if stretch.voiced_from is None else max(start, stretch.voiced_from - FADE_SECONDS)
        spaced = self.written_language not in UNSPACED_LANGUAGES
        for word in words:
            if not word.text.strip():
                continue
            text = " " + word.text if spaced and not word.text[0].isspace() else word.text
            spaced = False
            begin = min(max(word.start, first if word.end > first else start), end)
            yield replace(word, text=text, start=begin, end=max(begin, min(word.end, last)))

    def _language_to_hear(self) -> str | None:
        if self._certain_language is None and self.buffer.seconds < DETECTION_SECONDS:
            return self.language
        return self._certain_language

    def _learn_language(self, heard: str, seconds: float) -> None:
        """Note a detected language; two detections in a row that agree hold until the speaker pauses."""
        if seconds >= DETECTION_SECONDS and heard == self.language and self._certain_language is None:
            self._certain_language = heard
        self.language = heard

    def _keep(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        self._in_audio.extend(words)
        return words

    @property
    def _heard_seconds(self) -> float:
        """Return how much of the buffer has been heard."""
        return self._heard_until - self.buffer.start_seconds

    def _trim(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Shorten a buffer that has grown too long; return words that had to be committed for it.

        Only what was heard counts: audio that arrived since is not cut.
        """
        if self._heard_seconds <= self._wanted_seconds:
            return ()
        cut = self._segment_cut(words)
        if cut is not None:
            self.forget_before(cut)
        longest = min(
            self._wanted_seconds + self._grace_seconds, MAX_BUFFER_SECONDS - 1
        )  # the next step needs room too
        if self._heard_seconds > longest:
            following = self.pending[0].start if self.pending else self._heard_until
            self.forget_before(_within_pause(self._policy.committed_until, following))
        return self._force_cut() if self._heard_seconds > longest else ()

    def _segment_cut(self, words: Sequence[Word]) -> float | None:
        """Return the end of the last segment whose words are all committed; the newest segment does not count."""
        cuts = [
            _within_pause(word.end, after.start)
            for word, after in pairwise(words)
            if ends_segment(word, after) and word.end <= self._policy.committed_until
        ]
        return cuts[-1] if cuts else None

    def _force_cut(self) -> tuple[Word, ...]:
        """Commit the older half of the buffer as it was heard last and drop its audio: nothing was agreed on in it."""
        boundary = self._heard_until - self._wanted_seconds / 2
        committed = self._keep(self._policy.commit_pending(until=boundary))
        cut = min(boundary, self.pending[0].start) if self.pending else boundary
        self.forget_before(max(cut, self._heard_until - self._wanted_seconds))
        return committed


def make_policy(options: CaptionOptions) -> Policy:
    """Make the commitment policy that the options ask for."""
    if options.policy == "alignatt":
        return AlignAtt(options.attention_margin_seconds, options.certain_probability, options.agreement)
    return LocalAgreement(options.agreement)


def _middle(word: Word) -> float:
    return (word.start + word.end) / 2


def _within_pause(end: float, start: float) -> float:
    """Return the place of a cut between two words: a little behind the first, since word times are not exact."""
    return end + min(max(start - end, 0.0) / 2, MARGIN_SECONDS)
