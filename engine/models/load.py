"""Model folders to models that are ready to run."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine import backend
from engine.errors import ModelError
from engine.hear.embedding import SharedRowEmbedding, shared_rows
from engine.hear.tokenizer import Tokenizer, load_tokenizer
from engine.hear.whisper import Whisper
from engine.models.catalogue import find_model
from engine.models.layout import ModelConfig, our_name, read_config, weight_files
from engine.models.published import PUBLISHED, published_as
from engine.models.safetensors import ADVICE, read_header

Weights = dict[str, mx.array]
_STORED_TYPES = {"F32", "F16", "BF16", "U32", "U8"}  # the last two hold quantised weights and their scales
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
    config = read_config(folder)
    files = weight_files(folder)
    weights = _read_weights(files)
    model = Whisper(config.dims, _alignment_heads(config, f"{name} {folder}"))
    weights = _quantise_or_expand(model, weights, config, folder)
    _check_shapes(model, weights, folder)
    model.load_weights(list(weights.items()))
    _speed_up(model)
    model.eval()
    model.freeze()
    mx.eval(model.parameters(), model.encoder._positions)
    tokenizer = load_tokenizer(model.num_languages, model.is_multilingual)
    languages = _languages(config, tokenizer, folder)
    fingerprint = _fingerprint(folder, files)
    return HearingModel(name, folder, model, tokenizer, languages, fingerprint, config.takes_prompts)


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
    """Arrange weights for a CPU: the same numbers, sooner multiplied.

    One copy is kept of the embedding row that unused tokens share, and every matrix is stored as the transpose that
    the product wants: with the few rows of a decoder step, BLAS loses a third of its time on the other order.
    """
    if backend.on_gpu():
        return
    compact = shared_rows(model.decoder.token_embedding.weight)
    if compact is not None:
        model.decoder.token_embedding = compact
    for _, layer in model.named_modules():
        if isinstance(layer, nn.Linear | nn.Embedding | SharedRowEmbedding):
            layer.weight = mx.contiguous(layer.weight.T).T


def _read_weights(files: list[Path]) -> Weights:
    """Read the tensors under our names, convolutions in MLX's order of axes."""
    weights = {}
    for file in files:
        for name, info in read_header(file).items():
            if info.dtype not in _STORED_TYPES and our_name(name) is not None:
                raise ModelError(f"{file} stores {name} as {info.dtype}, which is no type that Earshot computes with.")
        try:
            stored = mx.load(str(file))
        except (RuntimeError, ValueError) as error:
            raise ModelError(f"{file} is damaged ({error}). {ADVICE}") from error
        assert isinstance(stored, dict)
        for name, array in stored.items():
            ours = our_name(name)
            if ours is not None:
                weights[ours] = _channels_last(array) if ours.startswith("encoder.conv") else array
    return weights


def _channels_last(array: mx.array) -> mx.array:
    """Bring a convolution (out, in, 3), as torch stores it, to (out, 3, in)."""
    return array.transpose(0, 2, 1) if array.ndim == 3 and array.shape[2] == 3 != array.shape[1] else array


def _alignment_heads(config: ModelConfig, name: str) -> tuple[tuple[int, int], ...] | None:
    if config.alignment_heads is not None:
        return config.alignment_heads
    size = next(published_as(config.dims, name), None)
    return PUBLISHED[size].alignment_heads if size else None


def _quantise_or_expand(model: Whisper, weights: Weights, config: ModelConfig, folder: Path) -> Weights:
    """Make model and weights meet: on a GPU the model's layers become quantised, on a CPU the weights become plain."""
    quantised = [name.removesuffix(".scales") for name in weights if name.endswith(".scales")]
    if quantised and config.quantization is None:
        raise ModelError(f"{folder} holds quantised weights, but its config.json does not say how.")
    settings = {path: _settings(config.quantization or {}, path) for path in quantised}
    try:
        if backend.on_gpu():
            nn.quantize(model, class_predicate=lambda path, _: settings.get(path, False))
        else:
            weights = _expanded(weights, settings)
    except (RuntimeError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"The quantised weights in {folder} do not fit together ({error}). {ADVICE}") from error
    return {name: _computed(array) for name, array in weights.items()}


def _settings(quantization: dict[str, Any], path: str) -> dict[str, Any]:
    """Group size, bits and mode of one module: its own entry in the configuration, or the common one."""
    own = quantization.get(path)
    chosen = own if isinstance(own, dict) else quantization
    return {key: chosen[key] for key in ("group_size", "bits", "mode") if key in chosen}


def _expanded(weights: Weights, settings: dict[str, dict[str, Any]]) -> Weights:
    plain = dict(weights)
    for path, how in settings.items():
        scales, biases = plain.pop(f"{path}.scales"), plain.pop(f"{path}.biases", None)
        plain[f"{path}.weight"] = mx.dequantize(plain[f"{path}.weight"], scales, biases, **how)
    return plain


def _computed(array: mx.array) -> mx.array:
    """Bring a float weight to the type the model computes in; packed integers stay."""
    return array.astype(backend.compute_dtype(array.dtype)) if mx.issubdtype(array.dtype, mx.floating) else array


def _check_shapes(model: Whisper, weights: Weights, folder: Path) -> None:
    """Compare what the folder holds with what its config.json describes."""
    parameters = cast(list[tuple[str, mx.array]], tree_flatten(model.parameters()))
    expected = {name: array.shape for name, array in parameters}
    missing = sorted(expected.keys() - weights.keys())
    if missing:
        raise ModelError(f"{folder} lacks {len(missing)} of {len(expected)} tensors, {missing[0]} first. {ADVICE}")
    surplus = sorted(weights.keys() - expected.keys())
    if surplus:
        raise ModelError(f"{folder} holds {surplus[0]}, which is no part of the Whisper model in its config.json.")
    for name, shape in expected.items():
        if weights[name].shape != shape:
            held = tuple(weights[name].shape)
            raise ModelError(f"{name} in {folder} has the shape {held}; its config.json asks for {tuple(shape)}.")


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
