"""The model under test: loaded once, used by every method."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.captions.second_ear import make_second_ear
from engine.clock import Timer
from engine.errors import ModelError
from engine.hear.decode.pruning import Pruning
from engine.hear.recognizer import Recognizer
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.captions.comparison import Hear
from lab.bench.captions.measure import ClipResult, EncoderWork, caption_clip, hear_whole
from lab.bench.captions.methods import CaptionSetup

WARM_UP_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Subject:
    """A model under test.

    Attributes:
        identity: which weights they are; measurements of others are not comparable.
        make: makes a recognizer for options and a variant of pruning.
        without_kept: has a recognizer hear with the hush word alone, if the model has one.
        encoder_work: what encoding takes with options; None where the model's shape is not known.
        has_hush_word: whether the model has one.
        natural: the padding of the model where nobody asks for another; None where that is not known.
        peer: makes faster-whisper with the same weights; None where it is not installed, or knows no such model.
        time_words: adds the times of its words to a clip, as the model finds them from the transcript.
        warnings: what is slower on this machine than it could be.
    """

    identity: str
    languages: tuple[str, ...]
    make: Callable[[CaptionOptions, Pruning], Recognizer]
    without_kept: Callable[[Recognizer], None] | None = None
    encoder_work: Callable[[CaptionOptions], EncoderWork] | None = None
    has_hush_word: bool = False
    natural: str | None = None
    peer: Callable[[], Recognizer] | None = None
    time_words: Callable[[Clip], Clip] = lambda clip: clip
    warnings: tuple[str, ...] = ()

    def full_gmacs(self) -> float | None:
        """Return the cost of encoding a round that is padded to the model's full window, in GMACs."""
        return self.encoder_work(CaptionOptions(padding="full"))(0.0) if self.encoder_work else None


def load_subject(model: str) -> Subject:
    """Load a hearing model; every recognizer that is made of it hears something before it is measured.

    Threads and pipeline are those that `earshot profile` found best, as in captioning. A Speech-LLaMA can't time words
    that it is told, so the starter times them for it.

    Raises:
        ModelError: as load_hearing_model does.
    """
    from engine.hear.recognizer import WhisperRecognizer
    from engine.hear.rounds.pipeline import why_serial
    from engine.hear.speech_llama.recognizer import make_tail
    from engine.hear.whisper.hush import find_hush_word
    from engine.hear.whisper.load import HearingModel, load_hearing_model
    from engine.hear.whisper.padding import make_padding, own_padding
    from engine.loading.ready import make_ready
    from lab.bench.captions.hush_word import ALONE, padding_of
    from lab.bench.captions.peer import PeerRecognizer, has_peer
    from lab.bench.captions.word_times import with_word_times

    ready = make_ready(model)
    hearing = ready.hearing
    whisper = hearing if isinstance(hearing, HearingModel) else None

    def make(options: CaptionOptions, pruning: Pruning) -> Recognizer:
        recognizer = ready.recognizer(options, pruning)
        warm_up(recognizer)
        return recognizer

    def without_kept(recognizer: Recognizer) -> None:
        if isinstance(recognizer, WhisperRecognizer) and isinstance(hearing, HearingModel):
            recognizer.padding = padding_of(hearing, ALONE)

    def encoder_work(options: CaptionOptions) -> EncoderWork:
        tail = (
            make_padding(hearing, options.padding)
            if isinstance(hearing, HearingModel)
            else make_tail(hearing, options.padding)
        )
        return lambda seconds: tail.macs(hearing.model.dims, round(seconds * SAMPLE_RATE_HZ)) / 1e9

    def make_peer(whisper: HearingModel) -> Recognizer:
        peer = PeerRecognizer(whisper)
        warm_up(peer)
        return peer

    return Subject(
        identity=f"{hearing.name} {hearing.fingerprint}",
        languages=tuple(hearing.languages),
        make=make,
        without_kept=without_kept,
        encoder_work=encoder_work,
        has_hush_word=whisper is not None and find_hush_word(whisper) is not None,
        natural=own_padding(whisper) if whisper else "none",
        peer=partial(make_peer, whisper) if whisper and has_peer() else None,
        time_words=lambda clip: with_word_times(clip, whisper or load_hearing_model("starter")),
        warnings=tuple(filter(None, (*ready.warnings, why_serial()))),
    )


def hearer(subject: Subject, timer: Timer = time.perf_counter) -> Hear:
    """Return a function that hears a clip in a way; recognizers are made when they are needed."""
    made: dict[CaptionSetup, tuple[Recognizer, EncoderWork | None, Recognizer | None]] = {}

    def hear(way: CaptionSetup, clip: Clip) -> ClipResult:
        if way not in made:
            made[way] = (*_ears(subject, way), _second_ear(subject, way))
        recognizer, work, second_ear = made[way]
        if way.ear == "whole":
            return hear_whole(recognizer, clip, way.options, timer)
        return caption_clip(recognizer, clip, way.options, work, timer, second_ear)

    return hear


def _second_ear(subject: Subject, way: CaptionSetup) -> Recognizer | None:
    """Return what hears a way's finished captions again.

    Raises:
        ModelError: the model that was asked for cannot.
    """
    if way.ear != "live":
        return None
    ear, problem = make_second_ear(lambda options: subject.make(options, way.pruning), way.options)
    if problem:
        raise ModelError(problem)
    return ear


def _ears(subject: Subject, way: CaptionSetup) -> tuple[Recognizer, EncoderWork | None]:
    """Return a recognizer for a way, and the cost of its encoding if that is counted."""
    if way.ear == "peer":
        assert subject.peer is not None
        return subject.peer(), None
    recognizer = subject.make(way.options, way.pruning)
    if not way.kept and subject.without_kept is not None:
        subject.without_kept(recognizer)
    return recognizer, subject.encoder_work(way.options) if subject.encoder_work else None


def warm_up(recognizer: Recognizer) -> None:
    """Hear noise once, so that the first measured round costs no more than the others."""
    noise = np.random.default_rng(0).normal(0, 0.01, round(WARM_UP_SECONDS * SAMPLE_RATE_HZ)).astype(np.float32)
    recognizer.hear(noise, offset_seconds=0.0, prompt="", language=recognizer.languages[0])
