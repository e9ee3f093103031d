"""Matrix products with 8-bit weights, because a product with few rows spends most of its time on reading memory.

A decoder step multiplies one to eight rows by every matrix of the model. In float32 that takes as long as reading the
matrices does. 8-bit weights are a quarter of the bytes, and processors multiply them several times faster. ONNX Runtime
provides the product of bytes for the instructions the processor has.

Shapes: m rows, k columns that are summed over, n outputs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.machine.onnx_operations import MICROSOFT, Graph

Array = NDArray[np.float32]
Bytes = NDArray[np.int8]
Unsigned = NDArray[np.uint8]

ZERO = 128
"""The number that turns a byte with a sign into one without when it is added."""

LARGEST = 127
SECOND = 255
"""Ratio of the units of a number's first and second byte: what the first one leaves fits in the second."""

_ONE, _SECOND = (np.array(one, np.float32) for one in (1, SECOND))
_ZERO = np.array(ZERO, np.uint8)

_SMALLEST = np.finfo(np.float32).tiny


@cache
def has_byte_products() -> bool:
    """Return whether int8 products are used: on Linux, where MLX has no GPU."""
    return sys.platform == "linux"


@cache
def signs_overflow() -> bool:
    """Return whether this processor sums products of bytes with a sign in pairs, for which its 16 bits are too few.

    AVX2 does. There weights have no sign: somewhat slower, and exact.
    """
    weight = np.full((1, 64), LARGEST, np.int8)
    multiply = _multiplier(weight, np.ones((1, 1), np.float32), signed=True)
    return bool(multiply(np.full((1, 64), 255, np.uint8)).item() != weight.sum(dtype=int) * (255 - ZERO))


def byte_product(coded: Bytes, steps: Array) -> Callable[[Array], Array]:
    """Return the product of rows (m, k), rounded to two bytes, with weights (n, k) in bytes and their scales (n, 1).

    The result of a row does not depend on the number of rows: a block of tokens gives the same as one token at a time.
    """
    graph = Graph(x=np.float32)
    return graph.function(_fine_product(graph, "x", coded, steps))


class BoundedByteMatrix:
    """A matrix of 8-bit weights whose products come with an error bound."""

    def __init__(self, blocks: Iterable[Array]) -> None:
        """Quantize and store a weight (n, k), given in blocks of rows, so that little of it is in memory at a time."""
        parts = []
        for block in blocks:
            coded, steps = to_bytes(block)
            stored = coded * steps
            parts.append((coded, steps, _lengths(stored), _lengths(block - stored)))
        codes, scales, lengths, errors = map(list, zip(*parts, strict=True))
        self._lengths: Array = np.concatenate(lengths)[:, 0]
        self._errors: Array = np.concatenate(errors)[:, 0]
        coded = np.concatenate(codes)
        del parts, codes, block  # the bytes are stored once more, and would be in memory three times
        self._multiply = _multiplier(coded, np.concatenate(scales), signed=not signs_overflow())

    def bounded_product(self, x: Array) -> tuple[Array, Array]:
        """Multiply rows x (m, k), rounded to bytes: (m, n), and a bound of each result's error (m, n)."""
        coded, steps = to_bytes(x)
        # Cauchy-Schwarz: the rounding of the weights, and of the row with the largest relative rounding.
        lengths = _lengths(x)
        share = np.float32(np.max(_lengths(x - coded * steps) / np.maximum(lengths, _SMALLEST), initial=0))
        result = self._multiply(_without_sign(coded))
        result *= steps
        return result, lengths * (self._errors + share * self._lengths)


def fine_layer(graph: Graph, x: str, weight: Array, bias: Array) -> str:
    """Add a linear layer with weight (n, k) for rows x (m, k), which are rounded to two bytes, the weight to one."""
    return graph.add("Add", _fine_product(graph, x, *to_bytes(weight)), bias)


def rough_layer(graph: Graph, x: str, weight: Array, bias: Array) -> str:
    """Add a linear layer with weight (n, k) for many rows x (m, k): both are rounded to bytes."""
    numbers, units = _in_units(graph, x, LARGEST)
    coded = graph.add("QuantizeLinear", numbers, _ONE, _ZERO)
    product = _product(graph, coded, *to_bytes(weight), signed=not signs_overflow())
    return graph.add("Add", graph.add("Mul", product, units), bias)


def to_bytes(x: Array) -> tuple[Bytes, Array]:
    """Quantize rows x (m, k) to bytes (m, k) and scales (m, 1), whose product is nearly x."""
    steps = _steps(x, LARGEST)
    return np.rint(x / steps).astype(np.int8, order="C"), steps


def _fine_product(graph: Graph, x: str, coded: Bytes, steps: Array) -> str:
    """Add the product of rows x (m, k), rounded to two bytes, with quantized weights (n, k)."""
    numbers, units = _in_units(graph, x, LARGEST * SECOND)
    first = graph.add("QuantizeLinear", numbers, _SECOND, _ZERO)
    rest = graph.add("Sub", numbers, graph.add("DequantizeLinear", first, _SECOND, _ZERO))
    second = graph.add("QuantizeLinear", rest, _ONE, _ZERO)
    both = graph.add("Concat", first, second, axis=0)
    product = _product(graph, both, coded, steps, signed=not signs_overflow())
    coarse, fine = graph.add_with(2, "Split", product, axis=0, num_outputs=2)
    return graph.add("Mul", graph.add("Add", graph.add("Mul", coarse, _SECOND), fine), units)


def _in_units(graph: Graph, x: str, largest: int) -> tuple[str, str]:
    """Add the division of rows x (m, k) by units (m, 1), in which the largest number of each row is `largest`."""
    sizes = graph.add("ReduceMax", graph.add("Abs", x), np.array([1]))
    units = graph.add("Max", graph.add("Mul", sizes, np.array(1 / largest, np.float32)), np.array(_SMALLEST))
    return graph.add("Div", x, units), units


def _product(graph: Graph, rows: str, coded: Bytes, steps: Array, *, signed: bool) -> str:
    """Add the product of bytes without a sign (m, k) with quantized weights (n, k) and their scales (n, 1)."""
    weight, zeros = (coded, ()) if signed else (_without_sign(coded), (_ZERO,))
    inputs = (rows, weight.T, _ONE, steps[:, 0], _ZERO, *zeros)
    return graph.add("MatMulIntegerToFloat", *inputs, domain=MICROSOFT)


def _multiplier(coded: Bytes, steps: Array, *, signed: bool) -> Callable[[Unsigned], Array]:
    """Return the product of bytes without a sign (m, k) with quantized weights (n, k)."""
    graph = Graph(rows=np.uint8)
    return graph.function(_product(graph, "rows", coded, steps, signed=signed))


def _without_sign(coded: Bytes) -> Unsigned:
    return coded.view(np.uint8) ^ np.uint8(ZERO)


def _steps(x: Array, largest: int) -> Array:
    steps: Array = np.maximum.reduce(np.abs(x), axis=1, keepdims=True)
    steps *= np.float32(1 / largest)
    return np.maximum(steps, _SMALLEST, out=steps)


def _lengths(x: Array) -> Array:
    return np.sqrt(np.add.reduce(x * x, axis=1, keepdims=True))
