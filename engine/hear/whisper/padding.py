"""Padding after the audio of a recognition model: strategies behind one interface.

Whisper was trained on windows of 30 s that end in silence, and has learnt to stop there; after audio that just ends it
hallucinates. Filling the window costs ten times the computation of the speech itself. The strategies:

    full            silence up to the end of the window, as the model was trained
    none            nothing
    zeros:S         S seconds of digital silence
    noise:S         S seconds of faint noise
    hush            the model's hush word, a short sound trained to signal the end of speech (WhisperFlow), with extra
                    keys and values that were trained with it, if any
    silence_cache   a window of silence, encoded once (engine.hear.whisper.silence): frames of audio attend to its
                    stored keys and values, and so does the decoder to the stored features, as if the silence were
                    there (no training needed)

Shapes: t frames of audio, w frames of the model's window, h heads, d states.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import mlx.core as mx
import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import ModelError
from engine.hear.decode.cache import CrossCache
from engine.hear.whisper.arithmetic import encoder_macs
from engine.hear.whisper.files.published import published_as
from engine.hear.whisper.hush import ExtraKeysValues, HushWord, check_owner, find_hush_word, train_command
from engine.hear.whisper.measured_padding import find_measured_padding
from engine.hear.whisper.mel import HOP_LENGTH, log_mel
from engine.hear.whisper.model import NOTHING_AROUND, ModelDimensions, Whisper
from engine.hear.whisper.silence import ExtraAttention, silence_for
from engine.options import PaddingChoice, parse_padding

if TYPE_CHECKING:
    from engine.hear.whisper.load import HearingModel

SAMPLES_PER_FRAME = 2 * HOP_LENGTH
NOISE_LEVEL = 0.002
EDGE_SECONDS = 0.1
"""Silence that is encoded before the cached silence, in seconds.

Without it the convolutions see an edge where the audio ends, which no full window has. (Chosen in LOG 2026-11-22.)
"""
NO_SAMPLES: Samples = np.zeros(0, np.float32)


@dataclass(frozen=True)
class Tail:
    """Audio that follows the audio of a model.

    Attributes:
        choice: the option that it implements.
        window: most samples that the model accepts.
        tail: samples (n,) that follow the audio as far as the window has room; they are encoded.
    """

    choice: PaddingChoice
    window: int
    tail: Samples

    def followed(self, samples: Samples) -> Samples:
        """Return samples with the tail after them. Raises ValueError if the samples are longer than the window."""
        if len(samples) > self.window:
            raise ValueError(f"The model hears {self.window} samples at once, not {len(samples)}.")
        return np.concatenate([samples, self.tail])[: self.window]

    def encoded_frames(self, samples: int) -> int:
        """Return how many frames the encoder computes for this many samples."""
        return math.ceil(min(samples + len(self.tail), self.window) // HOP_LENGTH / 2)

    def macs(self, dims: ModelDimensions, samples: int) -> int:
        """Return the multiply-accumulates of encoding this many samples, by formula."""
        frames = self.encoded_frames(samples)
        return encoder_macs(dims, frames, beside=self.beside(frames))

    def beside(self, frames: int) -> int:
        """Return how many extra positions these frames attend to in each layer of the encoder."""
        return 0


@dataclass(frozen=True)
class Padding(Tail):
    """One strategy, prepared for one Whisper model.

    Attributes:
        surroundings: returns the extra keys and values for t frames; they cost no encoding.
    """

    surroundings: Callable[[int], ExtraAttention]

    def beside(self, frames: int) -> int:
        return sum(keys.shape[2] for keys, _ in self.surroundings(frames).encoder[0])

    def listen(self, model: Whisper, samples: Samples) -> CrossCache:
        """Compute the decoder's cross cache of samples (n,), whose first n // 320 frames are audio.

        Raises ValueError if the samples are longer than the window.
        """
        return self.attended(model, self.encode(model, samples))

    def encode(self, model: Whisper, samples: Samples) -> mx.array:
        """Encode samples (n,) as features (1, t, d). Raises ValueError if the samples are longer than the window."""
        mel = log_mel(self.followed(samples), model.dims.n_mels)
        return model.encode(mel, self.surroundings((mel.shape[0] + 1) // 2).encoder)

    def attended(self, model: Whisper, features: mx.array) -> CrossCache:
        """Compute the decoder's cross cache of features (1, t, d), with the extra keys and values."""
        return model.cross_cache(features, self.surroundings(features.shape[1]).decoder)


def make_padding(hearing: HearingModel, option: str | None = None, word: HushWord | None = None) -> Padding:
    """Create an option's strategy for a model; None leaves the choice to the model (`own_padding`).

    `hush` uses the given word, else the model's stored one. Raises OptionError for an unknown option, ModelError for a
    hush word that is missing or another model's.
    """
    choice = parse_padding(own_padding(hearing) if option is None else option)
    model = hearing.model
    window = model.dims.n_audio_ctx * SAMPLES_PER_FRAME
    if choice.strategy == "hush":
        word = _word_of(hearing, word)
        alone, kept = _around(model, None), _around(model, word.kept)
        return Padding(
            choice, window, word.samples, lambda frames: kept if frames * SAMPLES_PER_FRAME < window else alone
        )
    if choice.strategy == "silence_cache":
        edge = np.zeros(round(EDGE_SECONDS * SAMPLE_RATE_HZ), np.float32)
        return Padding(choice, window, edge, silence_for(hearing).after)
    alone = _around(model, None)
    return Padding(choice, window, plain_tail(choice, window), lambda _: alone)


def own_padding(hearing: HearingModel) -> str:
    """Return the best option for a model.

    With a hush word, its training measured which padding needs the least computation with hardly any loss against the
    full window; otherwise a bench may have measured it. Without measurements, published models get the windows they
    were trained on, and all others, which were trained on natural lengths, get those.
    """
    word = find_hush_word(hearing)
    if word is not None and word.word_errors:
        return word.best_padding()
    measured = find_measured_padding(hearing)
    if measured is not None:
        return measured.best_padding()
    return "full" if any(published_as(hearing.model.dims, hearing.name)) else "none"


def plain_tail(choice: PaddingChoice, window: int) -> Samples:
    """Create the tail for a model with this window: silence, faint noise, or nothing."""
    count = round(choice.seconds * SAMPLE_RATE_HZ)
    match choice.strategy:
        case "full":
            return np.zeros(window, np.float32)
        case "zeros":
            return np.zeros(count, np.float32)
        case "noise":  # the same in every round, so that equal audio gives equal results
            return np.random.default_rng(0).normal(0, NOISE_LEVEL, count).astype(np.float32)
        case _:
            return NO_SAMPLES


def _word_of(hearing: HearingModel, word: HushWord | None) -> HushWord:
    """Return the given word, else the model's own. Raises ModelError if there is none, or it is another model's."""
    word = word or find_hush_word(hearing)
    if word is None:
        raise ModelError(f"There is no hush word for the model {hearing.name}. {train_command(hearing)}")
    return check_owner(word, hearing)


def _around(model: Whisper, kept: ExtraKeysValues | None) -> ExtraAttention:
    """Return the stored keys and values for audio of any length, or nothing."""
    dims = model.dims
    if kept is None:
        return ExtraAttention(NOTHING_AROUND * dims.n_audio_layer, NOTHING_AROUND * dims.n_text_layer)
    sides = [
        [((mx.array(keys[None]).astype(model.dtype), mx.array(values[None]).astype(model.dtype)),)
         for keys, values in zip(*side, strict=True)]
        for side in ((kept.encoder_keys, kept.encoder_values), (kept.decoder_keys, kept.decoder_values))
    ]  # fmt: skip
    mx.eval(sides)  # a lazy array could not be used by another thread
    return ExtraAttention(tuple(sides[0]), tuple(sides[1]))
