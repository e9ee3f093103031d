"""Loading of Whisper models from the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.errors import ModelError
from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer
from engine.hear.whisper.cpu.decoder import CpuDecoder
from engine.hear.whisper.cpu.encoder import CpuEncoder
from engine.hear.whisper.embedding import HalfEmbedding, SharedRowEmbedding, shared_rows
from engine.hear.whisper.files.layout import ModelConfig
from engine.hear.whisper.files.published import PUBLISHED, published_as
from engine.hear.whisper.files.stored import open_whisper
from engine.hear.whisper.fingerprint import whisper_fingerprint
from engine.hear.whisper.model import Whisper
from engine.machine import backend
from engine.machine.byte_products import has_byte_products
from engine.machine.halves import largest_half
from engine.models.catalogue import find_model
from engine.weights.safetensors import ADVICE
from engine.weights.weights import check_shapes, quantise_or_expand, store_transposed

LARGEST_WEIGHT = 65504.0
"""Largest float16 number, far above trained weights."""

_EMBEDDING = "decoder.token_embedding.weight"


@dataclass(frozen=True, slots=True)
class HearingModel:
    """A recognition model, loaded and evaluated, so that any thread may run it.

    Attributes:
        name: the requested name, or the folder's.
        folder: its folder, or the file of a whisper.cpp model.
        languages: codes that can be set or detected.
        fingerprint: digest of its weights, independent of their storage.
        takes_prompts: whether previous text helps it; a model with little training on prompts writes nothing instead.
    """

    name: str
    folder: Path
    model: Whisper
    tokenizer: Tokenizer
    languages: tuple[str, ...]
    fingerprint: str
    takes_prompts: bool = True


def load_hearing_model(name_or_folder: str | Path = "starter") -> HearingModel:
    """Load a model by catalogue name, folder, file of whisper.cpp's or cached repository.

    Raises ModelError with a sentence about what is wrong.
    """
    backend.prepare()
    name, folder = find_model(name_or_folder)
    stored = open_whisper(folder)
    config, weights = stored.config, stored.weights()
    fingerprint = whisper_fingerprint(config.dims, weights)
    model = Whisper(config.dims, heads_that_align(config, f"{name} {folder}"))
    weights = quantise_or_expand(model, weights, config.quantization, folder, halves=True, as_stored=_EMBEDDING)
    check_shapes(model, weights, folder, "Whisper")
    _check_values(weights, folder)
    model.load_weights(list(weights.items()))
    del weights  # what is arranged anew would be kept twice
    _speed_up(model)
    model.eval()
    model.freeze()
    mx.eval(model.parameters(), model.encoder._positions)
    tokenizer = load_tokenizer(model.num_languages, model.is_multilingual)
    languages = _languages(config, tokenizer, folder)
    return HearingModel(name, folder, model, tokenizer, languages, fingerprint, config.takes_prompts)


def _check_values(weights: Mapping[str, mx.array], folder: Path) -> None:
    """Raise ModelError for values that no trained model has, because sums with them are not finite."""
    by_bits = {mx.float16} if not backend.on_gpu() else set()  # a CPU compares halves one at a time
    for name, array in weights.items():
        if array.dtype in by_bits and not np.isfinite(held := largest_half(np.array(array, copy=False))):
            raise ModelError(f"{name} in {folder} is damaged: it holds {held:g}. {ADVICE}")
    kept = {name: array for name, array in weights.items() if array.dtype not in by_bits}
    floats = {name: array for name, array in kept.items() if mx.issubdtype(array.dtype, mx.floating)}
    largest = {name: mx.max(mx.abs(array)) for name, array in floats.items() if array.size}
    mx.eval(*largest.values())
    for name, value in largest.items():
        size = cast(float, value.item())
        if not size <= LARGEST_WEIGHT:  # also true of NaN
            raise ModelError(f"{name} in {folder} is damaged: it holds {size:g}. {ADVICE}")


def _languages(config: ModelConfig, tokenizer: Tokenizer, folder: Path) -> tuple[str, ...]:
    """Return the languages that the folder names, else all that its vocabulary has tokens for."""
    if config.languages is None:
        return tokenizer.all_language_codes if tokenizer.multilingual else ("en",)
    for code in config.languages:
        if code not in tokenizer.all_language_codes:
            raise ModelError(
                f"languages in {folder / 'config.json'} holds {code!r}, which is no language of Whisper's."
            )
    return config.languages


def _speed_up(model: Whisper) -> None:
    """Arrange weights for a CPU: the embedding row that unused tokens share is stored once."""
    if backend.on_gpu():
        return
    by_bytes = has_byte_products()
    embedding = model.decoder.token_embedding
    assert isinstance(embedding, nn.Embedding)
    if not by_bytes:  # else CpuVocabulary takes it as it is stored
        embedding.weight = embedding.weight.astype(mx.float32)
    compact = shared_rows(embedding.weight)
    if compact is not None:
        model.decoder.token_embedding = compact
    elif embedding.weight.dtype == mx.float16:
        model.decoder.token_embedding = HalfEmbedding(embedding.weight)
    for _, layer in model.named_modules():
        is_embedding = isinstance(layer, nn.Embedding | SharedRowEmbedding)
        if isinstance(layer, nn.Linear) or (is_embedding and not by_bytes):  # CpuVocabulary picks rows of the embedding
            store_transposed(layer)
            mx.eval(layer.weight)  # one by one, since all that waits is kept
    mx.eval(model.parameters(), model.encoder._positions)
    backend.release_unused()  # the matrices before they were transposed
    model.fast_encoder = CpuEncoder(model)
    if by_bytes:
        model.fast_decoder = CpuDecoder(model)
    backend.release_unused()


def heads_that_align(config: ModelConfig, name: str) -> tuple[tuple[int, int], ...] | None:
    """Return the (layer, head) pairs that the folder names, else the published ones of its shape; None for neither.

    `name` is the model's with its folder's, which may tell published models of one shape apart.
    """
    if config.alignment_heads is not None:
        return config.alignment_heads
    size = next(published_as(config.dims, name), None)
    return PUBLISHED[size].alignment_heads if size else None
