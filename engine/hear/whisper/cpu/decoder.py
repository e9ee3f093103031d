"""Whisper's decoder on a CPU, in numpy and int8 products: the same states as MLX's, computed faster.

A step is a few hundred operations on a few thousand numbers, so the overhead of each operation counts. Every matrix is
read from memory once, in 8-bit weights, a quarter of float32.

Shapes: b rows of a batch (a beam), n tokens, m = b n, t frames of features, h heads, s states of a head, d = h s.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.whisper.cpu.layers import ByteLinear, FeedForward, Norm, exponentials, numbers
from engine.hear.whisper.cpu.vocabulary import CpuVocabulary
from engine.hear.whisper.embedding import SharedRowEmbedding
from engine.hear.whisper.kernels import HIDDEN
from engine.hear.whisper.model import DecoderBlock, Whisper

Array = NDArray[np.float32]


class CpuDecoder:
    """A FastDecoder (engine.hear.whisper.model) for a model with evaluated float32 weights.

    Attributes:
        vocabulary: computes the logits.
    """

    def __init__(self, model: Whisper) -> None:
        decoder, self._dims = model.decoder, model.dims
        self._positions = numbers(decoder.positional_embedding)
        self._blocks = [_Block(block) for block in decoder.blocks]
        self._norm = Norm(decoder.ln)
        self.vocabulary = make_vocabulary(decoder.token_embedding)

    def new_cache(self, batch: int) -> DecoderCache:
        """Create an empty cache for `batch` rows, of numpy arrays."""
        dims = self._dims
        shape = (batch, dims.n_text_head, dims.n_text_state // dims.n_text_head)
        return DecoderCache(dims.n_text_layer, shape, dims.n_text_ctx, np.float32, np)

    def __call__(
        self, tokens: mx.array, cross: CrossCache, cache: DecoderCache, scored_layers: frozenset[int]
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """Compute what TextDecoder computes, immediately."""
        rows, count = tokens.shape
        x = self.vocabulary.embed(np.array(tokens)) + self._positions[cache.offset : cache.offset + count]
        x = x.reshape(rows * count, -1)
        scores = {}
        for layer, block in enumerate(self._blocks):
            x += block.attend_causally(x, rows, layer, cache)
            heard, seen = block.attend_across(
                x, numbers(cross.keys[layer]), numbers(cross.values[layer]), layer in scored_layers
            )
            x += heard
            x += block.feed_forward(x)
            if seen is not None:
                by_row = seen.reshape(len(seen), rows, count, -1)
                scores[layer] = mx.array(np.ascontiguousarray(by_row.transpose(1, 0, 2, 3)))
        return mx.array(self._norm(x).reshape(rows, count, -1)), scores

    def logits(self, states: mx.array) -> Array:
        """Return the logits (…, n_vocab) of states (…, d)."""
        found = self.vocabulary.logits(numbers(states).reshape(-1, states.shape[-1]))
        return found.reshape(*states.shape[:-1], -1)


class _Block:
    """One layer; queries are scaled by the divisor of their product with the keys."""

    def __init__(self, block: DecoderBlock) -> None:
        attention, across = block.attn, block.cross_attn
        self._heads, self._scale = attention.n_head, np.float32(attention.scale)
        self._norm, self._cross_norm = Norm(block.attn_ln), Norm(block.cross_attn_ln)
        self._queries_keys_values = ByteLinear(attention.query, attention.key, attention.value)
        self._out = ByteLinear(attention.out)
        self._query = ByteLinear(across.query)
        self._cross_out = ByteLinear(across.out)
        self.feed_forward = FeedForward(block, ByteLinear)

    def attend_causally(self, x: Array, rows: int, layer: int, cache: DecoderCache) -> Array:
        """Return the output of causal self-attention for x (m, d) of `rows` rows, and store their keys and values."""
        count = len(x) // rows
        made = self._queries_keys_values(self._norm(x))
        query, keys, values = made.reshape(rows, count, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
        keys, values = cache.append(layer, keys, values)
        scores = (query * self._scale) @ keys.transpose(0, 1, 3, 2)
        if count > 1:
            length = scores.shape[-1]
            scores[..., length - count :] += np.triu(np.full((count, count), HIDDEN, np.float32), 1)
        sums = exponentials(scores)
        mixed = scores @ values
        mixed /= sums
        return self._out(mixed.transpose(0, 2, 1, 3).reshape(len(x), -1))

    def attend_across(self, x: Array, keys: Array, values: Array, scored: bool) -> tuple[Array, Array | None]:
        """Return the output of cross-attention (1, h, t, s) for x (m, d); with `scored`, also scaled scores (h, m,
        t).
        """
        query = self._query(self._cross_norm(x)).reshape(len(x), self._heads, -1).transpose(1, 0, 2)
        weights = (query * self._scale) @ keys[0].transpose(0, 2, 1)
        seen = weights.copy() if scored else None
        sums = exponentials(weights)
        mixed = weights @ values[0]
        mixed /= sums
        return self._cross_out(mixed.transpose(1, 0, 2).reshape(len(x), -1)), seen


def make_vocabulary(embedding: object) -> CpuVocabulary:
    """Create the product with an embedding, in which many tokens may share one row."""
    if isinstance(embedding, SharedRowEmbedding):
        return CpuVocabulary(numbers(embedding.weight), embedding.kept, embedding.n_vocab)
    return CpuVocabulary(numbers(embedding.weight))  # type: ignore[attr-defined]
