"""Products with weights in bytes are near those of float32, and say how near."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.machine.byte_products import (
    BoundedByteMatrix,
    byte_product,
    fine_layer,
    has_byte_products,
    rough_layer,
    signs_overflow,
    to_bytes,
)
from engine.machine.onnx_operations import Graph

pytestmark = pytest.mark.skipif(not has_byte_products(), reason="bytes are multiplied on Linux only")


def numbers(rows: int, columns: int, seed: int) -> np.ndarray:
    """Random rows of very different size, some of zeros."""
    generator = np.random.default_rng(seed)
    made = generator.normal(size=(rows, columns)) * 10.0 ** generator.integers(-3, 3, size=(rows, 1))
    made[:: max(2, rows // 3)] = 0
    return made.astype(np.float32)


def rough(weight: np.ndarray, bias: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    graph = Graph(x=np.float32)
    return graph.function(rough_layer(graph, "x", weight, bias))


def test_two_bytes_hold_a_number_to_half_of_a_32385th_of_the_largest() -> None:
    x = numbers(40, 64, 0)
    x[:, 0] = -np.abs(x).max(axis=1)
    x[:, 1] = -x[:, 0]
    restored = byte_product(*to_bytes(np.eye(64, dtype=np.float32)))(x)
    assert np.all(np.abs(restored - x) <= np.abs(x).max(axis=1, keepdims=True) * (0.5 / (127 * 255) + 1e-6))


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_only_the_weights_are_rounded_to_a_byte(rows: int) -> None:
    x, weight = numbers(rows + 1, 192, 1), numbers(301, 192, 2)
    coded, steps = to_bytes(weight)
    assert np.all(np.abs(coded * steps - weight) <= np.abs(weight).max(axis=1, keepdims=True) * (0.5 / 127 + 1e-6))
    exact = x.astype(np.float64) @ (coded * steps).T
    sizes = np.linalg.norm(x, axis=1, keepdims=True) * np.linalg.norm(weight, axis=1)
    product = byte_product(coded, steps)
    assert np.all(np.abs(product(x) - exact) <= 1e-4 * sizes)
    np.testing.assert_array_equal(product(x), np.concatenate([product(row[None]) for row in x]))


def test_a_fine_layer_is_the_product_and_its_bias() -> None:
    x, weight, bias = numbers(4, 96, 9), numbers(20, 96, 10), numbers(1, 20, 11)[0]
    graph = Graph(x=np.float32)
    layer = graph.function(fine_layer(graph, "x", weight, bias))
    np.testing.assert_array_equal(layer(x), byte_product(*to_bytes(weight))(x) + bias)


def test_no_product_is_wrong_by_more_than_it_says() -> None:
    x, weight = numbers(7, 192, 3), numbers(301, 192, 4)
    exact = x.astype(np.float64) @ weight.T
    found, most = BoundedByteMatrix([weight[:100], weight[100:]]).bounded_product(x)
    sizes = np.linalg.norm(x, axis=1, keepdims=True) * np.linalg.norm(weight, axis=1)
    assert np.all(np.abs(found - exact) <= most + 1e-4 * sizes)
    assert np.all(most <= 0.03 * sizes)


@pytest.mark.parametrize("signed", [True, False])
def test_products_of_the_largest_bytes_are_exact(monkeypatch: pytest.MonkeyPatch, signed: bool) -> None:
    if signed and signs_overflow():
        pytest.skip("this processor's sums of bytes with a sign overflow")
    monkeypatch.setattr("engine.machine.byte_products.signs_overflow", lambda: not signed)
    weight = np.full((40, 192), 1, np.float32) * np.where(np.arange(40) % 2, 1, -1)[:, None].astype(np.float32)
    x = np.full((3, 192), 1, np.float32)
    exact = x @ weight.T
    np.testing.assert_allclose(byte_product(*to_bytes(weight))(x), exact, rtol=1e-5)
    np.testing.assert_allclose(rough(weight, np.zeros(40, np.float32))(x), exact, rtol=1e-5)


@pytest.mark.parametrize("rows", [1, 3, 40])
def test_a_rough_layer_rounds_rows_and_weights_to_bytes(rows: int) -> None:
    x, weight, bias = numbers(rows + 1, 192, 6), numbers(301, 192, 7), numbers(1, 301, 8)[0]
    (coded, steps), (rounded, units) = to_bytes(weight), to_bytes(x)
    exact = (rounded.astype(np.int64) @ coded.T.astype(np.int64)) * units.astype(np.float64) * steps[:, 0] + bias
    np.testing.assert_allclose(rough(weight, bias)(x), exact, rtol=1e-5, atol=1e-6 * np.abs(exact).max())
