"""The product with the vocabulary on a processor: all tokens in bytes, the likely ones exactly.

Fifty thousand rows of float32 are read from memory at every step: more than all layers of a small model. Here a
quarter is read. By how much a logit is wrong then is at most its row's rounding times the length of the state
(Cauchy-Schwarz): every token that this leaves a chance to be among the likeliest is computed again in float32, so that
these are the right ones, in the right order, with the right logits.

What all rows have in common is taken off before they are rounded, and numbers that are large in all rows are shared
out between rows and states: otherwise a few such numbers would leave few steps for all others. That makes logits six
times as precise.

Shapes: m rows, d states, v tokens, u distinct rows of the embedding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.machine.byte_products import BoundedByteMatrix

Array = NDArray[np.float32]

MANY_ROWS = 32
"""With more rows than this float32 is as quick: the matrix is read once for all of them."""

CERTAIN_TOKENS = 12
"""So many of the likeliest are right. A beam asks for one more than it has candidates; some tokens may be forbidden."""

SLACK = 1e-4  # of a logit: what float32 itself is wrong by
GROUPS = 64  # tokens are looked through in so many interleaved groups
MOST_EXACT = 4096  # above it, a product of all rows is quicker than one of scattered rows
SHARE = 0.5  # the power of a column's spread that the states take over
LEAST_SPREAD = 1e-3  # of the widest column's


class CpuVocabulary:
    """The logits of every token, as MLX's product would give them.

    Attributes:
        rows, exact: how many rows of logits were made, and how many tokens of them were computed in float32.
    """

    def __init__(self, rows: Array, kept: NDArray[np.int64] | None = None, n_vocab: int = 0) -> None:
        """Multiply with rows (v, d); with `kept`, these are the rows of the tokens `kept` and one for all others."""
        self._rows = np.ascontiguousarray(rows)
        self._common = self._rows.mean(axis=0)
        evened = self._rows - self._common
        spread = evened.std(axis=0)
        self._shares = np.maximum(spread, max(LEAST_SPREAD * spread.max(), np.finfo(np.float32).tiny)) ** SHARE
        evened /= self._shares
        self._bytes = BoundedByteMatrix(evened)
        self._kept = kept
        self._places = np.full(n_vocab, len(rows) - 1)
        if kept is not None:
            self._places[kept] = np.arange(len(kept))
        self._n_vocab = n_vocab or len(rows)
        self.rows = self.exact = 0

    def logits(self, states: Array) -> Array:
        """Give the logits (m, v) of states (m, d).

        The CERTAIN_TOKENS likeliest are exact, and so are the tokens of a row that might be among them. Others may be
        wrong by what `BoundedByteMatrix.bounded_product` says, and are as a rule by a twentieth of that.
        """
        if len(states) > MANY_ROWS or len(self._rows) <= MOST_EXACT:
            return self._spread(states @ self._rows.T)
        logits, wrong = self._bytes.bounded_product(states * self._shares)
        logits += states @ self._common[:, None]
        self._make_exact(logits, wrong, states)
        return self._spread(logits)

    def embed(self, tokens: NDArray[np.int64]) -> Array:
        """Look tokens (…,) up: (…, d)."""
        return self._rows[tokens if self._kept is None else self._places[tokens]]

    def _make_exact(self, logits: Array, wrong: Array, states: Array) -> None:
        """Compute in float32 which of the logits (m, u), wrong by as much (m, u) at most, may be among the likeliest.

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
            np.matmul(states, self._rows.T, out=logits)
        else:
            of, token = np.divmod(places, tokens)
            logits.reshape(-1)[places] = np.einsum("ij,ij->i", self._rows[token], states[of])

    def _spread(self, logits: Array) -> Array:
        """Give every token the logit of its row: (m, u) -> (m, v)."""
        if self._kept is None:
            return logits
        spread = np.empty((len(logits), self._n_vocab), np.float32)
        spread[:] = logits[:, -1:]
        spread[:, self._kept] = logits[:, :-1]
        return spread
