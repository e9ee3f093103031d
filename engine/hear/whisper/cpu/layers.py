"""Layers of a Whisper on a processor, in numpy: what MLX computes one number at a time is computed many at a time here.

Matrices of float32 are those that MLX holds, without a copy; beside them are bytes of the ones that few rows are
multiplied by.

Shapes: m rows, d states, n outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.hear.whisper.kernels import ERFC, ERFC_LIMIT
from engine.machine.byte_products import ByteMatrix

Array = NDArray[np.float32]

FEW_ROWS = 12
"""With more rows than this a product of float32 is quicker than one of bytes."""

BLOCK_ELEMENTS = 1 << 16  # what is computed at a time: a core's cache holds it


class Norm:
    """A layer norm."""

    def __init__(self, layer: nn.LayerNorm) -> None:
        self._weight, self._bias, self._eps = numbers(layer.weight), numbers(layer.bias), np.float32(layer.eps)

    def __call__(self, x: Array) -> Array:
        """Normalise rows x (m, d)."""
        share = np.float32(1 / x.shape[1])
        means: Array = np.add.reduce(x, axis=1, keepdims=True)
        means *= share
        normed: Array = x - means
        variance = np.einsum("ij,ij->i", normed, normed) * share
        normed *= (1 / np.sqrt(variance + self._eps))[:, None]
        normed *= self._weight
        normed += self._bias
        return normed


class Linear:
    """Linear layers that multiply the same rows, side by side."""

    def __init__(self, *layers: nn.Module, in_bytes: bool = False) -> None:
        """Take the layers' matrices; with `in_bytes` few rows are multiplied by two bytes a weight."""
        self._transposed = [numbers(layer.weight).T for layer in layers]
        widths = [matrix.shape[1] for matrix in self._transposed]
        self._ends = np.cumsum(widths).tolist()
        self._bias = np.concatenate(
            [
                numbers(layer.bias) if "bias" in layer else np.zeros(width, np.float32)
                for layer, width in zip(layers, widths, strict=True)
            ]
        )
        self._bytes: ByteMatrix | None = None
        if in_bytes:
            self._bytes = ByteMatrix(np.concatenate([matrix.T for matrix in self._transposed]), width=2)

    def __call__(self, x: Array) -> Array:
        """Multiply rows x (m, d): (m, n), those of all layers side by side."""
        if self._bytes is not None and len(x) <= FEW_ROWS:
            result = self._bytes.product(x)
        elif len(self._transposed) == 1:
            result = x @ self._transposed[0]
        else:
            result = np.empty((len(x), self._ends[-1]), np.float32)
            for end, matrix in zip(self._ends, self._transposed, strict=True):
                result[:, end - matrix.shape[1] : end] = x @ matrix
        result += self._bias
        return result


class FeedForward:
    """The feed-forward layer that both kinds of block end with."""

    def __init__(self, block: Any, *, in_bytes: bool = False) -> None:
        self._norm = Norm(block.mlp_ln)
        self._first = Linear(block.mlp1, in_bytes=in_bytes)
        self._second = Linear(block.mlp2, in_bytes=in_bytes)

    def __call__(self, x: Array) -> Array:
        """Return what is added to rows x (m, d)."""
        return self._second(gelu(self._first(self._norm(x))))


def gelu(x: Array) -> Array:
    """Gaussian error linear unit of rows x (m, n), in place, within 2e-6; see kernels.gelu_of_products."""
    rows = max(1, BLOCK_ELEMENTS // x.shape[1])
    for start in range(0, len(x), rows):
        part = x[start : start + rows]
        near = np.minimum(np.abs(part), np.float32(ERFC_LIMIT))
        root = near * np.float32(ERFC[-1])
        root += np.float32(ERFC[-2])
        for coefficient in ERFC[-3::-1]:
            root *= near
            root += np.float32(coefficient)
        for _ in range(4):
            np.square(root, out=root)
        near *= np.float32(0.5)
        near /= root
        np.maximum(part, np.float32(0), out=part)
        part -= near
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


def joined(parts: Sequence[Array]) -> Array:
    """Join heads' keys or values (…, t, s) along their places."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-2)
