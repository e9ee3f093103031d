"""The decoder's caches: of the features for one round, of the tokens for one decoding.

Shapes: b rows of a batch (a beam), h heads, n tokens, t frames of features, s states of a head.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

GROWTH = 64  # tokens: the cache grows in such steps, so that reordering a beam copies little unused memory


@dataclass(frozen=True, slots=True)
class CrossCache:
    """Cross-attention keys and values of every decoder layer, (1, h, t, s) each, shared by all rows of a batch."""

    keys: tuple[mx.array, ...]
    values: tuple[mx.array, ...]

    @property
    def frames(self) -> int:
        return int(self.keys[0].shape[2])

    def arrays(self) -> list[mx.array]:
        """Return all arrays, for evaluation."""
        return [*self.keys, *self.values]


class DecoderCache:
    """Self-attention keys and values of every decoder layer, preallocated (b, h, room, s).

    They are arrays of MLX's, or of numpy's for a decoder that computes in these.

    Attributes:
        offset: number of cached tokens; the next block continues from this position.
        batch: number of rows.
    """

    def __init__(
        self, layers: int, shape: tuple[int, int, int], limit: int, dtype: mx.Dtype | type[Any], library: Any = mx
    ) -> None:
        """Allocate for up to `limit` tokens of shape = (rows, heads, states of a head), as arrays of a library, mx or
        np.
        """
        self.offset = 0
        self._library = library
        self.batch, self._heads, self._states = shape
        self._limit = limit
        self._dtype = dtype
        self._keys = [self._room(GROWTH) for _ in range(layers)]
        self._values = [self._room(GROWTH) for _ in range(layers)]

    def append(self, layer: int, keys: Any, values: Any) -> tuple[Any, Any]:
        """Store one layer's keys and values (b, h, n, s) at the offset; return all (b, h, offset + n, s).

        The offset moves with `advance`, once every layer has stored its part.
        """
        end = self.offset + keys.shape[2]
        if end > self._limit:
            raise ValueError(f"The decoder holds {self._limit} tokens; {end} were given.")
        if keys.shape[0] != self.batch:
            raise ValueError(f"The cache has {self.batch} rows; tokens for {keys.shape[0]} were given.")
        self._keys[layer] = self._grown(self._keys[layer], end)
        self._values[layer] = self._grown(self._values[layer], end)
        self._keys[layer][:, :, self.offset : end] = keys
        self._values[layer][:, :, self.offset : end] = values
        return self._keys[layer][:, :, :end], self._values[layer][:, :, :end]

    def advance(self, count: int) -> None:
        """Move the offset by tokens that every layer has stored."""
        self.offset += count

    def truncate(self, length: int) -> None:
        """Remove all tokens from position `length` on."""
        if not 0 <= length <= self.offset:
            raise ValueError(f"A cache of {self.offset} tokens cannot be cut to {length}.")
        self.offset = length

    def reorder(self, indices: Sequence[int]) -> None:
        """Make row i continue row indices[i]; a beam may shrink, grow or repeat rows."""
        if list(indices) != list(range(self.batch)):
            self._select(indices)

    def expand(self, batch: int) -> None:
        """Repeat the only row, as when a beam continues a prompt that was read once."""
        if self.batch != 1:
            raise ValueError(f"Only a cache of one row can be expanded, not one of {self.batch}.")
        self.reorder([0] * batch)

    def arrays(self) -> list[Any]:
        """Return all arrays, for evaluation."""
        return [*self._keys, *self._values]

    def _select(self, indices: Sequence[int]) -> None:
        if any(not 0 <= index < self.batch for index in indices):
            raise ValueError(f"The cache has {self.batch} rows; rows {list(indices)} were asked for.")
        chosen = self._library.array(list(indices))
        self._keys = [self._library.take(keys, chosen, axis=0) for keys in self._keys]
        self._values = [self._library.take(values, chosen, axis=0) for values in self._values]
        self.batch = len(indices)

    def _room(self, length: int) -> Any:
        return self._library.zeros((self.batch, self._heads, min(length, self._limit), self._states), dtype=self._dtype)

    def _grown(self, held: Any, end: int) -> Any:
        missing = end - held.shape[2]
        if missing <= 0:
            return held
        return self._library.concatenate([held, self._room(-(-missing // GROWTH) * GROWTH)], axis=2)
