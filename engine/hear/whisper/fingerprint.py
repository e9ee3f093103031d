"""Fingerprints: short digests that name the weights of a model, so that what was trained for them finds them again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import mlx.core as mx
import numpy as np

from engine.hear.whisper.files.stored import holds_whisper, open_whisper
from engine.hear.whisper.model import ModelDimensions
from engine.weights.model_folder import weight_files
from engine.weights.weights import Weights

DIGITS = 16
_SAMPLE_BYTES = 1024 * 1024
_SAMPLES = 8


def fingerprint_of(place: Path) -> str:
    """Give the fingerprint of a folder's or a file's model without loading it. ModelError if it holds none."""
    if not holds_whisper(place):
        return _file_fingerprint(place)
    stored = open_whisper(place)
    return whisper_fingerprint(stored.config.dims, stored.read(is_never_quantised))


def is_never_quantised(name: str) -> bool:
    """Tell whether every format keeps one of our tensors in half precision or better, however it was quantised."""
    return name.endswith((".bias", "ln.weight", "ln_post.weight")) or name == "decoder.positional_embedding"


def whisper_fingerprint(dims: ModelDimensions, weights: Weights) -> str:
    """Digest a Whisper's shape and those tensors that no quantiser touches: norms, biases and the decoder's positions.

    Rounded to float16 these are the same in every copy of a model, be it float32, float16, 8 bits or 4, and whichever
    program stored it; so are its hush word, its draft and its profile. The price: a model that was trained further
    and kept every norm, bias and position as published (as adapters merged into the matrices do) is taken for the
    original. A copy in bfloat16, which has fewer digits, counts as another model.
    """
    digest = hashlib.sha256(json.dumps(asdict(dims), sort_keys=True).encode())
    for name in sorted(filter(is_never_quantised, weights)):
        with np.errstate(invalid="ignore"):  # what is no number is refused later, with its name
            values = np.array(weights[name].astype(mx.float16)) + np.float16(0)  # one zero, not two
        digest.update(f"{name} {values.shape}".encode() + values.astype("<f2").tobytes())
    return digest.hexdigest()[:DIGITS]


def _file_fingerprint(folder: Path) -> str:
    """Digest a folder's configuration and, since reading all of a large model takes seconds, some of each file."""
    digest = hashlib.sha256((folder / "config.json").read_bytes())
    for path in weight_files(folder):
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        with path.open("rb") as file:
            for part in range(_SAMPLES):
                file.seek(part * max(0, size - _SAMPLE_BYTES) // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:DIGITS]
