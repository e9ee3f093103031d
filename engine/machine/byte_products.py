"""Matrix products with 8-bit weights, because a product with few rows spends most of its time on reading memory.

A decoder step multiplies one to eight rows by every matrix of the model. In float32 that takes as long as reading the
matrices does. 8-bit weights are a quarter of the bytes, and processors multiply them several times faster. numkong
provides the int8 product for the instructions the processor has.

Shapes: m rows, k columns that are summed over, n outputs.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Bytes = NDArray[np.int8]

LARGEST = 127
SECOND = 256
"""Ratio of the units of a number's first and second byte."""

SUMMING_BYTES = frozenset(("icelake", "alder", "sierra", "sapphireamx", "neonsdot", "svesdot", "sme"))
"""Families of numkong's kernels with such instructions: VNNI, AMX, and SDOT of ARM."""

ROWS_AT_ONCE = 128  # their results fit in a core's cache

_LARGEST_OF_TWO = LARGEST * SECOND
_SMALLEST = np.finfo(np.float32).tiny
# Added to a number below 2^22, it leaves no bits for a fraction: the lowest bytes of the sum, which come first on all
# processors that numkong supports here, are those of a rounded number. Half the range of the second byte rounds the
# first one to the nearest.
_ROUNDING = np.float32(1.5 * 2**23 + SECOND // 2)
_HALF = np.int8(-SECOND // 2)


@cache
def has_byte_products() -> bool:
    """Return whether int8 products are available: numkong is installed on Linux, where MLX has no GPU."""
    return importlib.util.find_spec("numkong") is not None


@cache
def multiplies_bytes_faster() -> bool:
    """Return whether this processor multiplies many rows faster in int8 than in float32.

    It does with instructions that sum products of bytes. AVX2 has none: there int8 only saves reading, which counts
    for few rows.
    """
    if not has_byte_products():
        return False
    import numkong

    return any(usable and family in SUMMING_BYTES for family, usable in numkong.get_capabilities().items())


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
        import numkong

        self._multiply: Any = numkong.dots_packed
        self._packed = numkong.dots_pack(coded)
        self._steps = steps[:, 0]

    def product(self, x: Array) -> Array:
        """Multiply rows x (m, k), rounded to two bytes: (m, n). Only the weights are rounded coarsely."""
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
        """Multiply rows x (m, k), rounded to one byte as well: (m, n); with many rows it is faster than float32."""
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
        return self._scaled(coded, steps), lengths * (self._errors + share * self._lengths)


def to_bytes(x: Array) -> tuple[Bytes, Array]:
    """Quantize rows x (m, k) to bytes (m, k) and scales (m, 1), whose product is nearly x."""
    steps = _steps(x, LARGEST)
    return np.rint(x / steps).astype(np.int8, order="C"), steps


def to_two_bytes(x: Array) -> tuple[Bytes, Array]:
    """Quantize rows x (m, k) to two bytes, the first stacked above the second (2 m, k), and the scales (m, 1)."""
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
