"""The layers in numpy compute what those of MLX do."""

from __future__ import annotations

import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.hear.whisper.cpu.layers import BLOCK_ELEMENTS, Norm, gelu


def test_gelu_is_right_for_numbers_of_any_size() -> None:
    x = np.concatenate([np.linspace(-12, 12, 2 * BLOCK_ELEMENTS), [-1e4, -50, 50, 1e4, 0, 0, 0, 0]]).astype(np.float32)
    exact = [one * (1 + math.erf(one / math.sqrt(2))) / 2 for one in x.tolist()]
    np.testing.assert_allclose(gelu(x.reshape(-1, 8).copy()).reshape(-1), exact, atol=4e-6)


def test_rows_are_normed_as_by_mlx() -> None:
    layer = nn.LayerNorm(96)
    generator = np.random.default_rng(0)
    layer.weight, layer.bias = (mx.array(generator.normal(size=96).astype(np.float32)) for _ in range(2))
    mx.eval(layer.weight, layer.bias)
    rows = (generator.normal(size=(7, 96)) * 10.0 ** np.arange(-3, 4)[:, None] + 2).astype(np.float32)
    np.testing.assert_allclose(Norm(layer)(rows), np.array(layer(mx.array(rows))), atol=2e-3, rtol=1e-4)
