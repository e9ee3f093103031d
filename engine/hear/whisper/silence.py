"""A window of silence, encoded once for a model and kept on the disk: what the padding `silence_cache` attends to.

Encoding it takes as long as thirty seconds of speech, so it is done while the model is loaded, and only the first time
on a machine. Arrays are rounded to half precision before their first use, so that a kept one gives the same words.

Shapes: l layers, w frames of the model's window, h heads, s states of a head.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.hear.whisper.model import Around, Whisper
from engine.machine import backend
from engine.machine.byte_products import has_byte_products

if TYPE_CHECKING:
    from engine.hear.whisper.load import HearingModel

QUIET_LOG_MEL = -0.75
"""Log-mel of silence in a window that also holds speech, whose floor is eight powers of ten below the loudest frame.

Silence alone would be at -1.5. (Chosen in LOG 2026-11-21.)
"""
WORTH_KEEPING_BYTES = 8 * 1024 * 1024
"""Smallest file that is kept: less is encoded again in a moment."""
MOST_FILES = 4
"""Most files that are kept; the one unused for the longest is deleted first."""
ARITHMETIC = 1
"""Number of the present way to encode; a file of another number is made again."""

HalfArray = NDArray[np.float16]
Halves = tuple[HalfArray, HalfArray, HalfArray, HalfArray]
"""Keys and values of the encoder's layers, then of the decoder's, each (l, h, w, s)."""
_NAMES = ("encoder_keys", "encoder_values", "decoder_keys", "decoder_values")
_DIGEST = "sha256"


@dataclass(frozen=True, slots=True)
class ExtraAttention:
    """Extra keys and values for t frames of audio: for each layer of the encoder, and of the decoder."""

    encoder: tuple[Around, ...]
    decoder: tuple[Around, ...]


class Silence:
    """Keys and values of silence for each frame, in every layer of encoder and decoder: 2 (L + L) d numbers a frame.

    For 1500 frames these are 37 MB of the starter in float32, 111 MB of Whisper small and 295 MB of medium in float16.
    Frame j keeps its position in the window, so that t frames of audio are followed by frames t to w.
    """

    def __init__(self, halves: Halves, dtype: mx.Dtype) -> None:
        encoder_keys, encoder_values, decoder_keys, decoder_values = halves
        self._encoder = _by_layers(encoder_keys, encoder_values, dtype)
        self._decoder = _by_layers(decoder_keys, decoder_values, dtype)
        mx.eval(self._encoder, self._decoder)  # a lazy array could not be used by another thread

    def after(self, frames: int) -> ExtraAttention:
        """Return what follows t frames: nothing if they fill the window."""
        sides = (
            tuple(((keys[:, :, frames:], values[:, :, frames:]),) for keys, values in layers)
            for layers in (self._encoder, self._decoder)
        )
        return ExtraAttention(*sides)

    @property
    def bytes(self) -> int:
        """Memory that it takes, in bytes."""
        return sum(array.nbytes for pair in (*self._encoder, *self._decoder) for array in pair)


def silence_for(hearing: HearingModel) -> Silence:
    """Return a model's silence: the kept one, else one that is encoded now and kept if the disk allows it."""
    path = kept_silences() / f"{hearing.fingerprint}-{_way_of(hearing.model)}.safetensors"
    halves = _read(path, hearing.model)
    if halves is None:
        halves = encode_silence(hearing.model)
        with suppress(OSError):
            _keep(path, halves)
    return Silence(halves, hearing.model.dtype)


def kept_silences() -> Path:
    """Return the folder of the kept files."""
    from platformdirs import user_cache_path

    return user_cache_path("earshot", appauthor=False) / "silence"


def encode_silence(model: Whisper) -> Halves:
    """Encode a whole window of silence, by the fastest encoder of the model."""
    mel = mx.full((1, 2 * model.dims.n_audio_ctx, model.dims.n_mels), QUIET_LOG_MEL, model.dtype)
    features, layers = (model.fast_encoder or model.encoder).with_keys_values(mel)
    cross = model.cross_cache(features)
    keys, values = zip(*layers, strict=True)
    sides = (keys, values, cross.keys, cross.values)
    return cast(Halves, tuple(np.array(mx.concatenate(list(side)).astype(mx.float16)) for side in sides))


def _by_layers(keys: HalfArray, values: HalfArray, dtype: mx.Dtype) -> list[tuple[mx.array, mx.array]]:
    return [
        (mx.array(key[None]).astype(dtype), mx.array(value[None]).astype(dtype))
        for key, value in zip(keys, values, strict=True)
    ]


def _way_of(model: Whisper) -> str:
    """Return a digest of what else the numbers depend on: how weights are stored, and which kernels compute."""
    last = model.encoder.blocks[-1].mlp2.weight
    digest = hashlib.sha256(np.array(last.astype(mx.float32) if last.dtype == mx.bfloat16 else last).tobytes())
    kernels = (ARITHMETIC, QUIET_LOG_MEL, model.dtype, backend.on_gpu(), has_byte_products())
    digest.update(repr(kernels).encode())
    return digest.hexdigest()[:16]


def _read(path: Path, model: Whisper) -> Halves | None:
    """Read a kept silence; None if there is none, or it is damaged or not this model's."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            halves = cast(Halves, tuple(file.get_tensor(name) for name in _NAMES))
            told = (file.metadata() or {}).get(_DIGEST)
    except (OSError, SafetensorError):
        return None
    if tuple(half.shape for half in halves) != _shapes(model) or told != _digest(halves):
        return None
    with suppress(OSError):
        path.touch()  # used now: the others are deleted first
    return halves


def _shapes(model: Whisper) -> tuple[tuple[int, ...], ...]:
    dims = model.dims
    encoder, decoder = (
        (layers, heads, dims.n_audio_ctx, width // heads)
        for layers, heads, width in (
            (dims.n_audio_layer, dims.n_audio_head, dims.n_audio_state),
            (dims.n_text_layer, dims.n_text_head, dims.n_text_state),
        )
    )
    return encoder, encoder, decoder, decoder


def _digest(halves: Halves) -> str:
    digest = hashlib.sha256()
    for half in halves:
        digest.update(np.ascontiguousarray(half).data)
    return digest.hexdigest()


def _keep(path: Path, halves: Halves) -> None:
    """Write a silence atomically, and delete files beyond the newest ones."""
    from safetensors.numpy import save_file

    if sum(half.nbytes for half in halves) < WORTH_KEEPING_BYTES:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    try:
        tensors = {name: np.ascontiguousarray(half) for name, half in zip(_NAMES, halves, strict=True)}
        save_file(tensors, partial, metadata={_DIGEST: _digest(halves)})
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    newest = sorted(path.parent.glob("*.safetensors"), key=lambda each: each.stat().st_mtime, reverse=True)
    for old in newest[MOST_FILES:]:
        old.unlink(missing_ok=True)
