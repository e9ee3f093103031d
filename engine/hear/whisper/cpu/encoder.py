"""Whisper's encoder on a CPU: float32 products and sums in numpy, the rest in ONNX Runtime.

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
    attention,
    gelu,
    in_blocks,
    numbers,
)
from engine.hear.whisper.model import Around, EncoderBlock, Whisper
from engine.machine.byte_products import has_byte_products


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
            layers.append((block.by_head(keys), block.by_head(values)))
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
        own = block.attn
        self._heads = own.n_head
        self._norm = Norm(block.attn_ln)
        linear = RoughLinear if has_byte_products() else Linear
        self._queries_keys_values = linear(own.query, own.key, own.value)
        self._out = Linear(own.out)  # 8-bit weights would save least here, with as much error as elsewhere
        self.feed_forward = FeedForward(block, linear)

    def project(self, x: Array) -> tuple[Array, Array, Array]:
        """Return queries, keys and values (t, d) of frames x (t, d)."""
        query, keys, values = np.split(
            in_blocks(lambda rows: self._queries_keys_values(self._norm(rows)), x), 3, axis=1
        )
        return query, keys, values

    def by_head(self, states: Array) -> mx.array:
        """Return keys or values (t, d) as they are kept: (1, h, t, s)."""
        return mx.array(states.reshape(len(states), self._heads, -1).transpose(1, 0, 2)[None])

    def attend(self, query: Array, keys: Array, values: Array, around: Around = ()) -> Array:
        """Return the output (t, d) of attention for frames, to themselves and to extra positions."""
        keys = np.concatenate([keys, *(_joined(more) for more, _ in around)])
        values = np.concatenate([values, *(_joined(meant) for _, meant in around)])
        return self._out(attention(query, keys, values, self._heads))


def _joined(states: mx.array) -> Array:
    """Join the heads of kept keys or values (1, h, u, s): (u, d)."""
    _, heads, count, size = states.shape
    rows: Array = numbers(states)[0].transpose(1, 0, 2).reshape(count, heads * size)
    return rows
