"""Matrix products with 8-bit weights, because a product with few rows spends most of its time on reading memory.

A decoder step multiplies one to eight rows by every matrix of the model. In float32 that takes as long as reading the
matrices does. 8-bit weights are a quarter of the bytes, and processors multiply them several times faster. ONNX Runtime
provides the product of bytes for the instructions the processor has.

Shapes: m rows, k columns that are summed over, n outputs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.machine.onnx_operations import MICROSOFT, Operation, function

Array = NDArray[np.float32]
Bytes = NDArray[np.int8]
Unsigned = NDArray[np.uint8]

ZERO = 128
"""The number that turns a byte with a sign into one without when it is added."""

LARGEST = 127
SECOND = 256
"""Ratio of the units of a number's first and second byte."""

_LARGEST_OF_TWO = LARGEST * SECOND
_SMALLEST = np.finfo(np.float32).tiny
# Added to a number below 2^22, it leaves no bits for a fraction: the lowest bytes of the sum, which come first on all
# processors that are supported here, are those of a rounded number. Each byte has ZERO added; half the range of the
# second one, which that is, rounds the first one to the nearest.
_ROUNDING = np.float32(1.5 * 2**23 + ZERO * (SECOND + 1))

_ROWS_TO_BYTES = (
    Operation("Abs", ["x"], "sizes"),
    Operation("ReduceMax", ["sizes", "columns"], "largest"),
    Operation("Mul", ["largest", "share"], "shares"),
    Operation("Max", ["shares", "smallest"], "units"),
    Operation("Div", ["x", "units"], "in units"),
    Operation("QuantizeLinear", ["in units", "one", "zero"], "coded"),
)
_TO_LAYER = (Operation("Mul", ["product", "units"], "scaled"), Operation("Add", ["scaled", "bias"], "result"))


@cache
def has_byte_products() -> bool:
    """Return whether int8 products are used: on Linux, where MLX has no GPU."""
    return sys.platform == "linux"


@cache
def signs_overflow() -> bool:
    """Return whether this processor sums products of bytes with a sign in pairs, for which its 16 bits are too few.

    AVX2 does. There weights have no sign: somewhat slower, and exact.
    """
    coded = np.full((64, 1), LARGEST, np.int8)
    multiply = _multiplier(coded, np.ones(1, np.float32), signed=True)
    return bool(multiply(np.full((1, 64), 255, np.uint8)).item() != coded.sum(dtype=int) * (255 - ZERO))


class ByteMatrix:
    """A matrix of 8-bit weights with one scale per output."""

    def __init__(self, weight: Array) -> None:
        """Quantize and store weight (n, k)."""
        self._store(*to_bytes(weight))

    @classmethod
    def of_bytes(cls, coded: Bytes, steps: Array) -> ByteMatrix:
        """Store a weight that is quantized already: bytes (n, k) with their scales (n, 1)."""
        made = cls.__new__(cls)
        made._store(coded, steps)
        return made

    def _store(self, coded: Bytes, steps: Array) -> None:
        """Store quantized weights (n, k) with their scales (n, 1)."""
        self._multiply = _multiplier(coded.T, steps[:, 0], signed=not signs_overflow())

    def product(self, x: Array) -> Array:
        """Multiply rows x (m, k), rounded to two bytes: (m, n). Only the weights are rounded coarsely."""
        count = len(x)
        coded, steps = to_two_bytes(x)
        sums = self._multiply(coded)
        result, finer = sums[:count], sums[count:]
        result *= np.float32(SECOND)
        result += finer
        result *= steps
        return result


class BoundedByteMatrix(ByteMatrix):
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
        self._store(coded, np.concatenate(scales))

    def bounded_product(self, x: Array) -> tuple[Array, Array]:
        """Multiply rows x (m, k), rounded to bytes: (m, n), and a bound of each result's error (m, n)."""
        coded, steps = to_bytes(x)
        # Cauchy-Schwarz: the rounding of the weights, and of the row with the largest relative rounding.
        lengths = _lengths(x)
        share = np.float32(np.max(_lengths(x - coded * steps) / np.maximum(lengths, _SMALLEST), initial=0))
        result = self._multiply(_without_sign(coded))
        result *= steps
        return result, lengths * (self._errors + share * self._lengths)


def rough_layer(weight: Array, bias: Array) -> Callable[[Array], Array]:
    """Return a linear layer with weight (n, k) for many rows (m, k): both are rounded to bytes."""
    coded, steps = to_bytes(weight)
    operations, constants = _product(coded.T, steps[:, 0], signed=not signs_overflow())
    constants |= {
        "columns": np.array([1]),
        "share": np.array(1 / LARGEST, np.float32),
        "smallest": np.array(_SMALLEST),
        "bias": bias,
    }
    return function((*_ROWS_TO_BYTES, *operations, *_TO_LAYER), {"x": np.float32}, constants)


def to_bytes(x: Array) -> tuple[Bytes, Array]:
    """Quantize rows x (m, k) to bytes (m, k) and scales (m, 1), whose product is nearly x."""
    steps = _steps(x, LARGEST)
    return np.rint(x / steps).astype(np.int8, order="C"), steps


def to_two_bytes(x: Array) -> tuple[Unsigned, Array]:
    """Quantize rows x (m, k) to two bytes without a sign, the first stacked above the second (2 m, k), and the scales
    (m, 1).
    """
    rows, columns = x.shape
    steps = _steps(x, _LARGEST_OF_TWO)
    rounded = np.divide(x, steps, order="C")
    rounded += _ROUNDING
    parts = rounded.view(np.uint8).reshape(rows, columns, 4)
    coded = np.empty((2 * rows, columns), np.uint8)
    coded[:rows] = parts[:, :, 1]
    coded[rows:] = parts[:, :, 0]
    return coded, steps


def _multiplier(coded: Bytes, steps: Array, *, signed: bool) -> Callable[[Unsigned], Array]:
    """Return what multiplies bytes without a sign (m, k) by quantized weights (k, n) with their scales (n,)."""
    operations, constants = _product(coded, steps, signed=signed)
    return function(operations, {"coded": np.uint8}, constants)


def _product(coded: Bytes, steps: Array, *, signed: bool) -> tuple[Sequence[Operation], dict[str, NDArray[Any]]]:
    inputs = ["coded", "weight", "one", "steps", "zero"]
    operation = Operation("MatMulIntegerToFloat", inputs if signed else [*inputs, "zero"], "product", MICROSOFT)
    return (operation,), {
        "weight": coded if signed else _without_sign(coded),
        "one": np.array(1, np.float32),
        "steps": steps,
        "zero": np.array(ZERO, np.uint8),
    }


def _without_sign(coded: Bytes) -> Unsigned:
    return coded.view(np.uint8) ^ np.uint8(ZERO)


def _steps(x: Array, largest: int) -> Array:
    steps: Array = np.maximum.reduce(np.abs(x), axis=1, keepdims=True)
    steps *= np.float32(1 / largest)
    return np.maximum(steps, _SMALLEST, out=steps)


def _lengths(x: Array) -> Array:
    return np.sqrt(np.add.reduce(x * x, axis=1, keepdims=True))
