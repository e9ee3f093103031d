"""What follows audio before a model hears it: a choice of strategies behind one interface.

Whisper was trained on windows of 30 s that end in silence, and has learnt to stop there; of audio that just ends it
makes up more. Filling the window costs ten times the computation of what was said. The strategies:

    full            silence up to the end of the window, as the model was trained
    none            nothing
    zeros:S         S seconds of digital silence
    noise:S         S seconds of faint noise
    hush            the model's hush word, a short sound that was trained to say "that was all" (WhisperFlow), with the
                    keys and values that were trained with it, if any
    silence_cache   a window of silence, encoded once: frames of audio attend to its kept keys and values, and so does
                    the decoder to the kept features, as if the silence were there (no training needed)

Shapes: t frames of audio, w frames of the model's window, h heads, d states.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import mlx.core as mx
import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import ModelError
from engine.hear.decode.cache import CrossCache
from engine.hear.whisper.arithmetic import encoder_macs
from engine.hear.whisper.files.published import published_as
from engine.hear.whisper.hush import HushWord, Kept, check_owner, find_hush_word, train_command
from engine.hear.whisper.measured_padding import find_measured_padding
from engine.hear.whisper.mel import HOP_LENGTH, log_mel
from engine.hear.whisper.model import NOTHING_AROUND, Around, ModelDimensions, Whisper
from engine.options import PaddingChoice, parse_padding

if TYPE_CHECKING:
    from engine.hear.whisper.load import HearingModel

SAMPLES_PER_FRAME = 2 * HOP_LENGTH
NOISE_LEVEL = 0.002
QUIET_LOG_MEL = -0.75
"""The log-mel of silence in a window that also holds speech, where the floor is eight powers of ten below the loudest
frame: the median of LibriSpeech (-0.77) and of the built-in voice (-0.74). Silence alone would be at -1.5."""
EDGE_SECONDS = 0.1
"""Silence that is encoded before the kept silence goes on: without it the convolutions see an edge where the audio
ends, which no window has (262 words to an early model of synthetic voices: 24.4% wrong without, 21.4% with, and as
much with the full window)."""
NO_SAMPLES: Samples = np.zeros(0, np.float32)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Kept keys and values around t frames of audio: for each layer of the encoder, and of the decoder after them."""

    encoder: tuple[Around, ...]
    decoder: tuple[Around, ...]


@dataclass(frozen=True)
class Tail:
    """Audio or features that follow the audio of a model.

    Attributes:
        choice: the option that it carries out.
        window: the most samples that the model takes.
        tail: samples (n,) that follow the audio as far as the window has room; they are encoded.
    """

    choice: PaddingChoice
    window: int
    tail: Samples

    def followed(self, samples: Samples) -> Samples:
        """Samples and what follows them. ValueError where samples are longer than the window."""
        if len(samples) > self.window:
            raise ValueError(f"The model hears {self.window} samples at once, not {len(samples)}.")
        return np.concatenate([samples, self.tail])[: self.window]

    def encoded_frames(self, samples: int) -> int:
        """Return how many frames the encoder computes for so many samples."""
        return math.ceil(min(samples + len(self.tail), self.window) // HOP_LENGTH / 2)

    def macs(self, dims: ModelDimensions, samples: int) -> int:
        """Multiply-accumulates of encoding so many samples, by formula."""
        frames = self.encoded_frames(samples)
        return encoder_macs(dims, frames, beside=self.beside(frames))

    def beside(self, frames: int) -> int:
        """Return how many places so many frames attend to in each layer of the encoder beside themselves."""
        return 0


@dataclass(frozen=True)
class Padding(Tail):
    """One strategy, ready for one Whisper model.

    Attributes:
        surroundings: what t frames attend to beside themselves; that costs no encoding.
    """

    surroundings: Callable[[int], Surroundings]

    def beside(self, frames: int) -> int:
        return sum(keys.shape[2] for keys, _ in self.surroundings(frames).encoder[0])

    def listen(self, model: Whisper, samples: Samples) -> CrossCache:
        """Samples (n,) to what the decoder attends to, of which the first n // 320 frames are audio.

        ValueError where samples are longer than the window.
        """
        return self.attended(model, self.encode(model, samples))

    def encode(self, model: Whisper, samples: Samples) -> mx.array:
        """Samples (n,) to features (1, t, d). ValueError where samples are longer than the window."""
        mel = log_mel(self.followed(samples), model.dims.n_mels)
        return model.encode(mel, self.surroundings((mel.shape[0] + 1) // 2).encoder)

    def attended(self, model: Whisper, features: mx.array) -> CrossCache:
        """Features (1, t, d) to what the decoder attends to, with what is around them."""
        return model.cross_cache(features, self.surroundings(features.shape[1]).decoder)


class Silence:
    """A window of silence as every layer of a model sees it, encoded when it is first needed.

    For each frame it keeps keys and values of every layer of encoder and decoder, 2 (L + L) d numbers: for 1500
    frames 37 MB of the starter in float32, 111 MB of Whisper small and 295 MB of medium in float16.
    Frame j keeps the place that it has in the window, so that t frames of audio are followed by frames t to w.
    """

    def __init__(self, model: Whisper) -> None:
        self._model = model

    def after(self, frames: int) -> Surroundings:
        """Return what follows t frames: nothing where they fill the window."""
        encoder, decoder = self._kept
        return Surroundings(
            tuple(((keys[:, :, frames:], values[:, :, frames:]),) for keys, values in encoder),
            tuple(((keys[:, :, frames:], values[:, :, frames:]),) for keys, values in decoder),
        )

    @property
    def bytes(self) -> int:
        """Return how much memory it takes."""
        return sum(array.nbytes for layers in self._kept for pair in layers for array in pair)

    @cached_property
    def _kept(self) -> tuple[list[tuple[mx.array, mx.array]], list[tuple[mx.array, mx.array]]]:
        model = self._model
        encoder = model.encoder
        mel = mx.full((1, 2 * model.dims.n_audio_ctx, model.dims.n_mels), QUIET_LOG_MEL, model.dtype)
        x = encoder.place(mel)
        layers = []
        for block in encoder.blocks:
            layers.append(block.attn.keys_values(block.attn_ln(x)))
            x = block(x)
        cross = model.cross_cache(encoder.ln_post(x))
        kept = (
            [(mx.contiguous(k), mx.contiguous(v)) for k, v in layers],
            list(zip(cross.keys, cross.values, strict=True)),
        )
        mx.eval(kept)
        return kept


def make_padding(hearing: HearingModel, option: str | None = None, word: HushWord | None = None) -> Padding:
    """Make an option's strategy for a model; None leaves the choice to the model (`own_padding`).

    `hush` takes the word that is given, else the one that is kept for the model. OptionError for an unknown option,
    ModelError for a hush word that is missing or another model's.
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
        return Padding(choice, window, edge, Silence(model).after)
    alone = _around(model, None)
    return Padding(choice, window, plain_tail(choice, window), lambda _: alone)


def own_padding(hearing: HearingModel) -> str:
    """Choose what suits a model best.

    Where it has a hush word, that is what its training measured: the least work that costs hardly any words against
    the full window; or what a bench has measured of it. Else the published models get the windows that they were
    trained on, and all others, which were trained on natural lengths, get those.
    """
    word = find_hush_word(hearing)
    if word is not None and word.word_errors:
        return word.best_padding()
    measured = find_measured_padding(hearing)
    if measured is not None:
        return measured.best_padding()
    return "full" if any(published_as(hearing.model.dims, hearing.name)) else "none"


def plain_tail(choice: PaddingChoice, window: int) -> Samples:
    """Make what follows audio for a model that takes so many samples: silence, faint noise, or nothing."""
    count = round(choice.seconds * SAMPLE_RATE_HZ)
    match choice.strategy:
        case "full":
            return np.zeros(window, np.float32)
        case "zeros":
            return np.zeros(count, np.float32)
        case "noise":  # the same at every hearing, so that equal audio is heard equally
            return np.random.default_rng(0).normal(0, NOISE_LEVEL, count).astype(np.float32)
        case _:
            return NO_SAMPLES


def _word_of(hearing: HearingModel, word: HushWord | None) -> HushWord:
    """The word that is given, else the model's own. ModelError where there is none, or it is another model's."""
    word = word or find_hush_word(hearing)
    if word is None:
        raise ModelError(f"There is no hush word for the model {hearing.name}. {train_command(hearing)}")
    return check_owner(word, hearing)


def _around(model: Whisper, kept: Kept | None) -> Surroundings:
    """Return what is attended to beside audio of any length: kept keys and values, or nothing."""
    dims = model.dims
    if kept is None:
        return Surroundings(NOTHING_AROUND * dims.n_audio_layer, NOTHING_AROUND * dims.n_text_layer)
    sides = [
        [((mx.array(keys[None]).astype(model.dtype), mx.array(values[None]).astype(model.dtype)),)
         for keys, values in zip(*side, strict=True)]
        for side in ((kept.encoder_keys, kept.encoder_values), (kept.decoder_keys, kept.decoder_values))
    ]  # fmt: skip
    mx.eval(sides)  # a lazy array could not be used by another thread
    return Surroundings(tuple(sides[0]), tuple(sides[1]))
