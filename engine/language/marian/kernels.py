"""Arithmetic of a translation model: numpy with 8-bit matrices on a CPU, MLX on a GPU.

Both have the same operations, so that the network is written once. Shapes: m rows, k inputs, n outputs, d states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.machine import backend
from engine.machine.byte_products import byte_product, has_byte_products, to_bytes
from engine.weights.marian import Matrix

EPSILON = 1e-6
"""Added to a variance before its root is divided by. Hugging Face's Marian has 1e-5: no token differs for it."""

Array = Any
"""An array of numpy's or MLX's, whichever the kernels compute with."""


class Kernels(Protocol):
    """The operations that differ between numpy and MLX."""

    def array(self, values: NDArray[np.generic]) -> Array:
        """Return numbers in an array to compute with."""

    def numbers(self, array: Array) -> NDArray[np.float32]:
        """Compute an array now; return its numbers."""

    def product(self, matrix: Matrix) -> Callable[[Array], Array]:
        """Return what multiplies rows (m, k) by a matrix: (m, n)."""

    def rows(self, matrix: Matrix) -> Callable[[Sequence[int]], Array]:
        """Return what looks up rows of a matrix: (m, k)."""

    def softmax(self, scores: Array) -> Array: ...

    def sigmoid(self, x: Array) -> Array: ...

    def relu(self, x: Array) -> Array: ...

    def norm(self, x: Array, scale: Array, bias: Array) -> Array:
        """Normalize rows x (m, d), then scale and shift them."""

    def joined(self, parts: Sequence[Array], axis: int) -> Array:
        """Concatenate arrays."""

    def taken(self, array: Array, rows: Sequence[int]) -> Array:
        """Return these places of an array's first axis."""


def kernels() -> Kernels:
    """Return the kernels for the device that models run on."""
    return MlxKernels() if backend.on_gpu() else NumpyKernels()


class NumpyKernels:
    """Numpy, with 8-bit products where they are available.

    With those, the result of a row does not depend on the other rows: a block of tokens gives what single ones give.
    """

    def array(self, values: NDArray[np.generic]) -> Array:
        return values

    def numbers(self, array: Array) -> NDArray[np.float32]:
        numbers: NDArray[np.float32] = array
        return numbers

    def product(self, matrix: Matrix) -> Callable[[Array], Array]:
        if not has_byte_products():
            transposed = np.ascontiguousarray(matrix.values().T)
            return lambda x: x @ transposed
        if matrix.scales is None:
            return byte_product(*to_bytes(matrix.values()))
        return byte_product(matrix.weights.astype(np.int8, copy=False), matrix.scales)

    def rows(self, matrix: Matrix) -> Callable[[Sequence[int]], Array]:
        weights, scales = matrix.weights, matrix.scales

        def found(places: Sequence[int]) -> Array:
            chosen = weights[list(places)].astype(np.float32, copy=False)
            return chosen if scales is None else chosen * scales[list(places)]

        return found

    def softmax(self, scores: Array) -> Array:
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True)

    def sigmoid(self, x: Array) -> Array:
        return 0.5 * np.tanh(0.5 * x) + np.float32(0.5)  # it cannot overflow

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def norm(self, x: Array, scale: Array, bias: Array) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
        return centred / deviation * scale + bias

    def joined(self, parts: Sequence[Array], axis: int) -> Array:
        return np.concatenate(parts, axis)

    def taken(self, array: Array, rows: Sequence[int]) -> Array:
        return array[list(rows)]


class MlxKernels:
    """MLX, with the numbers of all matrices in float32 or what a GPU computes well with."""

    def array(self, values: NDArray[np.generic]) -> Array:
        return mx.array(values)

    def numbers(self, array: Array) -> NDArray[np.float32]:
        wanted = array.astype(mx.float32)
        mx.eval(wanted)
        return np.array(wanted, copy=False)

    def product(self, matrix: Matrix) -> Callable[[Array], Array]:
        transposed = mx.array(matrix.values()).T
        mx.eval(transposed)
        return lambda x: x @ transposed

    def rows(self, matrix: Matrix) -> Callable[[Sequence[int]], Array]:
        weights = mx.array(matrix.values())
        mx.eval(weights)
        return lambda places: weights[mx.array(list(places))]

    def softmax(self, scores: Array) -> Array:
        return mx.softmax(scores, axis=-1)

    def sigmoid(self, x: Array) -> Array:
        return mx.sigmoid(x)

    def relu(self, x: Array) -> Array:
        return mx.maximum(x, 0)

    def norm(self, x: Array, scale: Array, bias: Array) -> Array:
        return mx.fast.layer_norm(x, scale, bias, EPSILON)

    def joined(self, parts: Sequence[Array], axis: int) -> Array:
        return mx.concatenate(list(parts), axis)

    def taken(self, array: Array, rows: Sequence[int]) -> Array:
        return array[mx.array(list(rows))]
