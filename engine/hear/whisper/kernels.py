"""Functions that a CPU computes slowly, rewritten in operations that it computes fast.

MLX's exponential, error function and softmax run one number at a time on a CPU, much slower than sums and products, and
would take most of an encoder's time. A polynomial of sums and products gives the same numbers to about 1e-6. On a GPU
MLX's own functions are fast, and are used.

Off the GPU nothing here is compiled: for a CPU MLX compiles by running a C++ compiler, and a Mac that has none opens an
installer.
"""

from __future__ import annotations

import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.machine.device_turn import writes_for_gpu

# erfc(z) = 1 / (1 + a1 z + … + a6 z^6)^16 within 3e-7 (Abramowitz and Stegun 7.1.28); here z = |x| / sqrt(2).
ERFC: tuple[float, ...] = tuple(
    a * 0.5 ** (power / 2)
    for power, a in enumerate((1.0, 0.0705230784, 0.0422820123, 0.0092705272, 0.0001520143, 0.0002765672, 0.0000430638))
)
ERFC_LIMIT = 12.0  # beyond it the result is zero, and powers of larger numbers would overflow
# 2^f for |f| <= 0.5, least squares in relative error: within 3e-6.
_EXP2 = (0.99999919, 0.69312197, 0.24024981, 0.05591704, 0.00956051)
_LOG2_E = 1.4426950408889634
_ROUNDING = 12_582_912.0 + 127.0  # 1.5 * 2^23 leaves no bits for a fraction; 127 is a float's exponent of 2^0
_SMALLEST_EXPONENT = -126.0
_BLOCK_ELEMENTS = 1 << 18  # scores computed at a time: about what fits in a core's cache
_MIN_BLOCK_ROWS = 32
_FEW_ELEMENTS = 1 << 12  # below it, the number of operations costs more than their slowness
_FEW_SCORES = 1 << 14
HIDDEN = -1e9  # a score with zero weight; finite, since differences of it are taken


def gelu(x: mx.array) -> mx.array:
    """Apply the Gaussian error linear unit, exact on a GPU, within 2e-6 on a CPU."""
    if writes_for_gpu():
        compiled: mx.array = nn.gelu(x)
        return compiled
    if x.dtype != mx.float32 or x.size < _FEW_ELEMENTS:
        return x * (1 + mx.erf(x / math.sqrt(2))) / 2
    return gelu_of_products(x)


def silu(x: mx.array) -> mx.array:
    """Apply the sigmoid-weighted linear unit, exact on a GPU, within 3e-6 of x on a CPU."""
    if writes_for_gpu():
        compiled: mx.array = nn.silu(x)
        return compiled
    if x.dtype != mx.float32 or x.size < _FEW_ELEMENTS:
        return x * mx.sigmoid(x)
    return silu_of_products(x)


def softmax(scores: mx.array) -> mx.array:
    """Compute the softmax over the last axis."""
    if writes_for_gpu() or scores.dtype != mx.float32 or scores.size < _FEW_ELEMENTS:
        return mx.softmax(scores, axis=-1, precise=True)
    return softmax_of_products(scores)


def attention(query: mx.array, keys: mx.array, values: mx.array, scale: float) -> mx.array:
    """Attend without a mask: query (b, h, n, s), keys and values (b, h, t, s) -> (b, h, n, s)."""
    elements = query.shape[0] * query.shape[1] * query.shape[2] * keys.shape[2]
    if writes_for_gpu() or query.dtype != mx.float32 or elements < _FEW_SCORES:
        return mx.fast.scaled_dot_product_attention(query, keys, values, scale=scale)
    return attention_of_products(query, keys, values, scale)


def causal_attention(query: mx.array, keys: mx.array, values: mx.array, scale: float) -> mx.array:
    """Attend from n positions, the last of t, to all up to each: query (b, h, n, s), keys and values (b, h, t, s)."""
    elements = query.shape[0] * query.shape[1] * query.shape[2] * keys.shape[2]
    if writes_for_gpu() or query.dtype != mx.float32 or elements < _FEW_SCORES:
        mask = "causal" if query.shape[2] > 1 else None
        return mx.fast.scaled_dot_product_attention(query, keys, values, scale=scale, mask=mask)
    return attention_of_products(query, keys, values, scale, causal=True)


def gelu_of_products(x: mx.array) -> mx.array:
    """Compute x Phi(x) = max(x, 0) - |x| erfc(|x| / sqrt 2) / 2."""
    size = mx.abs(x)
    near = mx.minimum(size, ERFC_LIMIT)
    root = near * ERFC[-1] + ERFC[-2]
    for coefficient in ERFC[-3::-1]:
        root = root * near + coefficient
    for _ in range(4):
        root = root * root
    return mx.maximum(x, 0.0) - near * 0.5 / root


def silu_of_products(x: mx.array) -> mx.array:
    """Compute x / (1 + exp(-x)), by the exponential of its negative part."""
    small = exp2_of_products(mx.abs(x) * -_LOG2_E)
    return (mx.maximum(x, 0.0) + mx.minimum(x, 0.0) * small) / (small + 1.0)


def softmax_of_products(scores: mx.array) -> mx.array:
    """Compute the softmax over the last axis."""
    weights = exp2_of_products((scores - mx.max(scores, axis=-1, keepdims=True)) * _LOG2_E)
    return weights / mx.sum(weights, axis=-1, keepdims=True)


def exp2_of_products(x: mx.array) -> mx.array:
    """Compute 2^x for x <= 0, float32; below 2^-126 it stays there."""
    x = mx.maximum(x, _SMALLEST_EXPONENT)
    shifted = mx.stop_gradient(x + _ROUNDING)
    fraction = x - (shifted - _ROUNDING)
    power = fraction * _EXP2[-1] + _EXP2[-2]
    for coefficient in _EXP2[-3::-1]:
        power = power * fraction + coefficient
    whole = (shifted.view(mx.int32) << 23).view(mx.float32)  # its lowest bits, moved to the bits of the exponent
    return power * whole


def attention_of_products(
    query: mx.array, keys: mx.array, values: mx.array, scale: float, *, causal: bool = False
) -> mx.array:
    """Attend in blocks of rows; a column of ones beside the values gives the sum of the weights."""
    count, length = query.shape[2], keys.shape[2]
    keys = keys.transpose(0, 1, 3, 2)
    values = mx.concatenate([values, mx.ones((*values.shape[:3], 1))], axis=-1)
    query = query * (scale * _LOG2_E)
    rows = max(_MIN_BLOCK_ROWS, _BLOCK_ELEMENTS // (query.shape[0] * query.shape[1] * length))
    blocks = []
    for start in range(0, count, rows):
        # Positions hidden from a whole block are left out; those only visible to later rows are masked for the others.
        seen = length - count + min(start + rows, count) if causal else length
        scores = query[:, :, start : start + rows] @ keys[..., :seen]
        if causal:
            scores = scores + hidden(scores.shape[2], seen)
        weighted = exp2_of_products(scores - mx.max(scores, axis=-1, keepdims=True)) @ values[:, :, :seen]
        blocks.append(weighted[..., :-1] / weighted[..., -1:])
    return blocks[0] if len(blocks) == 1 else mx.concatenate(blocks, axis=2)


def hidden(count: int, length: int) -> mx.array:
    """Return the mask that hides later positions from n positions, the last of t: added to scores (n, t)."""
    unseen = np.zeros((count, length), np.float32)
    unseen[:, length - count :] = np.triu(np.full((count, count), HIDDEN, np.float32), 1)
    return mx.array(unseen)
