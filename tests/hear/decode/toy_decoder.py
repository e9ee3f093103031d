"""A decoder without a neural network: functions of the whole text so far say what comes next, and what after it.

Its states are logits, the next token's and then the heads', so that all between them and a text is the real thing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.decoder import Heads, Tokens

START, END = 1, 0
Next = Callable[[tuple[int, ...]], NDArray[np.float32]]
"""Function from a text to the logits (v,) of the token after it."""
Ahead = Callable[[tuple[int, ...], int], NDArray[np.float32]]
"""Function from a text and a head's number n, 2 or more, to the logits (u,) of the n-th token after it."""


class ToyCache:
    """The tokens of every row themselves."""

    def __init__(self, rows: Sequence[Sequence[int]] = ((),)) -> None:
        self.rows = [list(row) for row in rows]

    @property
    def offset(self) -> int:
        (length,) = {len(row) for row in self.rows}
        return length

    @property
    def batch(self) -> int:
        return len(self.rows)

    def truncate(self, length: int) -> None:
        assert 0 <= length <= self.offset
        self.rows = [row[:length] for row in self.rows]

    def reorder(self, indices: Sequence[int]) -> None:
        self.rows = [list(self.rows[index]) for index in indices]


class ToyHeads:
    """Heads that read what they say out of the states; see ToyDecoder."""

    def __init__(self, ahead: int, vocabulary: int, draft_tokens: Sequence[int] | None) -> None:
        self.ahead = ahead
        self.draft_tokens: Tokens | None = None if draft_tokens is None else np.array(draft_tokens, np.int64)
        self._vocabulary = vocabulary

    def logits(self, states: mx.array, count: int) -> mx.array:
        return states[:, self._vocabulary :].reshape(len(states), self.ahead - 1, -1)[:, :count]


class ToyDecoder:
    """A TokenDecoder by two functions; `blocks` is every block that it read, a list of rows each."""

    def __init__(
        self, following: Next, ahead: Ahead | None = None, heads: int = 4, draft_tokens: Sequence[int] | None = None
    ) -> None:
        self.blocks: list[list[list[int]]] = []
        self._following, self._ahead, self._count = following, ahead, heads
        self._vocabulary = len(following(()))
        self.heads: Heads | None = ToyHeads(heads, self._vocabulary, draft_tokens) if ahead else None

    def new_cache(self) -> ToyCache:
        return ToyCache()

    def forward(self, tokens: mx.array, cache: ToyCache) -> mx.array:
        block: list[list[int]] = np.array(tokens).tolist()
        assert len(block) == cache.batch
        self.blocks.append(block)
        states = []
        for row, new in zip(cache.rows, block, strict=True):
            texts = [self._text((*row, *new[: count + 1])) for count in range(len(new))]
            states.append([np.concatenate([self._following(text), *self._foreseen(text)]) for text in texts])
            row += new
        return mx.array(np.array(states))

    def logits(self, states: mx.array) -> mx.array:
        return states[..., : self._vocabulary]

    def _text(self, tokens: tuple[int, ...]) -> tuple[int, ...]:
        """Return the tokens that were written, without the start; shorter rows of a batch may end in anything."""
        return tokens[1:]

    def _foreseen(self, text: tuple[int, ...]) -> list[NDArray[np.float32]]:
        return [self._ahead(text, head) for head in range(2, self._count + 1)] if self._ahead else []


def planted(rows: Mapping[tuple[int, ...], Mapping[int, float]], vocabulary: int = 10) -> Next:
    """Return a model of these probabilities; after any other text it ends. Tokens without one share what is left."""

    def following(text: tuple[int, ...]) -> NDArray[np.float32]:
        return logits_of(rows.get(text, {END: 0.99}), vocabulary)

    return following


def logits_of(probabilities: Mapping[int, float], vocabulary: int = 10) -> NDArray[np.float32]:
    left = max(1 - sum(probabilities.values()), 1e-9) / (vocabulary - len(probabilities))
    return np.array([math.log(probabilities.get(token, left)) for token in range(vocabulary)], np.float32)
