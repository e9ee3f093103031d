"""The product with the vocabulary on a processor: all tokens in bytes, the likely ones exactly.

Fifty thousand rows of float32 are read from memory at every step: more than all layers of a small model. Here a
quarter is read. By how much a logit is wrong then is at most its row's rounding times the length of the state
(Cauchy-Schwarz): every token that this leaves a chance to be among the likeliest is computed again in float32, so that
these are the right ones, in the right order, with the right logits.

Shapes: m rows, d states, v tokens, u distinct rows of the embedding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.beam import top_tokens
from engine.machine.byte_products import ByteMatrix

Array = NDArray[np.float32]

FEW_ROWS = 6
"""More rows than this are rounded to one byte a number instead of two, which halves the work."""

MANY_ROWS = 32
"""With more rows than this float32 is as quick: the matrix is read once for all of them."""

CERTAIN_TOKENS = 12
"""So many of the likeliest are right. A beam asks for one more than it has candidates; some tokens may be forbidden."""

SLACK = 1e-4  # of a logit: what float32 itself is wrong by
LOOKED_AT = 32  # tokens that are likely at first sight
MOST_EXACT = 4096  # above it, a product of all rows is quicker than one of scattered rows


class CpuVocabulary:
    """The logits of every token, as MLX's product would give them.

    Attributes:
        rows, exact: how many rows of logits were made, and how many tokens of them were computed in float32.
    """

    def __init__(self, rows: Array, kept: NDArray[np.int64] | None = None, n_vocab: int = 0) -> None:
        """Multiply with rows (v, d); with `kept`, these are the rows of the tokens `kept` and one for all others."""
        self._rows = np.ascontiguousarray(rows)
        self._bytes = ByteMatrix(self._rows, width=1)
        self._kept = kept
        self._places = np.full(n_vocab, len(rows) - 1)
        if kept is not None:
            self._places[kept] = np.arange(len(kept))
        self._n_vocab = n_vocab or len(rows)
        self.rows = self.exact = 0

    def logits(self, states: Array) -> Array:
        """Give the logits (m, v) of states (m, d).

        The CERTAIN_TOKENS likeliest are exact, and so are the tokens of a row that might be among them. Others may be
        wrong by what `ByteMatrix.errors` says, and are as a rule by a twentieth of that.
        """
        if len(states) > MANY_ROWS or len(self._rows) <= MOST_EXACT:
            return self._spread(states @ self._rows.T)
        if len(states) > FEW_ROWS:
            logits, errors = self._bytes.rough_product(states)
        else:
            logits, errors = self._bytes.product(states), self._bytes.errors(states)
        for row, most, state in zip(logits, errors, states, strict=True):
            most += row
            self._make_exact(row, most, state)
        return self._spread(logits)

    def embed(self, tokens: NDArray[np.int64]) -> Array:
        """Look tokens (…,) up: (…, d)."""
        return self._rows[tokens if self._kept is None else self._places[tokens]]

    def _make_exact(self, row: Array, most: Array, state: Array) -> None:
        """Compute in float32 what may be among the likeliest of a row (u,), whose logits are at most `most` (u,)."""
        first = np.asarray(top_tokens(row, LOOKED_AT))
        least = np.partition(self._rows[first] @ state, -CERTAIN_TOKENS)[-CERTAIN_TOKENS]
        chosen = np.flatnonzero(most >= least - SLACK * abs(least))
        if len(chosen) > MOST_EXACT:
            np.dot(self._rows, state, out=row)
        else:
            row[chosen] = self._rows[chosen] @ state
        self.rows += 1
        self.exact += len(chosen)

    def _spread(self, logits: Array) -> Array:
        """Give every token the logit of its row: (m, u) -> (m, v)."""
        if self._kept is None:
            return logits
        spread = np.empty((len(logits), self._n_vocab), np.float32)
        spread[:] = logits[:, -1:]
        spread[:, self._kept] = logits[:, :-1]
        return spread
