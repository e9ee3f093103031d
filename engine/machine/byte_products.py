"""Matrix products with weights of one or two bytes a number: what few rows read from memory is most of their time.

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

LARGEST = 127
FINER = 2.0 * LARGEST
"""The second byte counts in these parts of the first: so it holds all that rounding to the first one left."""


@cache
def has_byte_products() -> bool:
    """Tell whether bytes can be multiplied here: numkong is installed on Linux, where MLX has no GPU."""
    return importlib.util.find_spec("numkong") is not None


class ByteMatrix:
    """A matrix of weights in bytes, with one scale for each output.

    With one byte a number the largest error is half a 127th of the largest weight of an output, with two bytes half a
    32,258th.
    """

    def __init__(self, weight: Array, *, width: int) -> None:
        """Store weight (n, k) with `width` bytes a number, 1 or 2."""
        import numkong

        self._multiply: Any = numkong.dots_packed
        coded, scales = to_bytes(weight)
        first, second = coded[: len(weight)], coded[len(weight) :]
        self._scales = scales[:, 0]
        self._first = numkong.dots_pack(first)
        self._second = numkong.dots_pack(second) if width == 2 else None
        stored = first.astype(np.float32)
        if width == 2:
            stored += second.astype(np.float32) * np.float32(1 / FINER)
        stored *= scales
        self._lengths = np.linalg.norm(stored, axis=1).astype(np.float32)
        self._errors = np.linalg.norm(weight - stored, axis=1).astype(np.float32)

    def rough_product(self, x: Array) -> tuple[Array, Array]:
        """Multiply rows x (m, k), rounded to one byte: (m, n), and by how much each of them is wrong at most (m, n)."""
        coded, scales = to_bytes(x)
        first = coded[: len(x)]
        result = np.asarray(self._multiply(first, self._first)).astype(np.float32)
        result *= scales
        result *= self._scales
        rounded = np.linalg.norm(x - first * scales, axis=1, keepdims=True)
        return result, rounded * self._lengths + self.errors(x)

    def errors(self, x: Array) -> Array:
        """By how much `product` of rows x (m, k) is wrong at most (m, n): by Cauchy-Schwarz."""
        most: Array = np.linalg.norm(x, axis=1, keepdims=True).astype(np.float32) * self._errors
        return most

    def product(self, x: Array) -> Array:
        """Multiply rows x (m, k), rounded to two bytes: (m, n)."""
        count = len(x)
        coded, scales = to_bytes(x)
        sums = np.asarray(self._multiply(coded, self._first)).astype(np.float32)  # sums of mixed types are slow
        result, finer = sums[:count], sums[count:]
        if self._second is not None:
            rest = np.asarray(self._multiply(coded, self._second)).astype(np.float32)
            finer += rest[:count]
            finer += rest[count:] * np.float32(1 / FINER)
        finer *= np.float32(1 / FINER)
        result += finer
        result *= scales
        result *= self._scales
        return result


def to_bytes(x: Array) -> tuple[NDArray[np.int8], Array]:
    """Round rows x (m, k) to two bytes: the first bytes above the second ones (2 m, k), and scales (m, 1)."""
    scales: Array = np.maximum.reduce(np.abs(x), axis=1, keepdims=True) * np.float32(1 / LARGEST)
    np.maximum(scales, np.finfo(np.float32).tiny, out=scales)
    exact = x / scales
    first = np.rint(exact)
    coded = np.empty((2 * len(x), x.shape[1]), np.int8)
    coded[: len(x)] = first
    exact -= first
    exact *= np.float32(FINER)
    coded[len(x) :] = np.rint(exact, out=exact)
    return coded, scales
