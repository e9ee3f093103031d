"""A token embedding that stores one copy of a row that many tokens share.

A model trained on part of a vocabulary has the same row for every unused token. The product with the embedding is most
of a decoder step's cost on a CPU, and equal rows give equal logits, so each distinct row is multiplied once.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

LEAST_SHARE = 0.25  # of the vocabulary that must share a row, so that scattering the logits pays off


class SharedRowEmbedding(nn.Module):
    """Replaces nn.Embedding: the same numbers from fewer rows.

    Attributes:
        weight: the distinct rows, the shared one last (u + 1, d).
        kept: ascending ids (u,) of the tokens with rows of their own.
        n_vocab: number of tokens.
    """

    def __init__(self, weight: mx.array, kept: np.ndarray, n_vocab: int) -> None:
        """Store the distinct rows and the tokens that own them."""
        super().__init__()
        self.weight = weight
        self.n_vocab = n_vocab
        self.kept: Any = kept
        rows = np.full(n_vocab, len(kept), np.int32)
        rows[kept] = np.arange(len(kept), dtype=np.int32)
        self._rows = mx.array(rows)
        self._kept = mx.array(kept.astype(np.int32))
        mx.eval(self._rows, self._kept)

    def __call__(self, tokens: mx.array) -> mx.array:
        """Look up tokens (b, n): (b, n, d)."""
        return self.weight[self._rows[tokens]]

    def as_linear(self, x: mx.array) -> mx.array:
        """Return the logits (b, n, n_vocab) of states (b, n, d)."""
        distinct = x @ self.weight.T
        shared = mx.broadcast_to(distinct[..., -1:], (*x.shape[:-1], self.n_vocab))
        own = mx.broadcast_to(self._kept, (*x.shape[:-1], self._kept.size))
        return mx.put_along_axis(shared, own, distinct[..., :-1], axis=-1)


def shared_rows(weight: mx.array) -> SharedRowEmbedding | None:
    """Compact an embedding (n_vocab, d) in which one row is repeated many times; return None if there is no such
    row.
    """
    rows = np.array(weight.astype(mx.float32), copy=False)
    marks = rows @ np.random.default_rng(0).standard_normal(rows.shape[1:], dtype=np.float32)
    _, first, counts = np.unique(marks, return_index=True, return_counts=True)
    if counts.max() < LEAST_SHARE * len(rows):
        return None
    candidate = rows[first[counts.argmax()]]
    own = np.any(rows != candidate, axis=1)  # exact: two rows may have equal marks by chance
    if own.mean() > 1 - LEAST_SHARE:
        return None
    kept = np.flatnonzero(own)
    distinct = mx.array(np.concatenate([rows[kept], candidate[None]])).astype(weight.dtype)
    return SharedRowEmbedding(distinct, kept, len(rows))
