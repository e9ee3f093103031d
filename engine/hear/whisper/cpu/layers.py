"""Layers of a Whisper on a CPU, in numpy, vectorized where MLX computes one number at a time.

Float32 matrices are those of MLX, without a copy. If int8 products are available, the decoder's linear layers have
8-bit weights, and its inputs keep two bytes per number. The many rows of the encoder are rounded to bytes where the
processor multiplies bytes faster than float32.

Shapes: m rows, d states, n outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.machine.byte_products import ByteMatrix

Array = NDArray[np.float32]

BLOCK_ELEMENTS = 1 << 16  # elements computed at a time: they fit in a core's cache

# atanh(erf(x / sqrt 2)) = x P(x^2), fitted for the smallest maximum error of gelu.
_GELU = tuple(np.float32(one) for one in (1.11908e-6, -3.0581016e-5, -1.2486159e-4, 3.6468791e-2, 0.79782814))
_ONE, _HALF = np.float32(1), np.float32(0.5)


class Norm:
    """A layer norm."""

    def __init__(self, layer: nn.LayerNorm) -> None:
        weight = numbers(layer.weight)
        width = len(weight)
        self._share = np.full(width, 1 / width, np.float32)
        self._weight, self._bias = weight * np.float32(width**0.5), numbers(layer.bias)
        self._eps = np.float32(layer.eps * width)

    def __call__(self, x: Array) -> Array:
        """Normalize rows x (m, d)."""
        normed: Array = x - (x @ self._share)[:, None]
        deviations = np.vecdot(normed, normed)
        deviations += self._eps
        normed /= np.sqrt(deviations, out=deviations)[:, None]
        normed *= self._weight
        normed += self._bias
        return normed


class Linear:
    """Linear layers with the same input, side by side."""

    def __init__(self, *layers: nn.Module) -> None:
        self._transposed = [numbers(layer.weight).T for layer in layers]
        self._ends = np.cumsum([matrix.shape[1] for matrix in self._transposed]).tolist()
        self._bias = np.concatenate([_bias(layer) for layer in layers])

    def __call__(self, x: Array) -> Array:
        """Multiply rows x (m, d): (m, n), the outputs of all layers side by side."""
        result = np.empty((len(x), self._ends[-1]), np.float32)
        for end, matrix in zip(self._ends, self._transposed, strict=True):
            np.matmul(x, matrix, out=result[:, end - matrix.shape[1] : end])
        result += self._bias
        return result


class ByteLinear:
    """Linear layers with 8-bit weights.

    The result of a row does not depend on the number of rows: a block of tokens gives the same as one token at a time.
    """

    def __init__(self, *layers: nn.Module) -> None:
        self._matrix = ByteMatrix(np.concatenate([numbers(layer.weight) for layer in layers]))
        self._bias = np.concatenate([_bias(layer) for layer in layers])

    def __call__(self, x: Array) -> Array:
        """Multiply rows x (m, d): (m, n), the outputs of all layers side by side."""
        result = self._product(x)
        result += self._bias
        return result

    def _product(self, x: Array) -> Array:
        return self._matrix.product(x)


class RoughLinear(ByteLinear):
    """Linear layers with 8-bit weights and 8-bit rows."""

    def _product(self, x: Array) -> Array:
        return self._matrix.rough_product(x)


class FeedForward:
    """The feed-forward layer at the end of both kinds of block."""

    def __init__(self, block: Any, linear: Callable[[nn.Module], Callable[[Array], Array]]) -> None:
        """Copy the block's layers in the form that `linear` makes."""
        self._norm = Norm(block.mlp_ln)
        self._first, self._second = linear(block.mlp1), linear(block.mlp2)

    def __call__(self, x: Array) -> Array:
        """Return the output for rows x (m, d), to be added to them."""
        return self._second(gelu(self._first(self._norm(x))))


def gelu(x: Array) -> Array:
    """Apply the Gaussian error linear unit to rows x (m, n), in place, within 4e-6: x (1 + tanh(x P(x^2))) / 2."""
    rows = max(1, BLOCK_ELEMENTS // x.shape[1])
    for start in range(0, len(x), rows):
        part = x[start : start + rows]
        square = part * part
        inner = square * _GELU[0]
        inner += _GELU[1]
        for coefficient in _GELU[2:]:
            inner *= square
            inner += coefficient
        inner *= part
        np.tanh(inner, out=inner)
        inner += _ONE
        part *= _HALF
        part *= inner
    return x


def exponentials(scores: Array) -> Array:
    """Replace scores (…, t) by weights before normalization, in place; return their sums (…, 1)."""
    scores -= np.maximum.reduce(scores, axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    sums: Array = np.add.reduce(scores, axis=-1, keepdims=True)
    return sums


def numbers(array: Any) -> Array:
    """View an evaluated float32 array of MLX's as a numpy array, without a copy."""
    return np.array(array, copy=False)


def _bias(layer: nn.Module) -> Array:
    return numbers(layer.bias) if "bias" in layer else np.zeros(len(layer.weight), np.float32)


def joined(parts: Sequence[Array]) -> Array:
    """Concatenate heads' keys or values (…, t, s) along their positions."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-2)
