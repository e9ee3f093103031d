"""Tensors of a model folder's safetensors, converted to the names, types and shapes that a model computes with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten

from engine.errors import ModelError
from engine.machine import backend
from engine.weights.safetensors import ADVICE, read_header

Weights = dict[str, mx.array]
_STORED_TYPES = {"F32", "F16", "BF16", "U32", "U8"}  # the last two hold quantized weights and their scales
_MISFITS = (RuntimeError, ValueError, KeyError, TypeError)


def read_weights(files: list[Path], our_name: Callable[[str], str | None] = str) -> Weights:
    """Read the tensors under our names; `our_name` returns None for those that are not needed.

    Raises ModelError for a damaged file, or for a type that nothing here computes with.
    """
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
                weights[ours] = array
    return weights


def quantise_or_expand(
    model: nn.Module,
    weights: Weights,
    quantization: dict[str, Any] | None,
    folder: Path,
    *,
    halves: bool = False,
    as_stored: str = "",
) -> Weights:
    """Match model and weights: on a GPU the model's layers become quantized, on a CPU the weights are dequantized.

    `quantization` is MLX's entry in config.json, or None. `halves`: the model is known to compute well in float16, so
    that on a GPU float32 weights are stored in half the memory. `as_stored`: a tensor that stays in float16 on a CPU,
    too, if it is stored so.
    """
    if backend.on_gpu():
        settings = _quantised_layers(weights, quantization, folder)
        try:
            nn.quantize(model, class_predicate=lambda path, _: settings.get(path, False))
        except _MISFITS as error:
            raise ModelError(_misfit(folder, error)) from error
    else:
        weights = expanded(weights, quantization, folder)
        stays = weights.get(as_stored)
        if stays is not None and stays.dtype == mx.float16:
            return {name: _computed(array, halves) for name, array in weights.items()} | {as_stored: stays}
    return {name: _computed(array, halves) for name, array in weights.items()}


def expanded(weights: Weights, quantization: dict[str, Any] | None, folder: Path) -> Weights:
    """Dequantize weights. `quantization` is MLX's entry in config.json, or None."""
    plain = dict(weights)
    try:
        for path, how in _quantised_layers(weights, quantization, folder).items():
            scales, biases = plain.pop(f"{path}.scales"), plain.pop(f"{path}.biases", None)
            plain[f"{path}.weight"] = mx.dequantize(plain[f"{path}.weight"], scales, biases, **how)
    except _MISFITS as error:
        raise ModelError(_misfit(folder, error)) from error
    return plain


def _misfit(folder: Path, error: Exception) -> str:
    return f"The quantised weights in {folder} do not fit together ({error}). {ADVICE}"


def _quantised_layers(weights: Weights, quantization: dict[str, Any] | None, folder: Path) -> dict[str, dict[str, Any]]:
    """Return the settings of each layer whose weights are quantized."""
    layers = [name.removesuffix(".scales") for name in weights if name.endswith(".scales")]
    if layers and quantization is None:
        raise ModelError(f"{folder} holds quantised weights, but its config.json does not say how.")
    return {path: _settings(quantization or {}, path) for path in layers}


def _settings(quantization: dict[str, Any], path: str) -> dict[str, Any]:
    """Return group size, bits and mode of one module: its own entry in the configuration, or the common one."""
    own = quantization.get(path)
    chosen = own if isinstance(own, dict) else quantization
    return {key: chosen[key] for key in ("group_size", "bits", "mode") if key in chosen}


def _computed(array: mx.array, halves: bool) -> mx.array:
    """Convert a float weight to the type the model computes in; packed integers stay."""
    if not mx.issubdtype(array.dtype, mx.floating):
        return array
    return array.astype(backend.compute_dtype(array.dtype, halves=halves))


def check_shapes(model: nn.Module, weights: Weights, folder: Path, kind: str) -> None:
    """Compare the folder's tensors with those of the model that its config.json describes; `kind` is its name,
    "Whisper".
    """
    parameters = cast(list[tuple[str, mx.array]], tree_flatten(model.parameters()))
    expected = {name: array.shape for name, array in parameters}
    missing = sorted(expected.keys() - weights.keys())
    if missing:
        raise ModelError(f"{folder} lacks {len(missing)} of {len(expected)} tensors, {missing[0]} first. {ADVICE}")
    surplus = sorted(weights.keys() - expected.keys())
    if surplus:
        raise ModelError(f"{folder} holds {surplus[0]}, which is no part of the {kind} model in its config.json.")
    for name, shape in expected.items():
        if weights[name].shape != shape:
            held = tuple(weights[name].shape)
            raise ModelError(f"{name} in {folder} has the shape {held}; its config.json asks for {tuple(shape)}.")


def store_transposed(layer: nn.Module) -> None:
    """Store a matrix as the transpose that the product needs: the same numbers, multiplied faster on a CPU.

    With the few rows of a decoder step, BLAS is slower on the other order.
    """
    layer.weight = mx.contiguous(layer.weight.T).T
