"""Layers of a Whisper on a CPU, in numpy and ONNX Runtime, vectorized where MLX computes one number at a time.

Float32 matrices are those of MLX, without a copy. If int8 products are available, the linear layers have 8-bit weights:
the decoder's inputs keep two bytes per number, the many rows of the encoder one.

Shapes: m rows, d states, n outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.machine.byte_products import fine_layer, rough_layer
from engine.machine.onnx_operations import MICROSOFT, Graph

Array = NDArray[np.float32]

ROWS_AT_ONCE = 256


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


class RoughLinear:
    """Linear layers with 8-bit weights and 8-bit rows."""

    def __init__(self, *layers: nn.Module) -> None:
        graph = Graph(x=np.float32)
        self._layer = graph.function(rough_layer(graph, "x", *side_by_side(*layers)))

    def __call__(self, x: Array) -> Array:
        """Multiply rows x (m, d): (m, n), the outputs of all layers side by side."""
        result: Array = self._layer(x)
        return result


def normed(graph: Graph, x: str, layer: nn.LayerNorm) -> str:
    """Add a layer norm of rows x (m, d)."""
    return graph.add("LayerNormalization", x, numbers(layer.weight), numbers(layer.bias))


def fine_linear(graph: Graph, x: str, *layers: nn.Module) -> str:
    """Add linear layers with 8-bit weights, side by side; the numbers of rows x (m, d) keep two bytes."""
    return fine_layer(graph, x, *side_by_side(*layers))


def side_by_side(*layers: nn.Module) -> tuple[Array, Array]:
    """Return the weight and the bias of linear layers with the same input as one."""
    weights = np.concatenate([numbers(layer.weight) for layer in layers])
    return weights, np.concatenate([_bias(layer) for layer in layers])


class FeedForward:
    """The feed-forward layer at the end of a block of the encoder."""

    def __init__(self, block: Any, linear: Callable[[nn.Module], Callable[[Array], Array]]) -> None:
        """Copy the block's layers in the form that `linear` makes."""
        self._norm = Norm(block.mlp_ln)
        self._first, self._second = linear(block.mlp1), linear(block.mlp2)

    def __call__(self, x: Array) -> Array:
        """Return the output for rows x (m, d), to be added to them."""
        return in_blocks(lambda rows: self._second(gelu(self._first(self._norm(rows)))), x)


def in_blocks(layer: Callable[[Array], Array], x: Array) -> Array:
    """Apply a layer to rows x (m, d), ROWS_AT_ONCE at a time: what it computes in between fits in a core's cache."""
    if len(x) <= ROWS_AT_ONCE:
        return layer(x)
    return np.concatenate([layer(x[start : start + ROWS_AT_ONCE]) for start in range(0, len(x), ROWS_AT_ONCE)])


def gelu(x: Array) -> Array:
    """Apply the Gaussian error linear unit."""
    return _gelu()(x)


def attention(query: Array, keys: Array, values: Array, heads: int) -> Array:
    """Attend from query (t, d) to keys and values (u, d), each head with its part of them: (t, d)."""
    result: Array = _attention(heads)(query[None], keys[None], values[None])[0]
    return result


def exponentials(scores: Array) -> Array:
    """Replace scores (…, t) by weights before normalization, in place; return their sums (…, 1)."""
    scores -= np.maximum.reduce(scores, axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    sums: Array = np.add.reduce(scores, axis=-1, keepdims=True)
    return sums


def numbers(array: Any) -> Array:
    """View an evaluated float32 array of MLX's as a numpy array, without a copy."""
    return np.array(array, copy=False)


@cache
def _gelu() -> Callable[..., Array]:
    graph = Graph(x=np.float32)
    return graph.function(graph.add("Gelu", "x"))


@cache
def _attention(heads: int) -> Callable[..., Array]:
    graph = Graph(query=np.float32, keys=np.float32, values=np.float32)
    return graph.function(graph.add("MultiHeadAttention", "query", "keys", "values", domain=MICROSOFT, num_heads=heads))


def _bias(layer: nn.Module) -> Array:
    return numbers(layer.bias) if "bias" in layer else np.zeros(len(layer.weight), np.float32)
