"""Token embeddings of a CPU: in half precision, or with one copy of a row that many tokens share.

A model trained on part of a vocabulary has the same row for every unused token. The product with the embedding is most
of a decoder step's cost on a CPU, and equal rows give equal logits, so each distinct row is multiplied once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.machine.halves import widened

BLOCK_ROWS = 4096  # in float32 at a time
LEAST_SHARE = 0.25  # of the vocabulary that must share a row, so that scattering the logits pays off


class HalfEmbedding(nn.Module):
    """Replaces nn.Embedding: the same numbers in half the memory, float32 when they are used.

    Attributes:
        weight: float16 (n_vocab, d).
    """

    def __init__(self, weight: mx.array) -> None:
        """Keep float16 rows (n_vocab, d)."""
        super().__init__()
        self.weight = weight

    def __call__(self, tokens: mx.array) -> mx.array:
        """Look up tokens (b, n): (b, n, d)."""
        return self.weight[tokens].astype(mx.float32)

    def as_linear(self, x: mx.array) -> mx.array:
        """Compute the logits (b, n, n_vocab) of states (b, n, d) immediately, since MLX would widen all rows first."""
        states = np.array(x.astype(mx.float32))
        rows: NDArray[np.float16] = np.array(self.weight, copy=False)
        return mx.array(np.concatenate([states @ block.T for block in blocks_of(rows)], axis=-1))


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


AnyEmbedding = nn.Embedding | HalfEmbedding | SharedRowEmbedding


def shared_rows(weight: mx.array) -> SharedRowEmbedding | None:
    """Compact an embedding (n_vocab, d) in which one row is repeated many times; return None if there is no such
    row.
    """
    rows: NDArray[Any] = np.array(weight, copy=False)
    random = np.random.default_rng(0).standard_normal(rows.shape[1:], dtype=np.float32)
    marks = np.concatenate([block @ random for block in blocks_of(rows)])
    _, first, counts = np.unique(marks, return_index=True, return_counts=True)
    if counts.max() < LEAST_SHARE * len(rows):
        return None
    candidate = widened(rows[first[counts.argmax()]])
    own = np.concatenate([np.any(block != candidate, axis=1) for block in blocks_of(rows)])
    # exact, since two rows may have equal marks by chance
    if own.mean() > 1 - LEAST_SHARE:
        return None
    kept = np.flatnonzero(own)
    distinct = mx.array(np.concatenate([widened(rows[kept]), candidate[None]]))
    return SharedRowEmbedding(distinct, kept, len(rows))


def blocks_of(rows: NDArray[Any]) -> Iterator[NDArray[np.float32]]:
    """Yield rows (v, d) in blocks of float32, one in memory at a time."""
    return (widened(rows[start : start + BLOCK_ROWS]) for start in range(0, len(rows), BLOCK_ROWS))
