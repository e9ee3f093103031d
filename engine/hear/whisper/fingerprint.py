"""Fingerprints: short digests of a model's weights, by which files that belong to it are found."""

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
from engine.weights.storage import gguf_in, marian_files
from engine.weights.weights import Weights

DIGITS = 16
_SAMPLE_BYTES = 1024 * 1024
_SAMPLES = 8


def fingerprint_of(place: Path) -> str:
    """Return the fingerprint of a folder's or file's model without loading it. Raises ModelError if it holds none."""
    if gguf_in(place) or not holds_whisper(place):
        return _file_fingerprint(place)
    stored = open_whisper(place)
    return whisper_fingerprint(stored.config.dims, stored.read(is_never_quantised))


def is_never_quantised(name: str) -> bool:
    """Return whether every quantization keeps one of our tensors in half precision or better."""
    return name.endswith((".bias", "ln.weight", "ln_post.weight")) or name == "decoder.positional_embedding"


def whisper_fingerprint(dims: ModelDimensions, weights: Weights) -> str:
    """Return a digest of a Whisper's shape and the tensors that are never quantized: norms, biases, decoder
    positions.

    Rounded to float16 these are the same in every copy of a model, in float32, float16, 8 bits or 4, by any program; so
    hush word, draft and profile are found for all copies. The price: a model that was fine-tuned but kept every norm,
    bias and position (as adapters merged into the matrices do) is mistaken for the original. A copy in bfloat16, which
    has less precision, counts as another model.
    """
    digest = hashlib.sha256(json.dumps(asdict(dims), sort_keys=True).encode())
    for name in sorted(filter(is_never_quantised, weights)):
        with np.errstate(invalid="ignore"):  # non-finite values are refused later, by name
            values = np.array(weights[name].astype(mx.float16)) + np.float16(0)  # one zero, not two
        digest.update(f"{name} {values.shape}".encode() + values.astype("<f2").tobytes())
    return digest.hexdigest()[:DIGITS]


def _file_fingerprint(place: Path) -> str:
    """Digest a model's configuration and, since reading a large model takes seconds, samples of each file."""
    gguf = gguf_in(place)
    complete = [gguf] if gguf else marian_files(place)
    digest = hashlib.sha256(b"" if complete else (place / "config.json").read_bytes())
    for path in complete or weight_files(place):
        size = path.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        with path.open("rb") as file:
            for part in range(_SAMPLES):
                file.seek(part * max(0, size - _SAMPLE_BYTES) // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:DIGITS]
