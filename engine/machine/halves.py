"""Numbers in half precision, widened to float32 by integer operations, since NumPy converts them one at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHIFT = 13  # from the mantissa of float16 to that of float32
_SIGN_AND_NUMBER = np.int32(-0x70002000)  # not the copies of the sign that the shift leaves between the two
_BIASES_APART = np.float32(2.0**112)  # what the exponents of both types mean differs by 112


def widened(numbers: NDArray[Any]) -> NDArray[np.float32]:
    """Return finite float16 numbers as the same float32 numbers; others are returned as they are."""
    if numbers.dtype != np.float16:
        return numbers
    bits = np.left_shift(numbers.view(np.int16), _SHIFT, dtype=np.int32)
    bits &= _SIGN_AND_NUMBER
    floats: NDArray[np.float32] = bits.view(np.float32)
    floats *= _BIASES_APART
    return floats


def largest_half(numbers: NDArray[np.float16]) -> float:
    """Return the largest size of float16 numbers, of which there is at least one; NaN if one is NaN.

    Without its sign, the bits of a number grow with its size.
    """
    positive, negative = int(numbers.view(np.int16).max()), int(numbers.view(np.uint16).max()) & 0x7FFF
    return float(np.uint16(max(positive, negative)).view(np.float16))
