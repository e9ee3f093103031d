"""The layers of a LLaMA, laid out as a CPU computes a decoder step soonest."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.hear.whisper.kernels import silu


@dataclass(frozen=True, slots=True)
class Arranged:
    """A layer's matrices as a CPU multiplies few rows soonest, with the norms' gains in them: (in, out), contiguous.

    What attends is one matrix, since each operation counts in a decoder step. What gates is two: OpenBLAS multiplies
    up to a million numbers (rows x in x out) as they lie, and copies the matrix beforehand where there are more, which
    takes two to three times as long; four rows of 256 by 640 are less, of 256 by 1280 more.

    Attributes:
        attended: (d, (h + 2 shared) w): queries, scaled, keys and values.
        mixed: (h w, d): what joins the heads.
        gate, up, down: of the feed-forward layer.
        shifts: what is added behind each of these five; None for a layer without biases.
        epsilon: of both norms.
        sources: the parameters that these were made of.
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
    def of(cls, layer: Any, scale: float) -> Arranged | None:
        """Arrange mlx-lm's layer; None where its projections are quantised."""
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
        """Tell whether the layer's parameters are still those; a training has others at every step."""
        return all(map(operator.is_, _sources(layer), self.sources))

    def arrays(self) -> list[mx.array]:
        """Everything that was made, to be evaluated."""
        shifts = [shift for shift in self.shifts if shift is not None]
        return [self.attended, self.mixed, self.gate, self.up, self.down, *shifts]

    def attend(self, x: mx.array) -> mx.array:
        """Make queries, scaled, keys and values of x (b, n, d), which is normalised first."""
        return _affine(mx.fast.rms_norm(x, None, self.epsilon), self.attended, self.shifts[0])

    def finish(self, x: mx.array, mixed: mx.array) -> mx.array:
        """Add to x (b, n, d) what the heads mixed (b, n, h w), joined, and then what the feed-forward layer makes."""
        _, joins, gates, ups, downs = self.shifts
        x = x + _affine(mixed, self.mixed, joins)
        normed = mx.fast.rms_norm(x, None, self.epsilon)
        gated = silu(_affine(normed, self.gate, gates)) * _affine(normed, self.up, ups)
        return x + _affine(gated, self.down, downs)


def _affine(x: mx.array, matrix: mx.array, shift: mx.array | None) -> mx.array:
    return x @ matrix if shift is None else mx.addmm(shift, x, matrix)


def _projections(layer: Any) -> tuple[nn.Module, ...]:
    attention, mlp = layer["self_attn"], layer["mlp"]  # items of a module are found sooner than its attributes
    return (
        *(attention[name] for name in ("q_proj", "k_proj", "v_proj", "o_proj")),
        *(mlp[name] for name in ("gate_proj", "up_proj", "down_proj")),
    )


def _sources(layer: Any) -> tuple[mx.array, ...]:
    """All parameters of a layer: its projections' and its norms', then the projections' biases, if they have any."""
    projections = _projections(layer)
    parts = (*projections, layer["input_layernorm"], layer["post_attention_layernorm"])
    return (*(part["weight"] for part in parts), *(part["bias"] for part in projections if "bias" in part))


Layer = Arranged | Any
"""A layer of the LLaMA: arranged, or mlx-lm's own."""
