"""The model that a benchmark is about: loaded once, heard with in every way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions import ClipResult, EncoderWork, caption_clip
from engine.bench.clips import Clip
from engine.bench.comparison import Hear
from engine.bench.saved import SavedResults
from engine.clock import Timer
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions

WARM_UP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Subject:
    """A model under test.

    Attributes:
        identity: which weights they are; measurements of others are not comparable.
        make: a recognizer for options.
        encoder_work: what encoding takes with options; None where the model's shape is not known.
        has_hush_word: whether the model has one.
        warnings: what is slower on this machine than it could be.
    """

    identity: str
    languages: tuple[str, ...]
    make: Callable[[CaptionOptions], Recognizer]
    encoder_work: Callable[[CaptionOptions], EncoderWork] | None = None
    has_hush_word: bool = False
    warnings: tuple[str, ...] = ()

    def full_gmacs(self) -> float | None:
        """What encoding a round takes that is padded to the model's full window."""
        return self.encoder_work(CaptionOptions(padding="full"))(0.0) if self.encoder_work else None


def load_subject(model: str) -> Subject:
    """Load a hearing model; every recognizer that is made of it has heard something before it is measured.

    Threads and pipeline are those that `earshot profile` found best, as in captioning.

    Raises:
        ModelError: as load_hearing_model does.
    """
    from engine.hear.hush import find_hush_word
    from engine.hear.padding import make_padding
    from engine.hear.pipeline import why_serial
    from engine.hear.ready import make_ready
    from engine.hear.speech_llama_recognizer import make_tail
    from engine.models.speech_llama import SpeechLlamaModel

    ready = make_ready(model)
    hearing = ready.hearing

    def make(options: CaptionOptions) -> Recognizer:
        recognizer = ready.recognizer(options)
        warm_up(recognizer)
        return recognizer

    def encoder_work(options: CaptionOptions) -> EncoderWork:
        tail = (
            make_tail(hearing, options.padding)
            if isinstance(hearing, SpeechLlamaModel)
            else make_padding(hearing, options.padding)
        )
        return lambda seconds: tail.macs(hearing.model, round(seconds * SAMPLE_RATE_HZ)) / 1e9

    return Subject(
        identity=f"{hearing.name} {hearing.fingerprint}",
        languages=tuple(hearing.languages),
        make=make,
        encoder_work=encoder_work,
        has_hush_word=not isinstance(hearing, SpeechLlamaModel) and find_hush_word(hearing) is not None,
        warnings=tuple(filter(None, (*ready.warnings, why_serial()))),
    )


def _ignore(options: CaptionOptions, clip: Clip) -> None:
    """Nobody watches."""


def hearer(
    subject: Subject,
    saved: SavedResults | None = None,
    *,
    on_start: Callable[[CaptionOptions, Clip], None] = _ignore,
    timer: Timer = time.perf_counter,
) -> Hear:
    """What captions a clip with options; what was saved before is not measured again. `on_start` hears of the rest."""
    made: dict[CaptionOptions, tuple[Recognizer, EncoderWork | None]] = {}

    def hear(options: CaptionOptions, clip: Clip) -> ClipResult:
        known = saved.get(options, clip) if saved else None
        if known is not None:
            return known
        on_start(options, clip)
        if options not in made:
            work = subject.encoder_work(options) if subject.encoder_work else None
            made[options] = (subject.make(options), work)
        recognizer, work = made[options]
        result = caption_clip(recognizer, clip, options, work, timer)
        if saved:
            saved.add(options, clip, result)
        return result

    return hear


def warm_up(recognizer: Recognizer) -> None:
    """Hear noise once, so that the first round that counts pays for nothing but itself."""
    noise = np.random.default_rng(0).normal(0, 0.01, round(WARM_UP_SECONDS * SAMPLE_RATE_HZ)).astype(np.float32)
    recognizer.hear(noise, offset_seconds=0.0, prompt="", language=recognizer.languages[0])
