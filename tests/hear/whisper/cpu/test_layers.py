"""The layers in numpy compute what those of MLX do."""

from __future__ import annotations

import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.hear.whisper.cpu.layers import ROWS_AT_ONCE, Norm, attention, gelu, in_blocks


def test_gelu_is_right_for_numbers_of_any_size() -> None:
    x = np.concatenate([np.linspace(-12, 12, 100_000), [-1e4, -50, 50, 1e4, 0, 0, 0, 0]]).astype(np.float32)
    exact = [one * (1 + math.erf(one / math.sqrt(2))) / 2 for one in x.tolist()]
    np.testing.assert_allclose(gelu(x.reshape(-1, 8).copy()).reshape(-1), exact, atol=2e-6)


def test_rows_are_normed_as_by_mlx() -> None:
    layer = nn.LayerNorm(96)
    generator = np.random.default_rng(0)
    layer.weight, layer.bias = (mx.array(generator.normal(size=96).astype(np.float32)) for _ in range(2))
    mx.eval(layer.weight, layer.bias)
    rows = (generator.normal(size=(7, 96)) * 10.0 ** np.arange(-3, 4)[:, None] + 2).astype(np.float32)
    np.testing.assert_allclose(Norm(layer)(rows), np.array(layer(mx.array(rows))), atol=2e-3, rtol=1e-4)


def test_each_head_attends_with_its_part() -> None:
    heads, width = 3, 8
    generator = np.random.default_rng(1)
    query, keys, values = (generator.normal(size=(n, heads * width)).astype(np.float32) for n in (5, 7, 7))
    split = [mx.array(x.reshape(1, -1, heads, width)).swapaxes(1, 2) for x in (query, keys, values)]
    wanted = mx.fast.scaled_dot_product_attention(*split, scale=width**-0.5).swapaxes(1, 2)
    np.testing.assert_allclose(attention(query, keys, values, heads), np.array(wanted).reshape(5, -1), atol=1e-5)


def test_blocks_of_rows_are_all_rows_in_their_order() -> None:
    x = np.arange(2 * (2 * ROWS_AT_ONCE + 3), dtype=np.float32).reshape(-1, 2)
    seen = []
    np.testing.assert_array_equal(in_blocks(lambda rows: seen.append(len(rows)) or rows + 1, x), x + 1)
    assert seen == [ROWS_AT_ONCE, ROWS_AT_ONCE, 3]
