"""Whisper's encoder on a CPU, in numpy: one product for matrices with the same input, the rest within a core's
cache.

Everything except matrix products is computed in place, in blocks of rows, so that scores and activations stay in the
cache between two operations.

Shapes: t frames, u attended positions (frames and extra ones), h heads, s states of a head, d = h s.
"""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.hear.whisper.cpu.layers import (
    Array,
    FeedForward,
    Linear,
    Norm,
    RoughLinear,
    exponentials,
    gelu,
    joined,
    numbers,
)
from engine.hear.whisper.model import Around, EncoderBlock, Whisper
from engine.machine.byte_products import multiplies_bytes_faster

BLOCK_SCORES = 1 << 18
"""Scores of one head that are computed at a time: what fits in a core's second-level cache."""


class CpuEncoder:
    """A FastEncoder (engine.hear.whisper.model) for a model with evaluated float32 weights."""

    def __init__(self, model: Whisper) -> None:
        encoder = model.encoder
        self._first, self._second = _Convolution(encoder.conv1, 1), _Convolution(encoder.conv2, 2)
        self._positions = numbers(encoder._positions)
        self._blocks = [_Block(block) for block in encoder.blocks]
        self._norm = Norm(encoder.ln_post)

    def __call__(self, mel: mx.array, around: Sequence[Around] | None = None) -> mx.array:
        """Compute what AudioEncoder computes for one mel (1, frames, n_mels), immediately."""
        x = self._place(mel)
        for layer, block in enumerate(self._blocks):
            x += block.attend(*block.project(x), around[layer] if around else ())
            x += block.feed_forward(x)
        return mx.array(self._norm(x)[None])

    def with_keys_values(self, mel: mx.array) -> tuple[mx.array, list[tuple[mx.array, mx.array]]]:
        """Compute what AudioEncoder.with_keys_values computes for one mel (1, frames, n_mels), immediately."""
        x, layers = self._place(mel), []
        for block in self._blocks:
            query, keys, values = block.project(x)
            layers.append((mx.array(keys[None]), mx.array(values[None])))
            x += block.attend(query, keys, values)
            x += block.feed_forward(x)
        return mx.array(self._norm(x)[None]), layers

    def _place(self, mel: mx.array) -> Array:
        """Convert one mel (1, frames, n_mels) to the states (t, d) that enter the layers."""
        x = gelu(self._second(gelu(self._first(np.array(mel[0])))))
        x += self._positions[: len(x)]
        return x


class _Convolution:
    """A convolution of width 3 as one product: three frames side by side, times the matrix of all three."""

    def __init__(self, layer: nn.Conv1d, stride: int) -> None:
        weight = numbers(layer.weight)  # (outputs, 3, inputs)
        self._matrix = np.ascontiguousarray(weight.reshape(len(weight), -1).T)
        self._bias, self._stride = numbers(layer.bias), stride

    def __call__(self, x: Array) -> Array:
        """Convolve x (t, inputs) with one frame of zeros at both ends: (ceil(t / stride), outputs)."""
        frames, inputs = x.shape
        padded = np.zeros((frames + 2, inputs), np.float32)
        padded[1:-1] = x
        windows = np.lib.stride_tricks.sliding_window_view(padded.reshape(-1), 3 * inputs)[:: self._stride * inputs]
        result: Array = np.ascontiguousarray(windows) @ self._matrix
        result += self._bias
        return result


class _Block:
    """One layer of the encoder."""

    def __init__(self, block: EncoderBlock) -> None:
        attention = block.attn
        self._heads, self._scale = attention.n_head, np.float32(attention.scale)
        self._norm = Norm(block.attn_ln)
        linear = RoughLinear if multiplies_bytes_faster() else Linear
        self._queries_keys_values = linear(attention.query, attention.key, attention.value)
        self._out = Linear(attention.out)  # 8-bit weights would save least here, with as much error as elsewhere
        self.feed_forward = FeedForward(block, linear)

    def project(self, x: Array) -> tuple[Array, Array, Array]:
        """Return scaled queries, keys and values (h, t, s) of frames x (t, d)."""
        made = self._queries_keys_values(self._norm(x))
        query, keys, values = made.reshape(len(x), 3, self._heads, -1).transpose(1, 2, 0, 3)
        query *= self._scale
        return query, keys, values

    def attend(self, query: Array, keys: Array, values: Array, around: Around = ()) -> Array:
        """Return the output (t, d) of attention for frames, to themselves and to extra positions."""
        frames = query.shape[1]
        if around:
            beside = [(numbers(more)[0], numbers(meant)[0]) for more, meant in around]
            keys = joined([keys, *(more for more, _ in beside)])
            values = joined([values, *(meant for _, meant in beside)])
        mixed = np.empty((frames, self._heads * query.shape[2]), np.float32)
        by_head = mixed.reshape(frames, self._heads, -1)
        rows = max(1, BLOCK_SCORES // keys.shape[1])
        for head in range(self._heads):
            across, meant = keys[head].T, values[head]
            for start in range(0, frames, rows):
                scores = query[head, start : start + rows] @ across
                sums = exponentials(scores)
                part = scores @ meant
                part /= sums
                by_head[start : start + rows, head] = part
        return self._out(mixed)
