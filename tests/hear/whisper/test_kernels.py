"""The polynomial functions that a CPU runs equal the exact ones."""

from __future__ import annotations

import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

from engine.hear.whisper.kernels import (
    attention,
    attention_of_products,
    causal_attention,
    exp2_of_products,
    gelu,
    gelu_of_products,
    silu,
    silu_of_products,
    softmax,
    softmax_of_products,
)


def test_gelu_is_within_a_millionth_of_the_exact_function() -> None:
    x = np.linspace(-12, 12, 20_001, dtype=np.float32)
    exact = [value * 0.5 * math.erfc(-value / math.sqrt(2)) for value in x.tolist()]
    np.testing.assert_allclose(np.array(gelu_of_products(mx.array(x))), exact, atol=2e-6, rtol=1e-6)


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.float32])
@pytest.mark.parametrize("count", [10, 10_000])
def test_off_a_gpu_no_activation_is_compiled_whatever_its_type(
    monkeypatch: pytest.MonkeyPatch, dtype: mx.Dtype, count: int
) -> None:
    x = mx.linspace(-6, 6, count).astype(dtype)
    expected = nn.gelu(x), nn.silu(x)

    def refuse(x: mx.array) -> mx.array:
        raise AssertionError("a Mac would look for a C++ compiler")

    monkeypatch.setattr(nn, "gelu", refuse)
    monkeypatch.setattr(nn, "silu", refuse)
    for made, wanted in zip((gelu(x), silu(x)), expected, strict=True):
        assert made.dtype == dtype
        assert mx.allclose(made.astype(mx.float32), wanted.astype(mx.float32), atol=1e-2 if count == 10 else 2e-2)


def test_gelu_of_extreme_values_is_zero_or_the_value() -> None:
    extreme = mx.array([-1e30, -1e4, -30.0, -0.0, 0.0, 30.0, 1e4, 1e30])
    assert gelu_of_products(extreme).tolist() == pytest.approx([0, 0, 0, 0, 0, 30.0, 1e4, 1e30])


def test_gradients_are_those_of_the_exact_functions() -> None:
    x = mx.array([-1e4, -40.0, -3.0, -0.5, 0.7, 2.0, 40.0, 1e4])
    assert mx.allclose(
        mx.grad(lambda x: gelu_of_products(x).sum())(x), mx.grad(lambda x: nn.gelu(x).sum())(x), atol=1e-5
    )
    assert mx.allclose(
        mx.grad(lambda x: silu_of_products(x).sum())(x), mx.grad(lambda x: nn.silu(x).sum())(x), atol=1e-5
    )
    x = -mx.abs(x)[1:-1] / 4
    exact = mx.grad(lambda x: mx.exp(x * math.log(2)).sum())(x)
    assert mx.allclose(mx.grad(lambda x: exp2_of_products(x).sum())(x), exact, atol=1e-4)


@pytest.mark.parametrize("shape", [(1, 5, 8), (1, 40, 768)])
def test_gelu_of_few_and_of_many_values_is_the_same_function(shape: tuple[int, ...]) -> None:
    x = mx.random.normal(shape, key=mx.random.key(1)) * 3
    assert mx.allclose(gelu(x), nn.gelu(x), atol=2e-6)


def test_powers_of_two_are_within_three_millionths() -> None:
    x = -np.abs(np.random.default_rng(0).normal(0, 30, 20_000)).astype(np.float32).clip(-125, 0)
    np.testing.assert_allclose(np.array(exp2_of_products(mx.array(x))), np.exp2(x.astype(np.float64)), rtol=4e-6)
    assert exp2_of_products(mx.array([-1e9, -200.0])).max().item() < 1e-37
    assert exp2_of_products(mx.array([0.0])).item() == pytest.approx(1.0, abs=2e-6)


@pytest.mark.parametrize(
    ("count", "length", "spread"), [(1, 3, 1.0), (700, 700, 1.0), (333, 1500, 30.0), (40, 50, 300.0)]
)
def test_attention_equals_the_fast_one_for_mild_and_for_sharp_scores(count: int, length: int, spread: float) -> None:
    keys = mx.random.split(mx.random.key(2), 3)
    query = mx.random.normal((1, 3, count, 64), key=keys[0]) * spread
    key, value = mx.random.normal((1, 3, length, 64), key=keys[1]), mx.random.normal((1, 3, length, 64), key=keys[2])
    plain = mx.fast.scaled_dot_product_attention(query, key, value, scale=0.125)
    assert mx.allclose(attention_of_products(query, key, value, 0.125), plain, atol=2e-4 if spread > 1 else 1e-5)
    assert mx.allclose(attention(query, key, value, 0.125), plain, atol=2e-4 if spread > 1 else 1e-5)


def test_silu_is_within_three_millionths_of_the_exact_function() -> None:
    x = np.concatenate([np.linspace(-90, 90, 20_001), [-1e30, -1e4, 1e4, 1e30]]).astype(np.float32)
    exact = [float(value) / (1 + math.exp(-max(value, -700.0))) for value in x.tolist()]
    np.testing.assert_allclose(np.array(silu_of_products(mx.array(x))), exact, atol=1e-5, rtol=4e-6)


@pytest.mark.parametrize("shape", [(1, 5, 8), (1, 40, 768)])
def test_silu_and_softmax_of_few_and_of_many_values_are_the_same_functions(shape: tuple[int, ...]) -> None:
    x = mx.random.normal(shape, key=mx.random.key(1)) * 3
    assert mx.allclose(silu(x), nn.silu(x), atol=2e-5)
    assert mx.allclose(softmax(x), mx.softmax(x, axis=-1), atol=1e-6)
    assert mx.allclose(softmax_of_products(x), mx.softmax(x, axis=-1), atol=1e-6)


def test_softmax_leaves_no_weight_to_what_is_hidden() -> None:
    weights = softmax_of_products(mx.array([[3.0, -1e9, 3.0], [-1e9, -1e9, -5.0]]))
    assert weights.tolist() == [pytest.approx([0.5, 0, 0.5]), pytest.approx([0, 0, 1])]


@pytest.mark.parametrize(("count", "length", "spread"), [(1, 3, 1.0), (7, 7, 1.0), (500, 500, 30.0), (65, 300, 1.0)])
def test_causal_attention_sees_nothing_that_comes_later(count: int, length: int, spread: float) -> None:
    keys = mx.random.split(mx.random.key(3), 3)
    query = mx.random.normal((1, 8, count, 32), key=keys[0]) * spread
    key, value = mx.random.normal((1, 8, length, 32), key=keys[1]), mx.random.normal((1, 8, length, 32), key=keys[2])
    plain = mx.fast.scaled_dot_product_attention(query, key, value, scale=0.2, mask="causal")
    tolerance = 2e-4 if spread > 1 else 1e-5
    assert mx.allclose(causal_attention(query, key, value, 0.2), plain, atol=tolerance)
    assert mx.allclose(attention_of_products(query, key, value, 0.2, causal=True), plain, atol=tolerance)
