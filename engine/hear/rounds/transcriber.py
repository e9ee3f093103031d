"""Recognition rounds: audio collects in a buffer, each round recognizes all of it, and a policy commits words.

The transcriber works with any Recognizer and has neither clock nor voice gate: the session starts the rounds. A round
begins with `next_span` and ends with `finish_round`. The next round may begin in between.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.audio.pauses import quietest_place
from engine.events import Hypothesis, LoadShed, Reference, RoundStats, Word
from engine.hear.rounds.agree import LocalAgreement
from engine.hear.rounds.alignatt import AlignAtt
from engine.hear.rounds.audio_span import AudioSpan
from engine.hear.rounds.guards import Verdict, judge
from engine.hear.rounds.holes import Holes, longest_of
from engine.hear.rounds.other_beginning import FARTHEST_SECONDS, OtherBeginning
from engine.hear.rounds.policy import HearAgain, Policy
from engine.hear.rounds.prompted import Prompted
from engine.hear.rounds.sentences import ends_segment
from engine.hear.rounds.spoken_language import SpokenLanguage
from engine.machine import backend
from engine.options import MAX_BUFFER_SECONDS, CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer, Stage

GRACE_SECONDS = 5.0
"""Longest excess of the buffer while it waits for a good place for a cut, in seconds."""

SHORT_BUFFER_SECONDS, SHORT_GRACE_SECONDS = 5.0, 2.0
"""Length and longest excess of the buffer under LoadShed.CONTEXT, in seconds."""

SHORTEST_BUFFER_SECONDS, SHORTEST_GRACE_SECONDS = 1.0, 0.0
"""Length and longest excess of the buffer under LoadShed.REHEARING, in seconds.

It is just long enough to recognize again a word that a cut may have split.
"""

AHEAD_SECONDS = 0.4
"""Longest time before doubtful words are committed at which they are heard again ahead, in seconds."""

MARGIN_SECONDS = 0.2
"""Longest distance of a cut from the end of the word before it, in seconds."""

FADE_SECONDS = 0.1
"""Longest part of a word's end or beginning that is too quiet for the voice gate, in seconds."""

KEPT_AFTER_SPEECH_SECONDS = 0.25
"""Silence after speech that is dropped with the speech, in seconds; the next words may begin after it."""

ENDED_SECONDS = 0.2
"""Shortest silence behind the last word of a round after which that is whole, in seconds."""

PROMPT_CHARACTERS = 200
"""Longest prompt, in characters: committed text before the buffer, which the decoder receives as context."""

UNSPACED_LANGUAGES = frozenset(("zh", "yue", "ja", "th", "lo", "my", "km", "bo"))


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round.

    Attributes:
        committed: newly committed words, in order; later rounds do not return them again.
        pending: words after those, which may still change.
        hypothesis: result of the recognizer, reduced to the accepted words.
        verdict: "heard" if it was accepted, else the reason for its rejection.
        span: the recognized audio.
        heard_words: all words of the recognizer, the rejected ones included.
    """

    committed: tuple[Word, ...]
    pending: tuple[Word, ...]
    hypothesis: Hypothesis
    verdict: Verdict
    span: AudioSpan
    heard_words: tuple[Word, ...]

    @property
    def buffer_seconds(self) -> float:
        """Length of the recognized audio, in seconds."""
        return self.span.seconds

    def stats(self, number: int, audio_seconds: float) -> RoundStats:
        """Return the cost of this round; `audio_seconds` is the end of its audio."""
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
    """Buffer, prompt, rounds and commitment of words of one stream.

    Attributes:
        buffer: the audio of the next round.
        on_stage: called after each stage of a round that does not overlap another.
        holes: clear speech that rounds leave without words.
    """

    def __init__(
        self,
        recognizer: Recognizer,
        options: CaptionOptions,
        start_seconds: float = 0.0,
        *,
        hears_again: bool = True,
    ) -> None:
        """Transcribe a stream whose first sample is at `start_seconds`; `hears_again` doubtful words if that pays."""
        self._full = self._recognizer = recognizer
        self._options = options
        self._policy = make_policy(options)
        self._in_audio: deque[Word] = deque()  # committed words that are still in the buffer
        self._scrolled = ""  # the end of the committed text before the buffer
        self._prompt_from = -math.inf  # words that end later become the prompt
        self._grace_seconds = GRACE_SECONDS
        self._usual_seconds = min(options.buffer_seconds or recognizer.buffer_seconds, MAX_BUFFER_SECONDS - 2)
        self._wanted_seconds = self._usual_seconds
        self._speech_start: float | None = None
        self._prompted = Prompted()
        self._heard_until = start_seconds  # end of the newest finished round; the buffer may be longer
        self.buffer = AudioBuffer(MAX_BUFFER_SECONDS, start_seconds)
        self._spoken = SpokenLanguage(options.language)
        self.on_stage: Callable[[], None] = lambda: None
        self.holes = Holes()
        # Longer rounds and several candidates gain less, and each hearing takes longer.
        pays = recognizer.buffer_seconds < FARTHEST_SECONDS and options.decode.beam_size == 1
        self._other_beginning = OtherBeginning(start_seconds, self._listen) if hears_again and pays else None
        self._shed = LoadShed.NOTHING

    @property
    def pending(self) -> tuple[Word, ...]:
        return self._policy.pending

    @property
    def language(self) -> str | None:
        """Language code of the newest hypothesis, or the configured one; None before either."""
        return self._spoken.newest

    @property
    def written_language(self) -> str | None:
        """Language code of the words: the spoken language, or English if speech is translated."""
        return "en" if self._options.decode.into_english else self.language

    @property
    def prompt(self) -> str:
        """Committed text right before the buffer, from a whole word on."""
        return self._end_of(self._scrolled)

    def recall(self, words: Sequence[Word]) -> None:
        """Accept words that another session committed, in audio that will be added or before it.

        Where words to know are listed these are no prompt: the other session may not have known them yet, and the
        decoder would write a wrong name again.
        """
        start = self.buffer.start_seconds
        in_audio = [word for word in words if word.middle >= start]
        if self._options.decode.vocabulary:
            self._prompt_from = max((word.end for word in words), default=0.0)
        else:
            self._scrolled = "".join(word.text for word in words if word.middle < start)
        self._keep(self._policy.recall(in_audio))

    def spare(self, shed: LoadShed) -> None:
        """Reduce the work per round from the next round on, or restore it."""
        self._shed = shed
        self._recognizer = self._full.with_one_candidate() if shed >= LoadShed.CANDIDATES else self._full
        wanted, self._grace_seconds = self._usual_seconds, GRACE_SECONDS
        if shed >= LoadShed.REHEARING:
            wanted, self._grace_seconds = SHORTEST_BUFFER_SECONDS, SHORTEST_GRACE_SECONDS
        elif shed >= LoadShed.CONTEXT:
            wanted, self._grace_seconds = SHORT_BUFFER_SECONDS, SHORT_GRACE_SECONDS
        self._wanted_seconds = min(wanted, self._usual_seconds)
        if self._heard_seconds > self._wanted_seconds:
            following = self.pending[0].start if self.pending else self._heard_until
            self.forget_before(_within_pause(self._policy.committed_until, following))

    def begin_speech(self, seconds: float, pre_roll_seconds: float) -> None:
        """Note that speech begins at this second; audio before the pre-roll is dropped."""
        self._speech_start = seconds
        self.forget_before(seconds - pre_roll_seconds)

    def add(self, samples: Samples) -> None:
        """Add samples (n,) to the end of the buffer."""
        self.buffer.append(samples)
        if self._other_beginning is not None:
            self._other_beginning.add(samples)

    def next_span(self, voiced_until: float | None = None, *, final: bool = False) -> AudioSpan:
        """Return all audio of the buffer for a round; `final` if it is the last one and commits all words."""
        goes_on = voiced_until is not None and voiced_until > self.buffer.end_seconds - ENDED_SECONDS
        return AudioSpan(
            self.buffer.samples.copy(),
            self.buffer.start_seconds,
            self.prompt,
            self._spoken.to_hear(self.buffer.seconds),
            Reference(tuple(self._in_audio), self.pending, goes_on=goes_on and not final),
            final,
            voiced_until,
            self._speech_start,
        )

    def stages(self, span: AudioSpan) -> Generator[Stage, None, Hypothesis]:
        """Recognize a span, pausing where the recognizer can; any thread may resume it, and this object does not
        change.
        """
        return self._recognizer.stages(
            span.samples,
            offset_seconds=span.offset_seconds,
            prompt=span.prompt,
            language=span.language,
            final=span.final,
            reference=span.reference,
        )

    def finish_round(self, span: AudioSpan, heard: Hypothesis) -> Round:
        """Evaluate the hypothesis of a span; call it in the order of `next_span`."""
        believed = self._spoken.learn(span.language, heard.language, heard.language_probability, span.seconds)
        known = self._policy.committed_until
        verdict, words = judge(heard, span.seconds, known, final=span.final)
        last = self._in_audio[-1] if self._in_audio else None
        words = tuple(self._tidy(words, span))
        if verdict == "heard":
            mended = self._prompted.mended(words, span, heard.draft, known, self._hear_alone)
            if mended is not words:
                words, self._scrolled = mended, ""  # or the next round would make the same mistakes
        words = self.holes.filled(words, span, last, known, self._hear_alone)
        hypothesis = replace(heard, words=words)
        self._heard_until = span.end_seconds
        committed: tuple[Word, ...] = ()
        if verdict == "heard" and not (believed or span.final):
            self._policy.hold(hypothesis.words)
        elif verdict == "heard":
            again = self._hear_again(span)
            committed = self._keep(self._policy.insert(hypothesis.words, span.end_seconds, hypothesis.draft, again))
            if again is not None and self._other_beginning is not None:
                soon = self._policy.doubtful_at(span.end_seconds + AHEAD_SECONDS)
                self._other_beginning.begin(self.pending, soon, span.end_seconds)
        elif verdict == "silence" and span.final:
            self._policy.forget_pending()
        committed += self.settle(span.voiced_until) if span.final else self._trim(hypothesis.words)
        return Round(committed, self.pending, hypothesis, verdict, span, heard.words)

    def hear(self, voiced_until: float | None = None) -> Round:
        """Recognize the buffer, commit the words that the policy accepts, and trim the buffer."""
        return self._hear(self.next_span(voiced_until))

    def close(self, voiced_until: float | None = None) -> Round:
        """Recognize the buffer for the last time, commit all words and empty it."""
        return self._hear(self.next_span(voiced_until, final=True))

    @property
    def hears_ahead(self) -> bool:
        """Return whether doubtful words can be heard again now, before a round commits them."""
        return self._other_beginning is not None and not self._shed and self._other_beginning.busy

    def hear_ahead(self) -> None:
        """Work for about one forward of the model on hearing doubtful words again."""
        if self._other_beginning is not None:
            self._other_beginning.step()

    def settle(self, voiced_until: float | None = None) -> tuple[Word, ...]:
        """Commit pending words and drop the audio up to the end of speech, by default all of it."""
        end = self.buffer.end_seconds
        return self.leave(end if voiced_until is None else min(voiced_until + KEPT_AFTER_SPEECH_SECONDS, end))

    def leave(self, seconds: float) -> tuple[Word, ...]:
        """Commit pending words, drop the audio before that second, and expect a new speaker."""
        committed = self._keep(self._policy.commit_pending())
        self._policy.begin_utterance()
        if self._other_beginning is not None:
            self._other_beginning.forget_ahead()
        self._speech_start = None
        self.forget_before(seconds)
        self._spoken.begin_utterance()
        return committed

    def forget_before(self, seconds: float) -> None:
        """Drop the audio before that second; words committed before it become the prompt.

        A word is before the cut if its middle is: newer hypotheses, which place the cut, may end the word a little
        earlier.
        """
        self.buffer.cut_before(seconds)
        self.holes.forget_before(self.buffer.start_seconds)
        self._policy.forget_before(self.buffer.start_seconds)
        while self._in_audio and self._in_audio[0].middle < self.buffer.start_seconds:
            word = self._in_audio.popleft()
            if word.end > self._prompt_from:
                self._scrolled += word.text
        self._scrolled = self._scrolled[-2 * PROMPT_CHARACTERS - 1 :]

    def keep_newest(self, seconds: float) -> float:
        """Cut the buffer to about its newest `seconds`, at the quietest place; return the time of the cut."""
        newest = self.buffer.samples[-round(seconds * SAMPLE_RATE_HZ) :]
        quietest = quietest_place(newest[: len(newest) // 2])
        cut = self.buffer.end_seconds - (len(newest) - quietest) / SAMPLE_RATE_HZ
        self.forget_before(cut)
        return cut

    def _hear(self, span: AudioSpan) -> Round:
        stages = backend.allotted(self.stages(span))
        while True:
            try:
                next(stages)
            except StopIteration as end:
                return self.finish_round(span, end.value)
            self.on_stage()

    def _tidy(self, words: Sequence[Word], span: AudioSpan) -> Iterator[Word]:
        """Yield the words that are not empty, moved inside the span, the first one with a leading space."""
        start, end = span.offset_seconds, span.end_seconds
        last = end if span.voiced_until is None else min(end, span.voiced_until + FADE_SECONDS)
        first = start if span.voiced_from is None else max(start, span.voiced_from - FADE_SECONDS)
        spaced = self.written_language not in UNSPACED_LANGUAGES
        for word in words:
            if not word.text.strip():
                continue
            text = " " + word.text if spaced and not word.text[0].isspace() else word.text
            spaced = False
            begin = min(max(word.start, first if word.end > first else start), end)
            yield replace(word, text=text, start=begin, end=max(begin, min(word.end, last, begin + longest_of(word))))

    def _hear_alone(self, span: AudioSpan) -> tuple[Word, ...]:
        """Return the words of a span that is heard without anything that is known about it."""
        heard = self._recognizer.hear(
            span.samples, offset_seconds=span.offset_seconds, prompt="", language=span.language
        )
        return tuple(self._tidy(judge(heard, span.seconds)[1], span))

    def _hear_again(self, span: AudioSpan) -> HearAgain | None:
        """Return what hears doubtful words of a span again; None if there is no time for that."""
        other = self._other_beginning
        if other is None or span.final or self._shed:
            return None
        return lambda newest, doubtful: other.hear(newest, doubtful, span.end_seconds)

    def _listen(
        self, samples: Samples, offset_seconds: float, before: str, reference: Reference
    ) -> Generator[Stage, None, tuple[Word, ...]]:
        """Hear samples (n,) behind a text, pausing between the stages; return no words if they are not accepted."""
        stages = self._recognizer.stages(
            samples,
            offset_seconds=offset_seconds,
            prompt=self._end_of(before),
            language=self.language,
            final=False,
            reference=reference,
        )
        heard = yield from backend.allotted(stages)
        return judge(heard, len(samples) / SAMPLE_RATE_HZ)[1]

    def _end_of(self, text: str) -> str:
        """Return the end of a text as a prompt, from a whole word on."""
        if len(text) <= PROMPT_CHARACTERS:
            return text.strip()
        text = text[-PROMPT_CHARACTERS:]
        begins_whole = text[:1].isspace() or self.written_language in UNSPACED_LANGUAGES
        return (text if begins_whole else text.partition(" ")[2]).strip()

    def _keep(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        self._in_audio.extend(words)
        if self._other_beginning is not None:
            self._other_beginning.note(words)
        return words

    @property
    def _heard_seconds(self) -> float:
        """Length of the recognized part of the buffer, in seconds."""
        return self._heard_until - self.buffer.start_seconds

    def _trim(self, words: Sequence[Word]) -> tuple[Word, ...]:
        """Shorten a buffer that is too long; return words that had to be committed for it.

        Only recognized audio counts, and newer audio is not cut.
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
        """Return the end of the last segment whose words are all committed, the newest segment excluded."""
        cuts = [
            _within_pause(word.end, after.start)
            for word, after in pairwise(words)
            if ends_segment(word, after) and word.end <= self._policy.committed_until
        ]
        return cuts[-1] if cuts else None

    def _force_cut(self) -> tuple[Word, ...]:
        """Commit the older half of the buffer as last recognized, and drop its audio; no two hypotheses agreed on
        it.
        """
        boundary = self._heard_until - self._wanted_seconds / 2
        committed = self._keep(self._policy.commit_pending(until=boundary))
        cut = min(boundary, self.pending[0].start) if self.pending else boundary
        self.forget_before(max(cut, self._heard_until - self._wanted_seconds))
        return committed


def make_policy(options: CaptionOptions) -> Policy:
    """Return the commitment policy that the options select."""
    if options.policy == "alignatt":
        return AlignAtt(options.attention_margin_seconds, options.certain_probability, options.agreement)
    return LocalAgreement(options.agreement)


def _within_pause(end: float, start: float) -> float:
    """Return the place of a cut between two words: a little after the first one, since word times are inexact."""
    return end + min(max(start - end, 0.0) / 2, MARGIN_SECONDS)
