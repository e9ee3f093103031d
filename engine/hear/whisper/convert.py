"""Conversion of Whisper models from any storage format to folders in MLX's layout: in float16, or quantized."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.errors import ModelError, OptionError
from engine.hear.whisper.files.layout import ModelConfig
from engine.hear.whisper.files.stored import open_whisper
from engine.hear.whisper.load import heads_that_align
from engine.hear.whisper.model import Whisper
from engine.machine import backend
from engine.models.catalogue import find_model
from engine.weights.safetensors import read_header
from engine.weights.weights import Weights, check_shapes, expanded

HALF_PRECISION = 16
WIDTHS = (HALF_PRECISION, 8, 6, 5, 4, 3, 2)
"""Available bits per weight: float16, and those of MLX's affine quantization."""
GROUP_SIZE = 64  # divides the width of every published Whisper, and is the default of MLX and mlx-community


@dataclass(frozen=True, slots=True)
class Conversion:
    """The result of a conversion.

    Attributes:
        name: name of the original model.
        folder: the new folder.
        bits: bits per quantized weight; 16 without quantization.
        size_bytes: size of the weights on the disk.
    """

    name: str
    folder: Path
    bits: int
    size_bytes: int


def convert_model(name_or_folder: str | Path, out: Path, bits: int) -> Conversion:
    """Write the Whisper model `name_or_folder` into the new folder `out`, with weights of `bits` bits.

    The matrices of the linear layers and the token embedding, which is also the output layer, are quantized: together
    more than nine tenths of a model. Convolutions, positions, norms and biases stay float16: they are small, their
    errors reach every frame or token, and no kernel multiplies them quantized. The folder appears completely or not at
    all.

    Raises:
        OptionError: there is no such width.
        ModelError: there is no such model, it is no Whisper or damaged, or `out` exists or cannot be written.
    """
    if bits not in WIDTHS:
        raise OptionError(f"Weights can have {', '.join(map(str, WIDTHS[:-1]))} or {WIDTHS[-1]} bits, not {bits}.")
    _refuse_what_is_there(out)
    backend.prepare()
    name, folder = find_model(name_or_folder)
    stored = open_whisper(folder)
    config, weights = stored.config, stored.weights()
    with mx.stream(mx.cpu):  # a GPU rounds differently; the result must not depend on the machine
        weights = _half(expanded(weights, config.quantization, folder))
        check_shapes(Whisper(config.dims), weights, folder, "Whisper")
        _refuse_non_finite(weights, folder)
        if bits != HALF_PRECISION:
            weights = _quantised(weights, bits)
        mx.eval(weights)
    described = _config(config, heads_that_align(config, f"{name} {folder}"), bits)
    _write(out, described, weights)
    return Conversion(name, out, bits, (out / "model.safetensors").stat().st_size)


def _refuse_what_is_there(out: Path) -> None:
    try:
        held = next(iter(sorted(out.iterdir())), None)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ModelError(f"{out} cannot be written to: {error.strerror}. Give a new folder.") from error
    if held is not None:
        raise ModelError(f"{out} holds {held.name} already. Give a new folder, or empty this one.")


def _half(weights: Weights) -> Weights:
    return {name: array.astype(mx.float16) for name, array in weights.items()}


def _refuse_non_finite(weights: Weights, folder: Path) -> None:
    for name, array in weights.items():
        if not mx.all(mx.isfinite(array)).item():
            raise ModelError(f"{name} in {folder} holds values that are not finite in float16.")


def _quantised(weights: Weights, bits: int) -> Weights:
    """Replace the matrices (rows, columns) of layers by packed codes, scales and biases, with the names of MLX's
    layers.
    """
    written = dict(weights)
    for name, array in weights.items():
        layer = name.removesuffix(".weight")
        if layer == name or array.ndim != 2:
            continue
        try:
            packed, scales, biases = mx.quantize(array, group_size=GROUP_SIZE, bits=bits)
        except ValueError as error:
            raise ModelError(f"{name} cannot be quantised to {bits} bits: {error}.") from error
        written |= {name: packed, f"{layer}.scales": scales, f"{layer}.biases": biases}
    return written


def _config(config: ModelConfig, heads: tuple[tuple[int, int], ...] | None, bits: int) -> dict[str, Any]:
    described: dict[str, Any] = {"model_type": "whisper", **asdict(config.dims)}
    if heads is not None:
        described["alignment_heads"] = [list(pair) for pair in heads]
    if config.languages is not None:
        described["languages"] = list(config.languages)
    if not config.takes_prompts:
        described["takes_prompts"] = False
    if bits != HALF_PRECISION:
        described["quantization"] = {"group_size": GROUP_SIZE, "bits": bits}
    return described


def _write(out: Path, config: dict[str, Any], weights: Weights) -> None:
    """Write a temporary folder, and rename it when it is complete."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=out.parent, prefix=f"{out.name}.", suffix=".partial"))
        try:
            file = partial / "model.safetensors"
            mx.save_safetensors(str(file), weights, {"format": "mlx"})
            read_header(file)  # a full disk truncates it
            file.chmod(0o644)
            (partial / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
            partial.chmod(0o755)
            partial.rename(out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    except (OSError, RuntimeError) as error:
        raise ModelError(f"{out} cannot be written: {getattr(error, 'strerror', None) or error}.") from error
