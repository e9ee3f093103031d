"""The layers of a LLaMA in the layout that is fastest for decoder steps on a CPU."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.hear.whisper.kernels import silu


@dataclass(frozen=True, slots=True)
class FusedLayer:
    """A layer's matrices in the fastest layout for few rows on a CPU, with the norms' gains in them: (in, out),
    contiguous.

    Queries, keys and values are one matrix, since each operation counts in a decoder step. Gate and up-projection are
    two: OpenBLAS multiplies up to a million numbers (rows x in x out) in place, and copies a larger matrix first, which
    takes longer.

    Attributes:
        attended: (d, (h + 2 shared) w): queries, scaled, keys and values.
        mixed: (h w, d): the output projection of attention.
        gate, up, down: matrices of the feed-forward layer.
        shifts: biases of these five; None for a layer without biases.
        epsilon: epsilon of both norms.
        sources: the parameters that these were made from.
    """

    attended: mx.array
    mixed: mx.array
    gate: mx.array
    up: mx.array
    down: mx.array
    shifts: tuple[mx.array | None, ...]
    epsilon: float
    sources: tuple[mx.array, ...]

    @classmethod
    def of(cls, layer: Any, scale: float) -> FusedLayer | None:
        """Fuse mlx-lm's layer; return None if its projections are quantized."""
        if any(type(part) is not nn.Linear for part in _projections(layer)):
            return None
        sources = _sources(layer)
        query, key, value, out, gate, up, down, gains, later_gains = sources[:9]
        matrices = (
            mx.concatenate([query * scale, key, value]) * gains,
            out,
            gate * later_gains,
            up * later_gains,
            down,
        )
        attended, mixed, gate, up, down = (mx.contiguous(matrix.T) for matrix in matrices)
        biases: list[Any] = [part.get("bias") for part in _projections(layer)]
        shift = None if biases[0] is None else mx.concatenate([biases[0] * scale, *biases[1:3]])
        return cls(attended, mixed, gate, up, down, (shift, *biases[3:]), float(layer.input_layernorm.eps), sources)

    def is_of(self, layer: Any) -> bool:
        """Return whether the layer's parameters are still the same; training replaces them at every step."""
        return all(map(operator.is_, _sources(layer), self.sources))

    def arrays(self) -> list[mx.array]:
        """Return all arrays that were made, for evaluation."""
        shifts = [shift for shift in self.shifts if shift is not None]
        return [self.attended, self.mixed, self.gate, self.up, self.down, *shifts]

    def attend(self, x: mx.array) -> mx.array:
        """Compute scaled queries, keys and values of x (b, n, d), which is normalized first."""
        return _affine(mx.fast.rms_norm(x, None, self.epsilon), self.attended, self.shifts[0])

    def finish(self, x: mx.array, mixed: mx.array) -> mx.array:
        """Add the output of attention (b, n, h w) to x (b, n, d), then that of the feed-forward layer."""
        _, joins, gates, ups, downs = self.shifts
        x = x + _affine(mixed, self.mixed, joins)
        normed = mx.fast.rms_norm(x, None, self.epsilon)
        gated = silu(_affine(normed, self.gate, gates)) * _affine(normed, self.up, ups)
        return x + _affine(gated, self.down, downs)


def _affine(x: mx.array, matrix: mx.array, shift: mx.array | None) -> mx.array:
    return x @ matrix if shift is None else mx.addmm(shift, x, matrix)


def _projections(layer: Any) -> tuple[nn.Module, ...]:
    attention, mlp = layer["self_attn"], layer["mlp"]  # items of a module are found faster than its attributes
    return (
        *(attention[name] for name in ("q_proj", "k_proj", "v_proj", "o_proj")),
        *(mlp[name] for name in ("gate_proj", "up_proj", "down_proj")),
    )


def _sources(layer: Any) -> tuple[mx.array, ...]:
    """Return all parameters of a layer: weights of projections and norms, then biases of the projections, if any."""
    projections = _projections(layer)
    parts = (*projections, layer["input_layernorm"], layer["post_attention_layernorm"])
    return (*(part["weight"] for part in parts), *(part["bias"] for part in projections if "bias" in part))


Layer = FusedLayer | Any
"""A layer of the LLaMA: fused, or mlx-lm's own."""
