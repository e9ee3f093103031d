"""Model folders to models that are ready to run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine import backend
from engine.errors import ModelError
from engine.hear.embedding import SharedRowEmbedding, shared_rows
from engine.hear.tokenizer import Tokenizer, load_tokenizer
from engine.hear.whisper import Whisper
from engine.models.catalogue import find_model
from engine.models.layout import ModelConfig, our_name, read_config, weight_files
from engine.models.published import PUBLISHED, published_as
from engine.models.weights import Weights, check_shapes, multiply_sooner, quantise_or_expand, read_weights

_FINGERPRINT_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class HearingModel:
    """A model that hears, loaded and evaluated, so that any thread may run it.

    Attributes:
        name: as asked for, or the folder's name.
        languages: codes it can be told or asked to detect.
        fingerprint: digest of the configuration and of a sample of the weights: tells trained models apart.
        takes_prompts: whether previous text helps it; one that was hardly taught to read it falls silent instead.
    """

    name: str
    folder: Path
    model: Whisper
    tokenizer: Tokenizer
    languages: tuple[str, ...]
    fingerprint: str
    takes_prompts: bool = True


def load_hearing_model(name_or_folder: str | Path = "starter") -> HearingModel:
    """Load a model by catalogue name, folder or cached repository. ModelError says what is wrong with it."""
    backend.prepare()
    name, folder = find_model(name_or_folder)
    config, weights = read_whisper(folder)
    model = Whisper(config.dims, heads_that_align(config, f"{name} {folder}"))
    weights = quantise_or_expand(model, weights, config.quantization, folder)
    check_shapes(model, weights, folder, "Whisper")
    model.load_weights(list(weights.items()))
    _speed_up(model)
    model.eval()
    model.freeze()
    mx.eval(model.parameters(), model.encoder._positions)
    tokenizer = load_tokenizer(model.num_languages, model.is_multilingual)
    languages = _languages(config, tokenizer, folder)
    fingerprint = fingerprint_of(folder)
    return HearingModel(name, folder, model, tokenizer, languages, fingerprint, config.takes_prompts)


def read_whisper(folder: Path) -> tuple[ModelConfig, Weights]:
    """Read what a folder says of its Whisper and the tensors under our names, quantised where they are stored so."""
    config = read_config(folder)
    weights = {
        tensor: _channels_last(array) if tensor.startswith("encoder.conv") else array
        for tensor, array in read_weights(weight_files(folder), our_name).items()
    }
    return config, weights


def _languages(config: ModelConfig, tokenizer: Tokenizer, folder: Path) -> tuple[str, ...]:
    """The languages the folder names, else all that its vocabulary has tokens for."""
    if config.languages is None:
        return tokenizer.all_language_codes if tokenizer.multilingual else ("en",)
    for code in config.languages:
        if code not in tokenizer.all_language_codes:
            raise ModelError(
                f"languages in {folder / 'config.json'} holds {code!r}, which is no language of Whisper's."
            )
    return config.languages


def _speed_up(model: Whisper) -> None:
    """Arrange weights for a CPU: one copy is kept of the embedding row that unused tokens share."""
    if backend.on_gpu():
        return
    compact = shared_rows(model.decoder.token_embedding.weight)
    if compact is not None:
        model.decoder.token_embedding = compact
    for _, layer in model.named_modules():
        if isinstance(layer, nn.Linear | nn.Embedding | SharedRowEmbedding):
            multiply_sooner(layer)


def _channels_last(array: mx.array) -> mx.array:
    """Bring a convolution (out, in, 3), as torch stores it, to (out, 3, in)."""
    return array.transpose(0, 2, 1) if array.ndim == 3 and array.shape[2] == 3 != array.shape[1] else array


def heads_that_align(config: ModelConfig, name: str) -> tuple[tuple[int, int], ...] | None:
    """Give the (layer, head) pairs that the folder names, else the published ones of its shape; None for neither.

    `name` is the model's with its folder's, which may tell published models of one shape apart.
    """
    if config.alignment_heads is not None:
        return config.alignment_heads
    size = next(published_as(config.dims, name), None)
    return PUBLISHED[size].alignment_heads if size else None


def fingerprint_of(folder: Path) -> str:
    """A model's fingerprint without loading it. ModelError if it is no model's folder."""
    return _fingerprint(folder, weight_files(folder))


def _fingerprint(folder: Path, files: list[Path]) -> str:
    """Digest the configuration, every header and some of the data: reading all of a large model takes seconds."""
    digest = hashlib.sha256((folder / "config.json").read_bytes())
    for path in files:
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        with path.open("rb") as file:
            for part in range(8):
                file.seek(part * max(0, size - _FINGERPRINT_BYTES) // 7)
                digest.update(file.read(_FINGERPRINT_BYTES))
    return digest.hexdigest()[:16]
