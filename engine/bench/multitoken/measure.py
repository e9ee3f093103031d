"""Multi-token prediction measured: word errors, decoder calls per word, and the time that decoding takes.

The decoder's real-time factor is what decoding takes over the audio; encoding and the times of words are the same for
every way and do not count. Word error rates are edits over words of all clips together.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.clips import Clip
from engine.bench.captions.measure import ClipResult, caption_clip
from engine.bench.multitoken.methods import Way
from engine.clock import Timer
from engine.events import Hypothesis
from engine.hear.recognizer import NO_REFERENCE, ModelRecognizer, Recognizer, Stage
from engine.machine import backend
from engine.metrics import WordErrors, decoder_calls_per_word, real_time_factor, word_errors
from engine.options import CaptionOptions


@dataclass(frozen=True, slots=True)
class Heard:
    """The outcome of hearing one clip.

    Attributes:
        clip: its name.
        tokens: of the words that were heard.
        forwards: of the decoder, the one over audio and prompt counted as one.
        written: tokens that were decoded.
    """

    clip: str
    language: str
    said: str
    text: str
    tokens: tuple[int, ...]
    errors: WordErrors
    forwards: int
    written: int
    decode_seconds: float
    audio_seconds: float


def hear_clip(recognizer: ModelRecognizer[Any, Any], clip: Clip, timer: Timer = time.perf_counter) -> Heard:
    """Hear a clip of up to 30 s at once; `timer` is the stopwatch that decoding is measured with."""
    samples = clip.listen()
    stages = recognizer.stages(
        samples, offset_seconds=0.0, prompt="", language=clip.language, final=False, reference=NO_REFERENCE
    )
    hypothesis, seconds = _timed(backend.allotted(stages), timer)
    return Heard(
        clip.name,
        clip.language,
        clip.text,
        hypothesis.text,
        tokens=tuple(token for word in hypothesis.words for token in word.tokens),
        errors=word_errors(clip.text, hypothesis.text, clip.language),
        forwards=hypothesis.forwards,
        written=hypothesis.tokens,
        decode_seconds=seconds,
        audio_seconds=len(samples) / SAMPLE_RATE_HZ,
    )


def _timed(stages: Generator[Stage, None, Hypothesis], timer: Timer) -> tuple[Hypothesis, float]:
    """Finish the hearing; give what was heard and how long it was at work between "encoded" and "decoded"."""
    seconds, stage = 0.0, None
    while True:
        begun = timer()
        try:
            reached = next(stages)
        except StopIteration as end:
            return end.value, seconds
        if stage is not None and stage != "decoded":
            seconds += timer() - begun
        stage = reached


def caption_live(recognizer: Recognizer, way: Way, clip: Clip, timer: Timer = time.perf_counter) -> ClipResult:
    """Caption a clip as if it were live, with Earshot's defaults but for the decoding."""
    options = replace(CaptionOptions(), language=clip.language, decode=way.decode)
    return caption_clip(recognizer, clip, options, timer=timer)


@dataclass(frozen=True, slots=True)
class Measured:
    """All clips of one way together.

    Attributes:
        calls_per_word: eta; see engine.metrics.decoder_calls_per_word.
        decoder_factor: the decoder's real-time factor.
        identical: the share of clips that were written token by token as with the single head; None where that did
            not hear the same clips.
    """

    clips: int
    errors: WordErrors
    forwards: int
    written: int
    decode_seconds: float
    audio_seconds: float
    identical: float | None = None

    @property
    def wer(self) -> float:
        return self.errors.rate

    @property
    def calls_per_word(self) -> float | None:
        return decoder_calls_per_word(self.forwards, self.errors)

    @property
    def decoder_factor(self) -> float:
        return real_time_factor(self.decode_seconds, self.audio_seconds)

    @property
    def tokens_per_forward(self) -> float | None:
        return self.written / self.forwards if self.forwards else None


def together(results: Sequence[Heard], single: Sequence[Heard] | None = None) -> Measured:
    """Sum up what clips came to, and hold them against what the single head wrote of the same clips."""
    return Measured(
        clips=len(results),
        errors=sum((result.errors for result in results), start=WordErrors()),
        forwards=sum(result.forwards for result in results),
        written=sum(result.written for result in results),
        decode_seconds=sum(result.decode_seconds for result in results),
        audio_seconds=sum(result.audio_seconds for result in results),
        identical=_identical_share(results, single),
    )


def _identical_share(results: Sequence[Heard], single: Sequence[Heard] | None) -> float | None:
    if not results or single is None or [each.clip for each in results] != [each.clip for each in single]:
        return None
    alike = (a.tokens == b.tokens and a.text == b.text for a, b in zip(results, single, strict=True))
    return sum(alike) / len(results)
