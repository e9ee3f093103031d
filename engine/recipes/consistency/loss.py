"""What a consistency model learns (CLLM, arXiv:2403.00835): from any point of a block's way to where it will stand.

In the places behind a point's first difference from the standing block the model should expect what it expects there
once the block stands, and it should go on writing that block: 10 times the cross-entropy of the standing block, and
the cross-entropy of the probabilities at the point with those at the standing block, through which no gradient goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.language.language import new_caches
from engine.language.language_model import head_of
from engine.recipes.consistency.trajectories import JacobiReply

AUTOREGRESSIVE_WEIGHT = 10.0


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens before a block, a point of its way, and the tokens that will stand there."""

    before: tuple[int, ...]
    point: tuple[int, ...]
    standing: tuple[int, ...]

    @property
    def reached(self) -> range:
        """The places of the block whose tokens are expected behind a difference."""
        pairs = enumerate(zip(self.point, self.standing, strict=False))
        first = next((place for place, (one, other) in pairs if one != other), len(self.point))
        return range(first + 1, min(len(self.point) + 1, len(self.standing)))


def draw_example(replies: Sequence[JacobiReply], block_tokens: int, random: Random) -> Example:
    """Any point of any block, of replies that have some."""
    reply = random.choice(replies)
    block = random.choice(reply.blocks)
    standing = reply.tokens[block.begin : block.begin + block_tokens]
    return Example((*reply.prompt, *reply.tokens[: block.begin]), random.choice(block.points), standing)


class ConsistencyLoss:
    """Measures a model on one example at a time; each has a length of its own, and what is before a block is read once
    for the standing block and for the point."""

    def __init__(self, model: nn.Module) -> None:
        """Take a model of which adapters are trained."""
        self._model = model
        self._head = head_of(model)

    def __call__(self, example: Example) -> tuple[mx.array, mx.array]:
        """Summed cross-entropy of the standing block's tokens, and of the probabilities at the point with those at the
        standing block, in the places that a difference reaches."""
        caches = new_caches(self._model)
        *before, last = example.before
        if before:
            self._states(before, caches)
        length = len(example.standing)
        at_standing = self._logits([last, *example.standing[:-1]], caches)
        written = nn.losses.cross_entropy(at_standing, mx.array(example.standing)).sum()
        if not example.reached:
            return written, mx.zeros(())
        for cache in caches:
            cache.trim(length)
        at_point = self._logits([last, *example.point[: length - 1]], caches)
        reached = slice(example.reached.start, example.reached.stop)
        expected = mx.stop_gradient(mx.softmax(at_standing[reached], axis=-1))
        return written, nn.losses.cross_entropy(at_point[reached], expected).sum()

    def _states(self, tokens: Sequence[int], caches: list[Any]) -> mx.array:
        block = mx.array([list(tokens)])
        states: mx.array = (self._model if self._head is None else self._model.model)(block, caches)
        return states[0]

    def _logits(self, tokens: Sequence[int], caches: list[Any]) -> mx.array:
        """Logits (n, vocabulary) behind tokens (n,)."""
        states = self._states(tokens, caches)
        logits = states if self._head is None else self._head(states[None])[0]
        return logits.astype(mx.float32)
