"""Matrix products with weights of one byte a number: what few rows read from memory is most of their time.

A decoder step multiplies one to eight rows by every matrix of the model. In float32 that takes as long as reading the
matrices does; in bytes it reads a quarter, and processors multiply bytes several times sooner. numkong has the product
of bytes, for whatever instructions the processor has.

Shapes: m rows, k columns that are summed over, n outputs.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Bytes = NDArray[np.int8]

LARGEST = 127
SECOND = 256
"""So many parts of a number's second byte are one of its first."""

ROWS_AT_ONCE = 128  # their results stay in a core's cache

_LARGEST_OF_TWO = LARGEST * SECOND
_SMALLEST = np.finfo(np.float32).tiny
# Added to a number below 2^22 it leaves no bits for a fraction: the lowest bytes of the sum, which come first on all
# processors that numkong runs on here, are those of a rounded number. Half of what a second byte can hold makes the
# first one the nearest.
_ROUNDING = np.float32(1.5 * 2**23 + SECOND // 2)
_HALF = np.int8(-SECOND // 2)


@cache
def has_byte_products() -> bool:
    """Tell whether bytes can be multiplied here: numkong is installed on Linux, where MLX has no GPU."""
    return importlib.util.find_spec("numkong") is not None


class ByteMatrix:
    """A matrix of weights in bytes, each output with a step of its own."""

    def __init__(self, weight: Array) -> None:
        """Store weight (n, k)."""
        import numkong

        self._multiply: Any = numkong.dots_packed
        coded, steps = to_bytes(weight)
        self._packed = numkong.dots_pack(coded)
        self._steps = steps[:, 0]

    def product(self, x: Array) -> Array:
        """Multiply rows x (m, k), rounded to two bytes: (m, n), the weights alone being rough."""
        count = len(x)
        coded, steps = to_two_bytes(x)
        sums = self._sums(coded)
        result, finer = sums[:count], sums[count:]
        result *= np.float32(SECOND)
        result += finer
        result *= self._steps
        result *= steps
        return result

    def rough_product(self, x: Array) -> Array:
        """Multiply rows x (m, k), rounded to bytes, too: (m, n), for many rows in less time than float32 takes."""
        if len(x) <= ROWS_AT_ONCE:
            return self._scaled(*to_bytes(x))
        result = np.empty((len(x), len(self._steps)), np.float32)
        for start in range(0, len(x), ROWS_AT_ONCE):
            result[start : start + ROWS_AT_ONCE] = self._scaled(*to_bytes(x[start : start + ROWS_AT_ONCE]))
        return result

    def _scaled(self, coded: Bytes, steps: Array) -> Array:
        result = self._sums(coded)
        result *= self._steps
        result *= steps
        return result

    def _sums(self, coded: Bytes) -> Array:
        return np.asarray(self._multiply(coded, self._packed)).astype(np.float32)  # sums of mixed types are slow


class BoundedByteMatrix(ByteMatrix):
    """A matrix of weights in bytes that says how rough its products are."""

    def __init__(self, weight: Array) -> None:
        """Store weight (n, k)."""
        super().__init__(weight)
        coded, steps = to_bytes(weight)
        stored = coded * steps
        self._lengths, self._errors = _lengths(stored)[:, 0], _lengths(weight - stored)[:, 0]

    def bounded_product(self, x: Array) -> tuple[Array, Array]:
        """Multiply rows x (m, k), rounded to bytes: (m, n), and by how much each result is wrong at most (m, n)."""
        coded, steps = to_bytes(x)
        # By Cauchy-Schwarz: what was rounded off of the weights, and what of the row that lost the largest share.
        lengths = _lengths(x)
        share = np.float32(np.max(_lengths(x - coded * steps) / np.maximum(lengths, _SMALLEST), initial=0))
        return self._scaled(coded, steps), lengths * (self._errors + share * self._lengths)


def to_bytes(x: Array) -> tuple[Bytes, Array]:
    """Round rows x (m, k) to bytes (m, k) and steps (m, 1), whose product they are nearly."""
    steps = _steps(x, LARGEST)
    return np.rint(x / steps).astype(np.int8, order="C"), steps


def to_two_bytes(x: Array) -> tuple[Bytes, Array]:
    """Round rows x (m, k) to two bytes, the first above the second ones (2 m, k), and the second ones' steps (m, 1)."""
    rows, columns = x.shape
    steps = _steps(x, _LARGEST_OF_TWO)
    rounded = np.divide(x, steps, order="C")
    rounded += _ROUNDING
    parts = rounded.view(np.int8).reshape(rows, columns, 4)
    coded = np.empty((2 * rows, columns), np.int8)
    coded[:rows] = parts[:, :, 1]
    np.bitwise_xor(parts[:, :, 0], _HALF, out=coded[rows:])
    return coded, steps


def _steps(x: Array, largest: int) -> Array:
    steps: Array = np.maximum.reduce(np.abs(x), axis=1, keepdims=True)
    steps *= np.float32(1 / largest)
    return np.maximum(steps, _SMALLEST, out=steps)


def _lengths(x: Array) -> Array:
    return np.sqrt(np.add.reduce(x * x, axis=1, keepdims=True))
