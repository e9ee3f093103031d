"""Draft networks with random weights, for models with random weights."""

from __future__ import annotations

import numpy as np

from engine.hear.whisper.encoder_draft import DraftShape, EncoderDraft, expected_shapes

PIECES = (*(bytes([byte]) for byte in range(256)), b" the", b" and")


def random_draft(features: int, seed: int = 0) -> EncoderDraft:
    """Make a network for an encoder of so many states."""
    shape = DraftShape(features, states=24, layers=2, width=5, pieces=len(PIECES))
    random = np.random.default_rng(seed)
    weights = {name: random.normal(0, 0.3, size).astype(np.float32) for name, size in expected_shapes(shape).items()}
    return EncoderDraft(shape, PIECES, weights)
