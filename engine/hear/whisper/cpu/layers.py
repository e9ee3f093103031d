"""Layers of a Whisper on a processor, in numpy: what MLX computes one number at a time is computed many at a time here.

Matrices of float32 are those that MLX holds, without a copy; where bytes can be multiplied, those of linear layers are
bytes: what the decoder multiplies keeps two bytes a number, the many rows of the encoder one.

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

BLOCK_ELEMENTS = 1 << 16  # what is computed at a time: a core's cache holds it

# atanh(erf(x / sqrt 2)) = x P(x^2), fitted so that gelu's largest error is least.
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
        """Normalise rows x (m, d)."""
        normed: Array = x - (x @ self._share)[:, None]
        deviations = np.vecdot(normed, normed)
        deviations += self._eps
        normed /= np.sqrt(deviations, out=deviations)[:, None]
        normed *= self._weight
        normed += self._bias
        return normed


class Linear:
    """Linear layers that multiply the same rows, side by side."""

    def __init__(self, *layers: nn.Module) -> None:
        self._transposed = [numbers(layer.weight).T for layer in layers]
        self._ends = np.cumsum([matrix.shape[1] for matrix in self._transposed]).tolist()
        self._bias = np.concatenate([_bias(layer) for layer in layers])

    def __call__(self, x: Array) -> Array:
        """Multiply rows x (m, d): (m, n), those of all layers side by side."""
        result = np.empty((len(x), self._ends[-1]), np.float32)
        for end, matrix in zip(self._ends, self._transposed, strict=True):
            np.matmul(x, matrix, out=result[:, end - matrix.shape[1] : end])
        result += self._bias
        return result


class ByteLinear:
    """As Linear, with a byte a weight.

    All rows are multiplied by the same bytes, however many they are: what is read as a block is what would be read one
    by one.
    """

    def __init__(self, *layers: nn.Module) -> None:
        self._matrix = ByteMatrix(np.concatenate([numbers(layer.weight) for layer in layers]))
        self._bias = np.concatenate([_bias(layer) for layer in layers])

    def __call__(self, x: Array) -> Array:
        """Multiply rows x (m, d): (m, n), those of all layers side by side."""
        result = self._product(x)
        result += self._bias
        return result

    def _product(self, x: Array) -> Array:
        return self._matrix.product(x)


class RoughLinear(ByteLinear):
    """As ByteLinear, with rows in bytes, too."""

    def _product(self, x: Array) -> Array:
        return self._matrix.rough_product(x)


class FeedForward:
    """The feed-forward layer that both kinds of block end with."""

    def __init__(self, block: Any, linear: Callable[[nn.Module], Callable[[Array], Array]]) -> None:
        """Take the block's layers as `linear` makes them."""
        self._norm = Norm(block.mlp_ln)
        self._first, self._second = linear(block.mlp1), linear(block.mlp2)

    def __call__(self, x: Array) -> Array:
        """Return what is added to rows x (m, d)."""
        return self._second(gelu(self._first(self._norm(x))))


def gelu(x: Array) -> Array:
    """Gaussian error linear unit of rows x (m, n), in place, within 4e-6: x (1 + tanh(x P(x^2))) / 2."""
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
    """Turn scores (…, t) into weights that are not yet divided by their sums (…, 1), in place; give the sums."""
    scores -= np.maximum.reduce(scores, axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    sums: Array = np.add.reduce(scores, axis=-1, keepdims=True)
    return sums


def numbers(array: Any) -> Array:
    """See an evaluated array of MLX's, float32, as one of numpy's; nothing is copied."""
    return np.array(array, copy=False)


def _bias(layer: nn.Module) -> Array:
    return numbers(layer.bias) if "bias" in layer else np.zeros(len(layer.weight), np.float32)


def joined(parts: Sequence[Array]) -> Array:
    """Join heads' keys or values (…, t, s) along their places."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-2)
