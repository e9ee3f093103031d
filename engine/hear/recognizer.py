"""The hearing stages in a row: samples of one stretch of audio to words."""

from __future__ import annotations

import copy
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Literal, Protocol, Self, TypeVar

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import AudioError, ModelError, OptionError
from engine.events import Hypothesis, Reference, Word
from engine.hear.decode.attempts import GREEDY, Decoding
from engine.hear.decode.cache import CrossCache
from engine.hear.decode.pruning import IMPROVED, Pruning
from engine.hear.decode.reference import tokens_of
from engine.hear.decode.steps import Steps, finish, never
from engine.hear.decode.tokenizer import TextTokens
from engine.hear.whisper.align import FRAMES_PER_SECOND, align_words
from engine.hear.whisper.decode import decode, untaught_tokens
from engine.hear.whisper.encoder_draft import EncoderDraft, find_draft
from engine.hear.whisper.load import HearingModel
from engine.hear.whisper.mel import MAX_SECONDS
from engine.hear.whisper.padding import SAMPLES_PER_FRAME, make_padding
from engine.machine import backend
from engine.machine.device_turn import evaluate
from engine.options import DecodeOptions

SHORTEST_SECONDS = 0.1
"""Shortest audio that can hold a word, in seconds."""

SILENCE_PEAK = 1e-4
"""Highest amplitude that is at most the noise of a converter."""

OFFLINE_TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Temperatures for audio that nobody waits for (Whisper's own)."""

WINDOW_SECONDS, NATURAL_WINDOW_SECONDS = 28.0, 15.0
"""Longest part of a file that is heard at once, in seconds: padded to the full window, and at its natural length."""

PADDED_BUFFER_SECONDS, NATURAL_BUFFER_SECONDS = 15.0, 6.0
"""Length of a stream's buffer, in seconds: with padding to the full window, as Whisper-Streaming keeps, since a round
costs 30 s of encoding anyway; and at natural lengths, where a round costs what it hears."""

NO_REFERENCE = Reference()

Model = TypeVar("Model", bound="LoadedModel")
Heard = TypeVar("Heard")
Stage = Literal["encoded", "decoding", "decoded"]
"""The stage that was done last when the hearing of a stretch pauses; "decoding" follows every decoder forward."""


class Recognizer(Protocol):
    """A hearing model, as the stream needs it. A model that hears without a pause implements `hear` alone.

    Attributes:
        languages: codes it may be told or may detect.
        buffer_seconds: best length of a stream's buffer, which each round hears again.
        prefers_pipeline: rounds overlap unless the options say otherwise.
    """

    languages: tuple[str, ...]
    buffer_seconds: float
    prefers_pipeline: bool = False

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        """Hear samples (n,) at 16 kHz, up to 30 s, that begin at offset_seconds on the stream's clock.

        The prompt is the text before them. `final` means that they won't be heard again, so that a doubtful hearing is
        worth another try. `reference` is the hypothesis that the same recognizer had of them before.
        """
        ...

    def stages(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool,
        reference: Reference,
    ) -> Generator[Stage, None, Hypothesis]:
        """Hear as `hear` does, pausing between the stages; any thread may resume."""
        yield from ()
        return self.hear(
            samples, offset_seconds=offset_seconds, prompt=prompt, language=language, final=final, reference=reference
        )

    def with_one_candidate(self) -> Recognizer:
        """Return a recognizer that searches with a single candidate, which takes the least time."""
        return self


class LoadedModel(Protocol):
    """Attributes that every hearing model has."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> nn.Module: ...
    @property
    def languages(self) -> tuple[str, ...]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def tokenizer(self) -> TextTokens: ...


@dataclass(frozen=True, slots=True)
class Listened(Generic[Heard]):
    """A stretch of audio between encoder and decoder.

    Attributes:
        heard: what the decoder reads.
        features: the encoder's (t, d) of the audio alone, float32, which a draft network reads.
    """

    heard: Heard
    features: mx.array


@dataclass(frozen=True, slots=True)
class Known:
    """Knowledge of a stretch before it is decoded; engine.hear.whisper.decode uses it.

    Attributes:
        language: its code; None to detect it.
        temperatures: tried in turn.
        reference: text tokens that were heard in it before.
        draft: text tokens that it is likely to be decoded to.
        cancelled: asked at every step.
    """

    language: str | None
    prompt: str
    audio_seconds: float
    temperatures: Sequence[float]
    reference: Sequence[int]
    draft: Sequence[int]
    cancelled: Callable[[], bool]


class ModelRecognizer(ABC, Generic[Model, Heard]):
    """Hearing with a model of any kind: listen, decode, align.

    Attributes:
        languages: those of the model, or the allowed ones among them.
        options: how it decodes.
        temperatures: of decoding, tried in turn if the stretch won't be heard again; other rounds use the first alone.
        pruning: how a pruned search follows the last hypothesis.
        buffer_seconds: best length of a stream's buffer, which each round hears again.
        window_seconds: longest part of a file that is heard at once.
        prefers_pipeline: whether rounds overlap if the options leave it open.
    """

    prefers_pipeline = False
    buffer_seconds: float
    window_seconds: float

    def __init__(
        self, hearing: Model, decode: DecodeOptions, allowed_languages: Sequence[str], pruning: Pruning
    ) -> None:
        """Hear with a loaded model. OptionError if it doesn't know an allowed language."""
        self.languages = tuple(allowed_languages) or hearing.languages
        self.options = decode
        self.temperatures: tuple[float, ...] = GREEDY
        self.pruning = pruning
        self._hearing = hearing
        self._draft: EncoderDraft | None = None
        for code in self.languages:
            self._check_language(code)

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the model's weights."""
        return self._hearing.fingerprint

    @property
    def is_quantised(self) -> bool:
        """Return whether the model multiplies with quantised weights; on a CPU they are expanded."""
        return any(isinstance(layer, nn.QuantizedLinear) for layer in self._hearing.model.modules())

    def with_one_candidate(self) -> Self:
        """Return the same recognizer with a beam of one candidate, which is fastest."""
        if self.options.beam_size == 1:
            return self
        sparing = copy.copy(self)
        sparing.options = replace(self.options, beam_size=1)
        return sparing

    def for_files(self) -> Self:
        """Return the same recognizer with the temperature fallback, for audio that nobody is waiting for."""
        if len(self.temperatures) > 1:
            return self
        patient = copy.copy(self)
        patient.temperatures = OFFLINE_TEMPERATURES
        return patient

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float = 0.0,
        prompt: str = "",
        language: str | None = None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
        cancelled: Callable[[], bool] = never,
    ) -> Hypothesis:
        """Hear samples (n,) as Recognizer.hear says, without a pause."""
        stages = self.stages(
            samples,
            offset_seconds=offset_seconds,
            prompt=prompt,
            language=language,
            final=final,
            reference=reference,
            cancelled=cancelled,
        )
        return finish(backend.allotted(stages))

    def stages(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool,
        reference: Reference,
        cancelled: Callable[[], bool] = never,
    ) -> Generator[Stage, None, Hypothesis]:
        """Hear samples (n,) as Recognizer.hear says, pausing between the stages; any thread may resume.

        Too short or digitally silent audio holds no words and costs nothing. Audio that the model calls silence holds
        no words. A model that takes no prompts is given none. AudioError for samples that are not finite.
        """
        if language is not None:
            self._check_language(language)
        if _holds_nothing(samples):
            return Hypothesis((), language or self.languages[0], no_speech_probability=1.0)
        started = time.perf_counter()
        listened = self._listen(samples)
        encoding = time.perf_counter() - started
        yield "encoded"
        started = time.perf_counter()
        draft = self._drafted(listened, offset_seconds)
        drafting = time.perf_counter() - started
        # Pruning as published knows nothing of time: it searches the whole of the last hypothesis.
        timeless = self.options.reuse == "prune" and not self.pruning.aligned
        known = Known(
            language,
            prompt,
            audio_seconds=len(samples) / SAMPLE_RATE_HZ,
            temperatures=self.temperatures if final else self.temperatures[:1],
            reference=tokens_of(reference, -math.inf if timeless else offset_seconds),
            draft=self._hearing.tokenizer.encode("".join(word.text for word in draft)),
            cancelled=cancelled,
        )
        decoding, decoding_seconds = yield from _timed(self._decode(listened.heard, known))
        yield "decoded"
        started = time.perf_counter()
        frames = max(1, len(samples) * FRAMES_PER_SECOND // SAMPLE_RATE_HZ)
        words = () if decoding.is_silent else self._align(decoding, listened.heard, frames, offset_seconds)
        return Hypothesis(
            words,
            decoding.language,
            no_speech_probability=decoding.no_speech_probability,
            average_logprob=decoding.average_logprob,
            compression_ratio=decoding.compression_ratio,
            forwards=decoding.forwards,
            tokens=len(decoding.tokens),
            reused_tokens=decoding.reused_tokens,
            steps=decoding.steps,
            pruned_steps=decoding.pruned_steps,
            candidates=decoding.candidates,
            encode_seconds=encoding,
            decode_seconds=drafting + decoding_seconds,
            align_seconds=time.perf_counter() - started,
            draft=draft,
        )

    def _drafted(self, listened: Listened[Heard], offset_seconds: float) -> tuple[Word, ...]:
        """Return the words of the draft network; none without one."""
        if self._draft is None:
            return ()
        return self._draft.words(np.array(listened.features), offset_seconds)

    @abstractmethod
    def _listen(self, samples: Samples) -> Listened[Heard]:
        """Encode samples (n,) for the decoder; the result is evaluated."""

    @abstractmethod
    def _decode(self, heard: Heard, known: Known) -> Steps[Decoding]:
        """Decode encoded audio, pausing after every forward."""

    @abstractmethod
    def _align(self, decoding: Decoding, heard: Heard, frames: int, offset_seconds: float) -> tuple[Word, ...]:
        """Time the words of a decoding within so many frames, 50 a second."""

    def _check_language(self, code: str) -> None:
        known = self._hearing.languages
        if code not in known:
            raise OptionError(f"language must be one of {', '.join(known)} for {self._hearing.name}, not {code!r}.")


class WhisperRecognizer(ModelRecognizer[HearingModel, CrossCache]):
    """Mel, encode, decode, align, with a Whisper model.

    Attributes:
        padding: the padding behind every stretch.
    """

    def __init__(
        self,
        hearing: HearingModel,
        decode: DecodeOptions,
        allowed_languages: Sequence[str] = (),
        *,
        padding: str | None = None,
        pruning: Pruning = IMPROVED,
    ) -> None:
        """Hear with a loaded model.

        `padding` is an option of engine.hear.whisper.padding; None leaves it to the model.

        Raises:
            OptionError: an unknown padding, or the model doesn't know an allowed language.
            ModelError: the padding needs a hush word, and there is none for this model; or the decoder needs heads.
        """
        super().__init__(hearing, decode, allowed_languages, pruning)
        if decode.decoder == "multitoken":
            raise without_heads(hearing)
        self._draft = find_draft(hearing.fingerprint) if decode.uses_draft else None
        self._untaught = untaught_tokens(hearing.model)
        self.padding = make_padding(hearing, padding)
        full, longest = self.padding.choice.strategy == "full", self.padding.window / SAMPLE_RATE_HZ
        self.buffer_seconds = min(PADDED_BUFFER_SECONDS if full else NATURAL_BUFFER_SECONDS, longest)
        self.window_seconds = min(WINDOW_SECONDS if full else NATURAL_WINDOW_SECONDS, longest)

    def _listen(self, samples: Samples) -> Listened[CrossCache]:
        """Encode samples (n,) to the cross cache of the decoder, evaluated."""
        features = self.padding.encode(self._hearing.model, samples)
        cross = self.padding.attended(self._hearing.model, features)
        return Listened(cross, evaluated_features(features, len(samples), *cross.arrays()))

    def _decode(self, heard: CrossCache, known: Known) -> Steps[Decoding]:
        return decode(
            self._hearing.model,
            self._hearing.tokenizer,
            heard,
            self.options,
            language=known.language,
            allowed_languages=self.languages,
            prompt=known.prompt if self._hearing.takes_prompts else "",
            audio_seconds=known.audio_seconds,
            cancelled=known.cancelled,
            forbidden=self._untaught,
            temperatures=known.temperatures,
            reference=known.reference,
            draft=known.draft,
            pruning=self.pruning,
        )

    def _align(self, decoding: Decoding, heard: CrossCache, frames: int, offset_seconds: float) -> tuple[Word, ...]:
        return align_words(
            self._hearing.model,
            self._hearing.tokenizer,
            heard,
            decoding.tokens,
            language=decoding.language,
            into_english=self.options.into_english,
            frames=frames,
            offset_seconds=offset_seconds,
            probabilities=decoding.token_probabilities,
        )


def evaluated_features(features: mx.array, samples: int, *others: mx.array) -> mx.array:
    """Evaluate the features (1, t, d) of so many samples and others at once; return what a draft network reads."""
    read = features[0, : samples // SAMPLES_PER_FRAME].astype(mx.float32)
    evaluate(read, *others)
    return read


def without_heads(hearing: LoadedModel) -> ModelError:
    """Make the error that a model which writes one token at a time has no multi-token decoder."""
    return ModelError(f"{hearing.name} has no heads for the multitoken decoder; starter-speech-llama has some.")


def _timed(steps: Steps[Decoding]) -> Generator[Stage, None, tuple[Decoding, float]]:
    """Decode step by step; return the result and its seconds of computation, without the pauses."""
    seconds = 0.0
    while True:
        started = time.perf_counter()
        try:
            next(steps)
        except StopIteration as end:
            return end.value, seconds + time.perf_counter() - started
        seconds += time.perf_counter() - started
        yield "decoding"


def _holds_nothing(samples: Samples) -> bool:
    """Return whether samples are too few or too quiet to hold a word.

    Raises:
        ValueError: there are more of them than a model hears at once.
        AudioError: they are not finite.
    """
    if len(samples) > MAX_SECONDS * SAMPLE_RATE_HZ:
        raise ValueError(f"A stretch of audio may last {MAX_SECONDS} s, not {len(samples) / SAMPLE_RATE_HZ:.1f} s.")
    peak = float(np.abs(samples).max(initial=0.0))
    if not np.isfinite(peak):
        raise AudioError("The audio holds values that are not numbers.")
    return len(samples) < SHORTEST_SECONDS * SAMPLE_RATE_HZ or peak < SILENCE_PEAK
