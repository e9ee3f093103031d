"""The product with the vocabulary on a CPU: 8-bit weights for all tokens, whole ones for the likely ones.

Fifty thousand rows of float32 would be read from memory at every step: more than all layers of a small model. Here a
quarter is read. The error of a logit is at most its row's rounding error times the length of the state
(Cauchy-Schwarz). Every token that may be among the likeliest within this bound is computed again in float32, so that
these are the right ones, in the right order, with the right logits.

The mean of all rows is subtracted before they are rounded, and columns that are large in all rows are scaled between
rows and states: otherwise a few large numbers would leave few quantization steps for all others.

Rows that are float16 on the disk stay so in memory, where they are most of a small model, and become float32 when they
are multiplied. The numbers are the same.

Shapes: m rows, d states, v tokens, u distinct rows of the embedding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hear.whisper.embedding import blocks_of
from engine.machine.byte_products import BoundedByteMatrix
from engine.machine.halves import widened

Array = NDArray[np.float32]

MANY_ROWS = 32
"""Most rows for which 8-bit weights are faster; with more, float32 reads the matrix once for all of them."""

CERTAIN_TOKENS = 12
"""Number of the likeliest tokens that are exact. A beam needs one more than it has candidates; some may be
forbidden.
"""

SLACK = 1e-4  # of a logit: the error of float32 itself
GROUPS = 64  # tokens are searched in this many interleaved groups
MOST_EXACT = 4096  # above it, a product of all rows is faster than one of scattered rows
SHARE = 0.5  # exponent of a column's spread that moves to the states
LEAST_SPREAD = 1e-3  # of the widest column's


class CpuVocabulary:
    """The logits of every token, as MLX's product gives them.

    Attributes:
        rows, exact: number of rows of logits computed, and of their tokens computed in float32.
    """

    def __init__(self, rows: NDArray[Any], kept: NDArray[np.int64] | None = None, n_vocab: int = 0) -> None:
        """Store rows (v, d) of the embedding, float32 or float16.

        With `kept`, these are the rows of the tokens `kept` and one for all others.
        """
        self._rows = np.ascontiguousarray(rows)
        total = sum(block.sum(axis=0, dtype=np.float64) for block in self._blocks())
        self._common = (total / len(rows)).astype(np.float32)
        squares = sum(np.square(block - self._common).sum(axis=0, dtype=np.float64) for block in self._blocks())
        spread = np.sqrt(squares / len(rows)).astype(np.float32)
        self._shares = np.maximum(spread, max(LEAST_SPREAD * spread.max(), np.finfo(np.float32).tiny)) ** SHARE
        self._bytes = BoundedByteMatrix((block - self._common) / self._shares for block in self._blocks())
        self._kept = kept
        self._places = np.full(n_vocab, len(rows) - 1)
        if kept is not None:
            self._places[kept] = np.arange(len(kept))
        self._n_vocab = n_vocab or len(rows)
        self.rows = self.exact = 0

    def logits(self, states: Array) -> Array:
        """Return the logits (m, v) of states (m, d).

        The CERTAIN_TOKENS likeliest are exact, and so are the tokens of a row that might be among them. The others are
        within the bound of `BoundedByteMatrix.bounded_product`, and usually much closer.
        """
        if len(states) > MANY_ROWS or len(self._rows) <= MOST_EXACT:
            return self._spread(self._product(states, np.empty((len(states), len(self._rows)), np.float32)))
        logits, wrong = self._bytes.bounded_product(states * self._shares)
        logits += states @ self._common[:, None]
        self._make_exact(logits, wrong, states)
        return self._spread(logits)

    def embed(self, tokens: NDArray[np.int64]) -> Array:
        """Look up tokens (…,): (…, d)."""
        return widened(self._rows[tokens if self._kept is None else self._places[tokens]])

    def _blocks(self) -> Iterator[Array]:
        """Yield the rows in blocks: a copy of all of them would be the largest array of a small model."""
        return blocks_of(self._rows)

    def _product(self, states: Array, logits: Array) -> Array:
        """Compute the exact logits (m, u) of states (m, d) in place."""
        if self._rows.dtype == np.float32:
            return np.matmul(states, self._rows.T, out=logits)
        start = 0
        for block in self._blocks():
            np.matmul(states, block.T, out=logits[:, start : start + len(block)])
            start += len(block)
        return logits

    def _make_exact(self, logits: Array, wrong: Array, states: Array) -> None:
        """Recompute in float32 those logits (m, u), with errors of at most `wrong` (m, u), that may be among the
        likeliest.

        The n-th largest of the groups' maxima is at most the n-th largest logit.
        """
        count, tokens = logits.shape
        whole = tokens // GROUPS * GROUPS
        lowest = logits - wrong
        maxima = np.maximum.reduce(lowest[:, :whole].reshape(count, GROUPS, -1), axis=1)
        least = np.partition(maxima, -CERTAIN_TOKENS, axis=1)[:, -CERTAIN_TOKENS, None]
        least -= SLACK * np.abs(least)
        wrong += logits
        places = np.flatnonzero(wrong >= least)
        self.rows += count
        self.exact += len(places)
        if len(places) > MOST_EXACT * count:
            self._product(states, logits)
        else:
            of, token = np.divmod(places, tokens)
            logits.reshape(-1)[places] = np.einsum("ij,ij->i", widened(self._rows[token]), states[of])

    def _spread(self, logits: Array) -> Array:
        """Assign every token the logit of its row: (m, u) -> (m, v)."""
        if self._kept is None:
            return logits
        spread = np.empty((len(logits), self._n_vocab), np.float32)
        spread[:] = logits[:, -1:]
        spread[:, self._kept] = logits[:, :-1]
        return spread
