"""Whisper models on the disk in any format: their configuration, and their tensors by our names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from engine.errors import ModelError
from engine.hear.whisper.files.layout import ModelConfig, our_name, pairs_of_heads, read_config
from engine.hear.whisper.files.other_layouts import (
    ctranslate2_dimensions,
    ctranslate2_weights,
    ggml_dimensions,
    ggml_weights,
)
from engine.hear.whisper.model import ModelDimensions
from engine.weights import ctranslate2, ggml
from engine.weights.model_folder import read_json, weight_files
from engine.weights.storage import CTRANSLATE2_FILE, first_bytes, ggml_files, storage_of
from engine.weights.weights import Weights, read_weights

_WHISPER_FIELDS = ("n_mels", "num_mel_bins")  # in a config.json without a model type


@dataclass(frozen=True, slots=True)
class StoredWhisper:
    """A Whisper model on the disk, of which only the lists were read.

    Attributes:
        place: the folder, or whisper.cpp's file.
        config: its configuration.
        read: returns its wanted tensors, by name, quantized if MLX stores them so. Raises ModelError for damaged ones.
    """

    place: Path
    config: ModelConfig
    read: Callable[[Callable[[str], bool]], Weights]

    def weights(self) -> Weights:
        """Read all tensors. Raises ModelError for damaged ones."""
        return self.read(lambda name: True)


def holds_whisper(place: Path) -> bool:
    """Return whether a folder or file holds a Whisper rather than another model. Raises ModelError for neither."""
    if storage_of(place) == "marian":
        return False
    if storage_of(place) in ("ctranslate2", "ggml"):
        return True
    if place.is_file():
        raise ModelError(no_model_file(place))
    config = read_json(place / "config.json")
    kind = config.get("model_type")
    return kind == "whisper" or (kind is None and any(field in config for field in _WHISPER_FIELDS))


def open_whisper(place: Path) -> StoredWhisper:
    """Read the lists of a folder or file, without reading tensors.

    Raises:
        ModelError: it holds no Whisper model that Earshot reads, or one that is cut off or damaged.
    """
    storage = storage_of(place)
    if storage == "ctranslate2":
        return _open_ctranslate2(place)
    if storage == "ggml":
        return _open_ggml(place)
    if place.is_file():
        raise ModelError(no_model_file(place))
    return _open_safetensors(place)


def no_model_file(path: Path) -> str:
    """Return a sentence about what to use instead of a file that is no model."""
    what = "a GGUF file" if first_bytes(path, 4) == b"GGUF" else "a file"
    return (
        f"{path} is {what}. Give the folder that holds config.json and model.safetensors, or a model of whisper.cpp's, "
        "such as ggml-base.bin."
    )


def _open_safetensors(folder: Path) -> StoredWhisper:
    config = read_config(folder)
    files = weight_files(folder)

    def read(wanted: Callable[[str], bool]) -> Weights:
        stored = read_weights(files, our_name)  # MLX reads arrays when they are used
        return {name: _arranged(name, array) for name, array in stored.items() if wanted(name)}

    return StoredWhisper(folder, config, read)


def _open_ctranslate2(folder: Path) -> StoredWhisper:
    file = ctranslate2.read_list(folder / CTRANSLATE2_FILE)
    dims = ctranslate2_dimensions(file)
    path = folder / "config.json"
    said = read_json(path) if path.is_file() else {}

    def read(wanted: Callable[[str], bool]) -> Weights:
        stored = ctranslate2_weights(file, dims, wanted)
        return {name: _arranged(name, array) for name, array in stored.items()}

    return StoredWhisper(folder, _config(dims, said, folder), read)


def _open_ggml(place: Path) -> StoredWhisper:
    files = ggml_files(place)
    if len(files) > 1:
        named = ", ".join(path.name for path in files)
        raise ModelError(f"{place} holds {len(files)} models of whisper.cpp's: {named}. Give one of these files.")
    file = ggml.read_list(files[0])
    dims = ggml_dimensions(file)

    def read(wanted: Callable[[str], bool]) -> Weights:
        return {name: _arranged(name, array) for name, array in ggml_weights(file, wanted).items()}

    return StoredWhisper(place, _config(dims, {}, place), read)


def _config(dims: ModelDimensions, said: dict[str, Any], place: Path) -> ModelConfig:
    heads = pairs_of_heads(said.get("alignment_heads"), dims, place)
    return ModelConfig(dims, quantization=None, alignment_heads=heads, languages=None, takes_prompts=True)


def _arranged(name: str, array: mx.array) -> mx.array:
    """Convert a convolution (out, in, 3), as torch stores it, to (out, 3, in); all else stays."""
    torch_order = name.startswith("encoder.conv") and array.ndim == 3 and array.shape[2] == 3 != array.shape[1]
    return array.transpose(0, 2, 1) if torch_order else array
