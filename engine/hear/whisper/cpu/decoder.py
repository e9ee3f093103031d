"""Whisper's decoder on a CPU, in numpy and ONNX Runtime: the same states as MLX's, computed faster.

A step is a few hundred operations on a few thousand numbers, so the overhead of each operation counts. Every matrix is
read from memory once, in 8-bit weights, a quarter of float32.

Shapes: b rows of a batch (a beam), n tokens, m = b n, t frames of features, h heads, s states of a head, d = h s.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.whisper.cpu.layers import Norm, exponentials, fine_linear, normed, numbers
from engine.hear.whisper.cpu.vocabulary import CpuVocabulary
from engine.hear.whisper.embedding import SharedRowEmbedding
from engine.hear.whisper.kernels import HIDDEN
from engine.hear.whisper.model import DecoderBlock, Whisper
from engine.machine.onnx_operations import Graph

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
            mixed = block.attend_causally(x, rows, layer, cache)
            x, query = block.ask(x, mixed)
            mixed, seen = block.attend_across(
                query, numbers(cross.keys[layer]), numbers(cross.values[layer]), layer in scored_layers
            )
            x = block.feed_forward(x, mixed)
            if seen is not None:
                by_row = seen.reshape(len(seen), rows, count, -1)
                scores[layer] = mx.array(np.ascontiguousarray(by_row.transpose(1, 0, 2, 3)))
        return mx.array(self._norm(x).reshape(rows, count, -1)), scores

    def logits(self, states: mx.array) -> Array:
        """Return the logits (…, n_vocab) of states (…, d)."""
        found = self.vocabulary.logits(numbers(states).reshape(-1, states.shape[-1]))
        return found.reshape(*states.shape[:-1], -1)


class _Block:
    """One layer; queries are scaled by the divisor of their product with the keys.

    Attributes:
        ask: adds what self-attention has mixed (m, d) to x (m, d); returns x and the query of cross-attention (m, d).
        feed_forward: adds what cross-attention has mixed (m, d) to x (m, d), and then the feed-forward layer's output.
    """

    def __init__(self, block: DecoderBlock) -> None:
        own, across = block.attn, block.cross_attn
        self._heads, self._scale = own.n_head, np.float32(own.scale)
        graph = Graph(x=np.float32)
        self._queries_keys_values = graph.function(
            fine_linear(graph, normed(graph, "x", block.attn_ln), own.query, own.key, own.value)
        )
        graph = Graph(x=np.float32, mixed=np.float32)
        x = graph.add("Add", "x", fine_linear(graph, "mixed", own.out))
        self.ask = graph.function(x, fine_linear(graph, normed(graph, x, block.cross_attn_ln), across.query))
        graph = Graph(x=np.float32, mixed=np.float32)
        x = graph.add("Add", "x", fine_linear(graph, "mixed", across.out))
        inner = graph.add("Gelu", fine_linear(graph, normed(graph, x, block.mlp_ln), block.mlp1))
        self.feed_forward = graph.function(graph.add("Add", x, fine_linear(graph, inner, block.mlp2)))

    def attend_causally(self, x: Array, rows: int, layer: int, cache: DecoderCache) -> Array:
        """Return what causal self-attention mixes for x (m, d) of `rows` rows, and store their keys and values."""
        count = len(x) // rows
        made = self._queries_keys_values(x)
        query, keys, values = made.reshape(rows, count, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
        keys, values = cache.append(layer, keys, values)
        scores = (query * self._scale) @ keys.transpose(0, 1, 3, 2)
        if count > 1:
            length = scores.shape[-1]
            scores[..., length - count :] += np.triu(np.full((count, count), HIDDEN, np.float32), 1)
        sums = exponentials(scores)
        mixed = scores @ values
        mixed /= sums
        joined: Array = mixed.transpose(0, 2, 1, 3).reshape(len(x), -1)
        return joined

    def attend_across(self, query: Array, keys: Array, values: Array, scored: bool) -> tuple[Array, Array | None]:
        """Return what cross-attention (1, h, t, s) mixes for queries (m, d); with `scored`, also scaled scores (h, m,
        t).
        """
        by_head = query.reshape(len(query), self._heads, -1).transpose(1, 0, 2)
        weights = (by_head * self._scale) @ keys[0].transpose(0, 2, 1)
        seen = weights.copy() if scored else None
        sums = exponentials(weights)
        mixed = weights @ values[0]
        mixed /= sums
        return mixed.transpose(1, 0, 2).reshape(len(query), -1), seen


def make_vocabulary(embedding: object) -> CpuVocabulary:
    """Create the product with an embedding, in which many tokens may share one row."""
    if isinstance(embedding, SharedRowEmbedding):
        return CpuVocabulary(numbers(embedding.weight), embedding.kept, embedding.n_vocab)
    return CpuVocabulary(numbers(embedding.weight))  # type: ignore[attr-defined]
