"""Whisper in MLX for streaming: any length of audio up to 30 s, blocks of tokens, a cache that can be truncated.

Parameters have mlx-whisper's names, so its checkpoints load unchanged. Differences from mlx-whisper: the encoder slices
its positions instead of requiring 30 s; the decoder accepts a block of tokens at any offset with a preallocated cache;
cross-attention keys and values are computed once per features; attention scores are computed only for alignment heads
and on request; everything else is fast attention.

Shapes: b rows of a batch (a beam), n tokens, t frames of features (50 per second), h heads, d states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.whisper.embedding import AnyEmbedding
from engine.hear.whisper.kernels import attention, gelu

Around = tuple[tuple[mx.array, mx.array], ...]
"""Extra keys and values (1, h, t, s) that one layer attends to beside its own, in any number of pairs."""
NOTHING_AROUND: tuple[Around, ...] = ((),)
MULTILINGUAL_VOCABULARY = 51865
_WITHOUT_LANGUAGES = 51765  # English-only vocabulary without its languages; the multilingual one has one more


@dataclass(frozen=True, slots=True)
class ModelDimensions:
    """The shape of a Whisper model, with the published names."""

    n_mels: int
    n_audio_ctx: int
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_vocab: int
    n_text_ctx: int
    n_text_state: int
    n_text_head: int
    n_text_layer: int


def sinusoids(length: int, channels: int) -> mx.array:
    """Return the encoder's fixed positions (length, channels): sines, then cosines, of falling frequency."""
    half = channels // 2
    scales = np.exp(-np.log(10_000.0) / (half - 1) * np.arange(half))
    angles = np.arange(length)[:, None] * scales[None, :]
    return mx.array(np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32))


class MultiHeadAttention(nn.Module):
    """Attention whose keys and values belong to the caller, since both caches outlive a call."""

    def __init__(self, n_state: int, n_head: int) -> None:
        super().__init__()
        self.n_head = n_head
        self.scale = (n_state // n_head) ** -0.5
        self.query = nn.Linear(n_state, n_state)
        self.key = nn.Linear(n_state, n_state, bias=False)
        self.value = nn.Linear(n_state, n_state)
        self.out = nn.Linear(n_state, n_state)

    def split(self, x: mx.array) -> mx.array:
        """Split states into heads: (b, n, d) -> (b, h, n, d / h)."""
        rows, count, _ = x.shape
        if count == 1:  # each operation counts in a decoder step
            return x.reshape(rows, self.n_head, 1, -1)
        return x.reshape(rows, count, self.n_head, -1).transpose(0, 2, 1, 3)

    def merge(self, x: mx.array) -> mx.array:
        """Join heads again: (b, h, n, d / h) -> (b, n, d)."""
        rows, _, count, _ = x.shape
        if count > 1:
            x = x.transpose(0, 2, 1, 3)
        return x.reshape(rows, count, -1)

    def keys_values(self, x: mx.array) -> tuple[mx.array, mx.array]:
        """Compute keys and values (b, h, n, d / h) of the attended states (b, n, d)."""
        return self.split(self.key(x)), self.split(self.value(x))

    def attend(self, x: mx.array, keys: mx.array, values: mx.array) -> mx.array:
        """Attend from x (b, n, d) to all of keys and values (b, h, t, d / h)."""
        return self.out(self.merge(attention(self.split(self.query(x)), keys, values, self.scale)))

    def attend_causally(self, x: mx.array, keys: mx.array, values: mx.array) -> mx.array:
        """Attend from x (b, n, d), the last n of t positions, to keys and values (b, h, t, d / h) up to each."""
        mask = "causal" if x.shape[1] > 1 else None
        query = self.split(self.query(x))
        mixed = mx.fast.scaled_dot_product_attention(query, keys, values, scale=self.scale, mask=mask)
        return self.out(self.merge(mixed))

    def attend_shared(self, x: mx.array, keys: mx.array, values: mx.array) -> mx.array:
        """Attend from every row of x (b, n, d) to the same keys and values (1, h, t, d / h)."""
        return self.attend(x.reshape(1, -1, x.shape[-1]), keys, values).reshape(x.shape)

    def attend_scored(self, x: mx.array, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Attend as attend_shared does, and also return the scaled scores (b, h, n, t) before softmax."""
        rows, count, _ = x.shape
        query = self.split(self.query(x.reshape(1, rows * count, -1)))
        scores = (query * self.scale) @ keys.transpose(0, 1, 3, 2)
        mixed = mx.softmax(scores, axis=-1, precise=True) @ values
        scores = scores.reshape(self.n_head, rows, count, -1).transpose(1, 0, 2, 3)
        return self.out(self.merge(mixed)).reshape(x.shape), scores


def joined(own: tuple[mx.array, mx.array], around: Around) -> tuple[mx.array, mx.array]:
    """Concatenate keys and values (b, h, t, s) with the extra ones."""
    keys, values = zip(own, *around, strict=True)
    return mx.concatenate(list(keys), axis=2), mx.concatenate(list(values), axis=2)


class FeedForward(nn.Module):
    """The end of both kinds of block; the names are those of the checkpoints."""

    def __init__(self, n_state: int) -> None:
        super().__init__()
        self.mlp1 = nn.Linear(n_state, n_state * 4)
        self.mlp2 = nn.Linear(n_state * 4, n_state)
        self.mlp_ln = nn.LayerNorm(n_state)

    def feed_forward(self, x: mx.array) -> mx.array:
        return x + self.mlp2(gelu(self.mlp1(self.mlp_ln(x))))


class EncoderBlock(FeedForward):
    """Self-attention over all frames, then the feed-forward layer."""

    def __init__(self, n_state: int, n_head: int) -> None:
        super().__init__(n_state)
        self.attn = MultiHeadAttention(n_state, n_head)
        self.attn_ln = nn.LayerNorm(n_state)

    def __call__(self, x: mx.array, around: Around = ()) -> mx.array:
        """Transform x (b, t, d), which attends to itself and to extra keys and values."""
        normed = self.attn_ln(x)
        x = x + self.attn.attend(normed, *joined(self.attn.keys_values(normed), around))
        return self.feed_forward(x)


class DecoderBlock(FeedForward):
    """Causal self-attention with a cache, cross-attention to the features, then the feed-forward layer."""

    def __init__(self, n_state: int, n_head: int) -> None:
        super().__init__(n_state)
        self.attn = MultiHeadAttention(n_state, n_head)
        self.attn_ln = nn.LayerNorm(n_state)
        self.cross_attn = MultiHeadAttention(n_state, n_head)
        self.cross_attn_ln = nn.LayerNorm(n_state)

    def __call__(
        self, x: mx.array, layer: int, cross: CrossCache, cache: DecoderCache, scored: bool
    ) -> tuple[mx.array, mx.array | None]:
        """Transform x (b, n, d); with `scored`, also return the cross-attention scores (b, h, n, t)."""
        normed = self.attn_ln(x)
        keys, values = cache.append(layer, *self.attn.keys_values(normed))
        x = x + self.attn.attend_causally(normed, keys, values)
        normed = self.cross_attn_ln(x)
        if scored:
            heard, scores = self.cross_attn.attend_scored(normed, cross.keys[layer], cross.values[layer])
        else:
            heard, scores = self.cross_attn.attend_shared(normed, cross.keys[layer], cross.values[layer]), None
        return self.feed_forward(x + heard), scores


class AudioEncoder(nn.Module):
    """Log-mel frames to features, for any length up to the number of positions."""

    def __init__(self, dims: ModelDimensions) -> None:
        super().__init__()
        n_state = dims.n_audio_state
        self.conv1 = nn.Conv1d(dims.n_mels, n_state, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(n_state, n_state, kernel_size=3, stride=2, padding=1)
        self._positions = sinusoids(dims.n_audio_ctx, n_state)
        self.blocks = [EncoderBlock(n_state, dims.n_audio_head) for _ in range(dims.n_audio_layer)]
        self.ln_post = nn.LayerNorm(n_state)

    def __call__(self, mel: mx.array, around: Sequence[Around] | None = None) -> mx.array:
        """Encode mel (b, frames, n_mels) as features (b, ceil(frames / 2), d), with extra keys and values in each
        layer.
        """
        x = self.place(mel)
        for block, beside in zip(self.blocks, around or NOTHING_AROUND * len(self.blocks), strict=True):
            x = block(x, beside)
        features: mx.array = self.ln_post(x)
        return features

    def with_keys_values(self, mel: mx.array) -> tuple[mx.array, list[tuple[mx.array, mx.array]]]:
        """Encode mel (1, frames, n_mels); also return the keys and values (1, h, t, s) of each layer."""
        x = self.place(mel)
        layers = []
        for block in self.blocks:
            layers.append(block.attn.keys_values(block.attn_ln(x)))
            x = block(x)
        return self.ln_post(x), layers

    def place(self, mel: mx.array) -> mx.array:
        """Convert mel (b, frames, n_mels) to the states (b, ceil(frames / 2), d) that enter the layers."""
        x = gelu(self.conv1(mel))
        x = gelu(self.conv2(x))
        return x + self._positions[: x.shape[1]].astype(x.dtype)


class TextDecoder(nn.Module):
    """Tokens and features to the states from which the next tokens are predicted."""

    def __init__(self, dims: ModelDimensions) -> None:
        super().__init__()
        self.token_embedding: AnyEmbedding = nn.Embedding(dims.n_vocab, dims.n_text_state)
        self.positional_embedding = mx.zeros((dims.n_text_ctx, dims.n_text_state))
        self.blocks = [DecoderBlock(dims.n_text_state, dims.n_text_head) for _ in range(dims.n_text_layer)]
        self.ln = nn.LayerNorm(dims.n_text_state)

    def __call__(
        self, tokens: mx.array, cross: CrossCache, cache: DecoderCache, scored_layers: frozenset[int]
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """Return final states (b, n, d) and, by layer, the scores (b, h, n, t) of the requested layers.

        The cache stores the tokens; the caller advances it.
        """
        positions = self.positional_embedding[cache.offset : cache.offset + tokens.shape[1]]
        x = self.token_embedding(tokens) + positions
        scores = {}
        for layer, block in enumerate(self.blocks):
            x, layer_scores = block(x, layer, cross, cache, layer in scored_layers)
            if layer_scores is not None:
                scores[layer] = layer_scores
        return self.ln(x), scores


class FastEncoder(Protocol):
    """A faster replacement of AudioEncoder: the same numbers, without gradients."""

    def __call__(self, mel: mx.array, around: Sequence[Around] | None = None) -> mx.array:
        """Compute what AudioEncoder computes for one mel (1, frames, n_mels)."""

    def with_keys_values(self, mel: mx.array) -> tuple[mx.array, list[tuple[mx.array, mx.array]]]:
        """Compute what AudioEncoder.with_keys_values computes."""


class FastDecoder(Protocol):
    """A faster replacement of TextDecoder: the same numbers, without gradients."""

    def __call__(
        self, tokens: mx.array, cross: CrossCache, cache: DecoderCache, scored_layers: frozenset[int]
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """Compute what TextDecoder computes, with a cache of its own kind."""

    def new_cache(self, batch: int) -> DecoderCache:
        """Create an empty cache for `batch` rows."""

    def logits(self, states: mx.array) -> NDArray[np.float32]:
        """Return the logits (…, n_vocab) of states (…, d): the likeliest are exact, the others nearly so."""


class Whisper(nn.Module):
    """The whole model.

    Attributes:
        dims: its shape.
        alignment_heads: (layer, head) pairs whose cross-attention follows time, in the order of `cross_qk`.
        fast_encoder, fast_decoder: replacements of `encoder` and `decoder`, without gradients; None if these are the
            fastest.
    """

    def __init__(self, dims: ModelDimensions, alignment_heads: Sequence[tuple[int, int]] | None = None) -> None:
        super().__init__()
        self.dims = dims
        self.encoder = AudioEncoder(dims)
        self.decoder = TextDecoder(dims)
        self.fast_encoder: FastEncoder | None = None
        self.fast_decoder: FastDecoder | None = None
        self.set_alignment_heads(alignment_heads or upper_half_heads(dims))

    def set_alignment_heads(self, heads: Sequence[tuple[int, int]]) -> None:
        """Set the (layer, head) pairs whose cross-attention times words."""
        for layer, head in heads:
            if not (0 <= layer < self.dims.n_text_layer and 0 <= head < self.dims.n_text_head):
                raise ValueError(f"The decoder has no head {head} in layer {layer}.")
        self.alignment_heads = tuple((int(layer), int(head)) for layer, head in heads)

    @property
    def embedding(self) -> AnyEmbedding:
        """Token embedding, also the output layer."""
        return self.decoder.token_embedding

    @property
    def is_multilingual(self) -> bool:
        return self.dims.n_vocab >= MULTILINGUAL_VOCABULARY

    @property
    def num_languages(self) -> int:
        """Number of languages: 99 up to large-v2, 100 with Cantonese from large-v3 on; English-only models leave 99
        unused.
        """
        return self.dims.n_vocab - _WITHOUT_LANGUAGES - int(self.is_multilingual)

    @property
    def dtype(self) -> mx.Dtype:
        """The type that the model computes in."""
        return self.encoder.conv1.weight.dtype

    def encode(self, mel: mx.array, around: Sequence[Around] | None = None) -> mx.array:
        """Encode log-mel (frames, n_mels) or (1, frames, n_mels) as features (1, ceil(frames / 2), n_audio_state).

        `around` holds extra keys and values for each layer; none by default.
        """
        if mel.ndim == 2:
            mel = mel[None]
        frames, limit = mel.shape[1], 2 * self.dims.n_audio_ctx
        if not 0 < frames <= limit:
            raise ValueError(f"The encoder takes 1 to {limit} frames, not {frames}.")
        if self.fast_encoder is not None and len(mel) == 1:
            return self.fast_encoder(mel, around)
        return self.encoder(mel.astype(self.dtype), around)

    def cross_cache(self, features: mx.array, around: Sequence[Around] | None = None) -> CrossCache:
        """Compute the cross-attention keys and values of a round's features (1, t, d), followed by extra ones."""
        blocks = self.decoder.blocks
        made = [
            joined(block.cross_attn.keys_values(features), beside)
            for block, beside in zip(blocks, around or NOTHING_AROUND * len(blocks), strict=True)
        ]
        # Split heads are strided views, which a matrix product on a CPU would copy at every step.
        lay_out = _laid_across if self.fast_decoder is not None else mx.contiguous
        return CrossCache(tuple(lay_out(keys) for keys, _ in made), tuple(mx.contiguous(values) for _, values in made))

    def new_cache(self, batch: int = 1) -> DecoderCache:
        """Create an empty cache for `batch` rows, for `read` and `decode`."""
        if self.fast_decoder is not None:
            return self.fast_decoder.new_cache(batch)
        dims = self.dims
        head_states = dims.n_text_state // dims.n_text_head
        return DecoderCache(dims.n_text_layer, (batch, dims.n_text_head, head_states), dims.n_text_ctx, self.dtype)

    def read(
        self, tokens: mx.array, cross: CrossCache, cache: DecoderCache, scored_layers: frozenset[int]
    ) -> tuple[mx.array, dict[int, mx.array]]:
        """Read tokens as TextDecoder does, in the fastest way; no gradient flows through."""
        return (self.fast_decoder or self.decoder)(tokens, cross, cache, scored_layers)

    def logits(self, states: mx.array) -> mx.array | NDArray[np.float32]:
        """Return the logits (…, n_vocab), float32, of the token that follows each of the states (…, d)."""
        if self.fast_decoder is not None:
            return self.fast_decoder.logits(states)
        return self.embedding.as_linear(states).astype(mx.float32)

    def decode(
        self,
        tokens: mx.array,
        cross: CrossCache,
        cache: DecoderCache,
        *,
        with_alignment: bool = False,
        rows: Sequence[int] | None = None,
    ) -> tuple[mx.array, mx.array | None]:
        """Process a block of tokens (b, n) at the positions after the cache, and append it to the cache.

        Returns logits (b, n, n_vocab) float32 that predict the token after each token, or (b, len(rows), n_vocab) for
        the given rows of n only (negative ones count from the end; the product with the vocabulary is most of a step's
        cost). With alignment, it also returns the scaled pre-softmax scores (b, alignment heads, n, t) of the alignment
        heads, else None.
        """
        wanted = frozenset(layer for layer, _ in self.alignment_heads) if with_alignment else frozenset()
        states, scores = self.read(tokens, cross, cache, wanted)
        cache.advance(tokens.shape[1])
        if rows is not None and tokens.shape[1] > 1:
            states = states[:, mx.array([row % tokens.shape[1] for row in rows])]
        logits = self.decoder.token_embedding.as_linear(states).astype(mx.float32)
        if not with_alignment:
            return logits, None
        return logits, mx.stack([scores[layer][:, head] for layer, head in self.alignment_heads], axis=1)


def _laid_across(keys: mx.array) -> mx.array:
    """Store keys (b, h, t, s) by states, frame after frame, which is faster for few queries."""
    return mx.contiguous(keys.swapaxes(2, 3)).swapaxes(2, 3)


def upper_half_heads(dims: ModelDimensions) -> tuple[tuple[int, int], ...]:
    """Return every head of the upper half of the decoder's layers: the default without published alignment heads."""
    layers = range(dims.n_text_layer // 2, dims.n_text_layer)
    return tuple((layer, head) for layer in layers for head in range(dims.n_text_head))
