"""Whispers with random weights, written as model folders in the layouts that Earshot loads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx.utils import tree_flatten

from engine.hear.whisper.model import ModelDimensions, Whisper

TINY: dict[str, int] = {
    "n_mels": 80,
    "n_audio_ctx": 1500,
    "n_audio_state": 64,
    "n_audio_head": 2,
    "n_audio_layer": 2,
    "n_vocab": 51865,
    "n_text_ctx": 448,
    "n_text_state": 64,
    "n_text_head": 2,
    "n_text_layer": 2,
}
"""The published architecture with the multilingual vocabulary, small enough for a test."""


def random_weights(dims: Mapping[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    """Draw float32 weights under MLX names, scaled so that no layer is negligible and logits spread."""
    random = np.random.default_rng(seed)
    weights = {}
    for name, array in tree_flatten(Whisper(ModelDimensions(**dims)).parameters()):
        shape = array.shape
        if len(shape) == 1:
            centre = 1.0 if name.endswith("weight") else 0.0  # a layer norm's gain, or a bias
            drawn = centre + 0.1 * random.standard_normal(shape)
        else:
            drawn = random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
            drawn *= 3.0 if "token_embedding" in name else 1.5
        weights[name] = drawn.astype(np.float32)
    return weights


def write_random_model(folder: Path, dims: Mapping[str, int] | None = None, seed: int = 0, **config: object) -> Path:
    """Write a model folder in MLX's layout, with `config` added to its config.json; return the folder."""
    dims = dims or TINY
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: mx.array(array) for name, array in random_weights(dims, seed).items()}
    mx.save_safetensors(str(folder / "model.safetensors"), weights)
    (folder / "config.json").write_text(json.dumps({"model_type": "whisper", **dims, **config}))
    return folder
