"""Speech recognition of one span of audio: from samples to timed words."""

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
from engine.hear.decode.vocabulary import Vocabulary
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
"""Highest amplitude that counts as digital silence."""

OFFLINE_TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Temperatures for audio that is not live (Whisper's own)."""

WINDOW_SECONDS, NATURAL_WINDOW_SECONDS = 28.0, 15.0
"""Longest part of a file recognized at once, in seconds: with padding to the full window, and at natural length."""

PADDED_BUFFER_SECONDS, NATURAL_BUFFER_SECONDS = 15.0, 6.0
"""Length of a stream's buffer, in seconds: with padding to the full window, and at natural length.

With padding, a round always encodes 30 s, so a longer buffer costs little; 15 s is what Whisper-Streaming keeps. At
natural length, the cost of a round grows with the buffer.
"""

NO_REFERENCE = Reference()

Model = TypeVar("Model", bound="LoadedModel")
Heard = TypeVar("Heard")
Stage = Literal["encoded", "decoding", "decoded"]
"""Stage that was finished when recognition pauses; "decoding" follows every decoder pass."""


class Recognizer(Protocol):
    """A speech recognition model, as captions use it. A model that does not pause implements `hear` only.

    Attributes:
        languages: language codes that it accepts or detects.
        buffer_seconds: best length of a stream's buffer, which each round recognizes again.
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
        """Recognize samples (n,) at 16 kHz, up to 30 s, that begin at offset_seconds on the stream's clock.

        Args:
            prompt: the text before these samples.
            language: language code; None to detect it.
            final: these samples will not be recognized again, so a failed decoding is retried at higher temperatures.
            reference: the last hypothesis of the same recognizer for these samples.
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
        """Recognize like `hear`, but pause between the stages; any thread may resume."""
        yield from ()
        return self.hear(
            samples, offset_seconds=offset_seconds, prompt=prompt, language=language, final=final, reference=reference
        )

    def with_one_candidate(self) -> Recognizer:
        """Return a recognizer that searches with a single candidate, which is the fastest search."""
        return self


class LoadedModel(Protocol):
    """Attributes that every speech recognition model has."""

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
    """A span of audio after the encoder.

    Attributes:
        heard: input of the decoder.
        features: encoder output (t, d) of the audio without padding, float32; input of a draft network.
    """

    heard: Heard
    features: mx.array


@dataclass(frozen=True, slots=True)
class DecodingContext:
    """Everything but the audio that decoding one span of audio depends on.

    Attributes:
        language: language code; None to detect it.
        prompt: the text before the audio.
        audio_seconds: length of the audio.
        temperatures: tried in turn.
        reference: text tokens of the last hypothesis of this audio.
        draft: text tokens that a draft network proposes.
        goes_on: as in Reference.
        cancelled: called at every step; True stops the decoding.
    """

    language: str | None
    prompt: str
    audio_seconds: float
    temperatures: Sequence[float]
    reference: Sequence[int]
    draft: Sequence[int]
    goes_on: bool
    cancelled: Callable[[], bool]


class ModelRecognizer(ABC, Generic[Model, Heard]):
    """Recognition with a model of any kind: encode, decode, align.

    Attributes:
        languages: languages of the model, or the allowed ones among them.
        options: options of the decoder.
        temperatures: tried in turn if the audio will not be recognized again; other rounds use only the first.
        pruning: variant of beam pruning.
        buffer_seconds: best length of a stream's buffer, which each round recognizes again.
        window_seconds: longest part of a file that is recognized at once.
        longest_seconds: longest audio that the model can hear at all.
        prefers_pipeline: rounds overlap if the options leave it open.
    """

    prefers_pipeline = False
    buffer_seconds: float
    window_seconds: float
    longest_seconds: float

    def __init__(
        self, hearing: Model, decode: DecodeOptions, allowed_languages: Sequence[str], pruning: Pruning
    ) -> None:
        """Use a loaded model.

        Raises:
            OptionError: the model does not know an allowed language.
        """
        self.languages = tuple(allowed_languages) or hearing.languages
        self.options = decode
        self.temperatures: tuple[float, ...] = GREEDY
        self.pruning = pruning
        self._hearing = hearing
        self._draft: EncoderDraft | None = None
        self._vocabulary = Vocabulary(decode.vocabulary, hearing.tokenizer) if decode.vocabulary else None
        for code in self.languages:
            self._check_language(code)

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the model's weights."""
        return self._hearing.fingerprint

    @property
    def is_quantised(self) -> bool:
        """Return whether the model has quantized weights; on a CPU they are dequantized."""
        return any(isinstance(layer, nn.QuantizedLinear) for layer in self._hearing.model.modules())

    def with_one_candidate(self) -> Self:
        """Return the same recognizer with a beam of one candidate, which is the fastest search."""
        if self.options.beam_size == 1:
            return self
        sparing = copy.copy(self)
        sparing.options = replace(self.options, beam_size=1)
        return sparing

    def for_files(self) -> Self:
        """Return the same recognizer with temperature fallback, for audio that is not live."""
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
        """Recognize samples (n,) as described in Recognizer.hear, without pauses."""
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
        """Recognize samples (n,) as described in Recognizer.hear, pausing between the stages; any thread may resume.

        Audio that is too short or digitally silent returns no words without running the model. Audio that the model
        classifies as silence returns no words. A model without prompts receives none.

        Raises:
            AudioError: a sample is not finite.
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
        # Published pruning ignores time: it searches the whole of the last hypothesis.
        timeless = self.options.reuse == "prune" and not self.pruning.aligned
        context = DecodingContext(
            language,
            prompt,
            audio_seconds=len(samples) / SAMPLE_RATE_HZ,
            temperatures=self.temperatures if final else self.temperatures[:1],
            reference=tokens_of(reference, -math.inf if timeless else offset_seconds),
            draft=self._hearing.tokenizer.encode("".join(word.text for word in draft)),
            goes_on=reference.goes_on,
            cancelled=cancelled,
        )
        decoding, decoding_seconds = yield from _timed(self._decode(listened.heard, context))
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
            language_probability=decoding.language_probability,
        )

    def _drafted(self, listened: Listened[Heard], offset_seconds: float) -> tuple[Word, ...]:
        """Return the words of the draft network; none if there is no network."""
        if self._draft is None:
            return ()
        return self._draft.words(np.array(listened.features), offset_seconds)

    @abstractmethod
    def _listen(self, samples: Samples) -> Listened[Heard]:
        """Encode samples (n,) for the decoder, and evaluate the result."""

    @abstractmethod
    def _decode(self, heard: Heard, context: DecodingContext) -> Steps[Decoding]:
        """Decode encoded audio, pausing after every decoder pass."""

    @abstractmethod
    def _align(self, decoding: Decoding, heard: Heard, frames: int, offset_seconds: float) -> tuple[Word, ...]:
        """Return the words of a decoding with their times; `frames` of audio, 50 per second, bound them."""

    def _check_language(self, code: str) -> None:
        name, languages = self._hearing.name, self._hearing.languages
        if code not in languages and languages == ("en",):
            raise OptionError(f"{name} hears English only. Choose another model.")
        if code not in languages:
            raise OptionError(f"{name} does not hear the language {code!r}. Choose another model.")


class WhisperRecognizer(ModelRecognizer[HearingModel, CrossCache]):
    """Recognition with a Whisper model: log-mel spectrogram, encode, decode, align.

    Attributes:
        padding: the padding after the audio.
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
        """Use a loaded model.

        `padding` is an option of engine.hear.whisper.padding; None selects the model's default.

        Raises:
            OptionError: the padding is unknown, or the model does not know an allowed language.
            ModelError: the padding needs a hush word that this model lacks; or the decoder needs multi-token heads.
        """
        super().__init__(hearing, decode, allowed_languages, pruning)
        if decode.decoder == "multitoken":
            raise without_heads(hearing)
        # The processor's own decoder (engine.hear.whisper.cpu) reads a block no faster than as many steps of a beam.
        pays = decode.beam_size == 1 or hearing.model.fast_decoder is None
        self._draft = find_draft(hearing.fingerprint) if decode.uses_draft and pays else None
        self._untaught = untaught_tokens(hearing.model)
        self.padding = make_padding(hearing, padding)
        full = self.padding.choice.strategy == "full"
        longest = self.longest_seconds = self.padding.window / SAMPLE_RATE_HZ
        self.buffer_seconds = min(PADDED_BUFFER_SECONDS if full else NATURAL_BUFFER_SECONDS, longest)
        self.window_seconds = min(WINDOW_SECONDS if full else NATURAL_WINDOW_SECONDS, longest)

    def _listen(self, samples: Samples) -> Listened[CrossCache]:
        """Encode samples (n,) into the decoder's cross-attention cache, and evaluate it."""
        features = self.padding.encode(self._hearing.model, samples)
        cross = self.padding.attended(self._hearing.model, features)
        return Listened(cross, evaluated_features(features, len(samples), *cross.arrays()))

    def _decode(self, heard: CrossCache, context: DecodingContext) -> Steps[Decoding]:
        return decode(
            self._hearing.model,
            self._hearing.tokenizer,
            heard,
            self.options,
            language=context.language,
            allowed_languages=self.languages,
            prompt=context.prompt if self._hearing.takes_prompts else "",
            audio_seconds=context.audio_seconds,
            cancelled=context.cancelled,
            forbidden=self._untaught,
            temperatures=context.temperatures,
            reference=context.reference,
            draft=context.draft,
            pruning=self.pruning,
            vocabulary=self._vocabulary,
            goes_on=context.goes_on,
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
    """Evaluate the features (1, t, d) of that many samples together with others; return the input of a draft
    network.
    """
    read = features[0, : samples // SAMPLES_PER_FRAME].astype(mx.float32)
    evaluate(read, *others)
    return read


def without_heads(hearing: LoadedModel) -> ModelError:
    """Return the error that a model has no multi-token decoder."""
    return ModelError(f"{hearing.name} has no heads for the multitoken decoder; starter-speech-llama has some.")


def _timed(steps: Steps[Decoding]) -> Generator[Stage, None, tuple[Decoding, float]]:
    """Run the steps; return the result and the seconds of computation, pauses excluded."""
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
        ValueError: there are more samples than a model recognizes at once.
        AudioError: a sample is not finite.
    """
    if len(samples) > MAX_SECONDS * SAMPLE_RATE_HZ:
        raise ValueError(f"A stretch of audio may last {MAX_SECONDS} s, not {len(samples) / SAMPLE_RATE_HZ:.1f} s.")
    peak = float(np.abs(samples).max(initial=0.0))
    if not np.isfinite(peak):
        raise AudioError("The audio holds values that are not numbers.")
    return len(samples) < SHORTEST_SECONDS * SAMPLE_RATE_HZ or peak < SILENCE_PEAK
