"""Speech-LLaMA in MLX: a LLaMA that reads stacked states of an audio encoder before it writes.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148, section 2). Log-mel goes through
Whisper's encoder (convolutions that halve the frames, then transformer layers), three frames are stacked and mapped
to one embedding, and a decoder-only LLaMA reads those, `<|begin|>` and the text. The LLaMA is mlx-lm's, parameter by
parameter. Only its keys and values are kept otherwise than mlx-lm keeps them: those of the audio are made once and
shared by all rows of a beam, those of the text are in the same cache as Whisper's.

Shapes: b rows, n tokens, m positions held, s encoder frames (50 a second), a audio embeddings, h heads, d states,
w states of one head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.audio import Samples
from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.decode.decoder import Heads
from engine.hear.speech_llama.arranged import FusedLayer, Layer
from engine.hear.whisper.kernels import causal_attention, hidden, silu, softmax
from engine.hear.whisper.mel import log_mel
from engine.hear.whisper.model import AudioEncoder, ModelDimensions
from engine.language.language import mlx_lm_module

TEXT_CONTEXT = 448
"""Longest text, in tokens, as Whisper's. Rotary positions would set no limit."""


@dataclass(frozen=True, slots=True)
class RotaryTables:
    """Rotary positions: cosines and signed sines (b or 1, 1, n, w) of n positions."""

    cosines: mx.array
    sines: mx.array

    def __call__(self, x: mx.array) -> mx.array:
        """Rotate vectors x (b, h, n, w); each number of the first half is paired with one of the second."""
        half = x.shape[-1] // 2
        return x * self.cosines + mx.concatenate([x[..., half:], x[..., :half]], axis=-1) * self.sines


class SpeechLlama(nn.Module):
    """The whole model; parameters have the names of the shipped layout.

    Attributes:
        dims: its shape in Whisper's terms; the text's part is the LLaMA's.
        stacked: encoder frames in one audio embedding.
        alignment_heads: (layer, head) pairs of the LLaMA. While they write a token, they attend to the audio of the
            next one.
    """

    def __init__(
        self,
        dims: ModelDimensions,
        text: Mapping[str, Any],
        *,
        stacked: int = 3,
        alignment_heads: Sequence[tuple[int, int]] = (),
        positions: bool = False,
    ) -> None:
        """Make the model with `text` as mlx-lm's configuration of its LLaMA.

        With `positions`, learnt ones (448, d) are added to the embeddings of a text's tokens, as Whisper does.
        """
        super().__init__()
        architecture = mlx_lm_module("models.llama")
        self.dims = dims
        self.stacked = stacked
        self.encoder = AudioEncoder(dims)
        self.adapter = nn.Linear(stacked * dims.n_audio_state, dims.n_text_state)
        self.model = architecture.LlamaModel(architecture.ModelArgs.from_dict(dict(text)))
        if positions:
            self.positions = mx.zeros((dims.n_text_ctx, dims.n_text_state))
        self.alignment_heads = tuple((int(layer), int(head)) for layer, head in alignment_heads)
        attention = self.model.layers[0].self_attn
        self._heads, self._shared_heads = int(attention.n_heads), int(attention.n_kv_heads)
        self._width, self._scale = int(attention.head_dim), float(attention.scale)
        self._turns = turning(attention.rope, self._width, self.most_embeddings + dims.n_text_ctx)
        self._arranged: list[FusedLayer | None] = [None] * dims.n_text_layer

    @property
    def most_embeddings(self) -> int:
        """Return how many audio embeddings 30 s of audio make, the most that the encoder takes."""
        return -(-self.dims.n_audio_ctx // self.stacked)

    @property
    def dtype(self) -> mx.Dtype:
        """Return the type that the model computes in."""
        return self.encoder.conv1.weight.dtype

    @property
    def embedding(self) -> nn.Embedding:
        """Return the embedding of tokens, which also predicts them."""
        embedding: nn.Embedding = self.model.embed_tokens
        return embedding

    def audio(self, heard: Samples | mx.array) -> mx.array:
        """Return the audio embeddings (1, a, d) of samples (n,) at 16 kHz, or of a log-mel (frames, n_mels).

        Each stands for 60 ms, the last for up to 60 ms. Raises ValueError for audio without a frame, or beyond 30 s.
        """
        return self.embed(self.listen(heard))

    def listen(self, heard: Samples | mx.array) -> mx.array:
        """Return the encoder frames (1, s, d) of the same input. Raises ValueError as `audio` does."""
        mel = log_mel(heard, self.dims.n_mels) if heard.ndim == 1 else mx.array(heard)
        frames, limit = mel.shape[0], 2 * self.dims.n_audio_ctx
        if not 0 < frames <= limit:
            raise ValueError(f"The encoder takes 1 to {limit} frames, not {frames}.")
        features: mx.array = self.encoder(mel[None].astype(self.dtype))
        return features

    def embed(self, frames: mx.array) -> mx.array:
        """Stack encoder frames (b, s, d), padded with zeros, and map them to audio embeddings (b, a, d)."""
        rows, count, _ = frames.shape
        frames = mx.pad(frames, [(0, 0), (0, -count % self.stacked), (0, 0)])
        embedded: mx.array = self.adapter(frames.reshape(rows, -1, self.stacked * self.dims.n_audio_state))
        return embedded

    def read_audio(self, audio: mx.array) -> CrossCache:
        """Read audio embeddings (b, a, d); return their keys and values, which the text attends to.

        The last layer makes nothing else, since nothing is predicted from audio.
        """
        turns = self._turns_at(0, audio.shape[1])
        x, keys, values = audio, [], []
        layers = self._layers()
        for layer in layers:
            query, key, value = self._attended(layer, x, turns)
            keys.append(mx.contiguous(key))
            values.append(mx.contiguous(value))
            if len(keys) < len(layers):
                mixed = causal_attention(query, self._repeated(key), self._repeated(value), 1.0)
                x = self._finished(layer, x, mixed)
        return CrossCache(tuple(keys), tuple(values))

    def new_cache(self, batch: int = 1) -> DecoderCache:
        """Return an empty cache of text for `batch` rows."""
        shape = (batch, self._shared_heads, self._width)
        return DecoderCache(self.dims.n_text_layer, shape, self.dims.n_text_ctx, self.dtype)

    def write(self, tokens: mx.array, heard: CrossCache, cache: DecoderCache) -> mx.array:
        """Read tokens (b, n) after the audio and the cache; append them to it and return the final states (b, n, d)."""
        turns = self._turns_at(heard.frames + cache.offset, tokens.shape[1])
        x = self._embedded(tokens, cache.offset)
        unseen = self._unseen(tokens.shape[1], heard.frames + cache.offset)
        for index, layer in enumerate(self._layers()):
            query, key, value = self._attended(layer, x, turns)
            own = cache.append(index, key, value)
            x = self._finished(layer, x, self._mix(query, (heard.keys[index], heard.values[index]), own, unseen))
        cache.advance(tokens.shape[1])
        return self._normed(x)

    def looks(self, tokens: mx.array, heard: CrossCache) -> mx.array:
        """Return the attention scores (alignment heads, n, a) of tokens (1, n) on the audio before them.

        The tokens begin a text. Scores are scaled, before softmax. Layers after the last alignment head are skipped.
        """
        turns = self._turns_at(heard.frames, tokens.shape[1])
        unseen = self._unseen(tokens.shape[1], heard.frames)
        x = self._embedded(tokens)
        scores: dict[int, mx.array] = {}
        last = max(layer for layer, _ in self.alignment_heads)
        for index, layer in enumerate(self._layers()[: last + 1]):
            query, key, value = self._attended(layer, x, turns)
            keys, values = heard.keys[index], heard.values[index]
            if any(index == looked_at for looked_at, _ in self.alignment_heads):
                scores[index] = query @ self._repeated(keys).swapaxes(-1, -2)
            if index < last:
                x = self._finished(layer, x, self._mix(query, (keys, values), (key, value), unseen))
        return mx.stack([scores[layer][0, head] for layer, head in self.alignment_heads])

    def logits(self, states: mx.array) -> mx.array:
        """Return the logits (..., v), float32, of the token that follows each state (..., d)."""
        logits: mx.array = self.model.embed_tokens.as_linear(states)
        return logits.astype(mx.float32)

    def arrange(self) -> None:
        """Lay the layers' matrices out as a CPU multiplies them fastest; a layer that is trained on keeps its own."""
        self._arranged = [FusedLayer.of(layer, self._scale) for layer in self.model.layers]
        mx.eval([layer.arrays() for layer in self._arranged if layer])

    def _embedded(self, tokens: mx.array, start: int = 0) -> mx.array:
        """Embed tokens (b, n) that stand in the text from position `start` on."""
        embedded: mx.array = self.model.embed_tokens(tokens)
        return embedded + self.positions[start : start + tokens.shape[1]] if "positions" in self else embedded

    # --- one layer ---

    def _layers(self) -> list[Layer]:
        """Return the layers, arranged ones where their parameters have not changed since."""
        return [
            made if made is not None and made.is_of(layer) else layer
            for layer, made in zip(self.model.layers, self._arranged, strict=True)
        ]

    def _attended(self, layer: Layer, x: mx.array, turns: RotaryTables) -> tuple[mx.array, mx.array, mx.array]:
        """Normalise x (b, n, d); return its scaled queries (b, h, n, w), keys and values."""
        heads, shared = self._heads, self._shared_heads
        if isinstance(layer, FusedLayer):
            all_three = self._split(layer.attend(x))
            turned = turns(all_three[:, : heads + shared])
            return turned[:, :heads], turned[:, heads:], all_three[:, heads + shared :]
        attention, normed = layer.self_attn, layer.input_layernorm(x)
        query, key, value = (
            self._split(part(normed)) for part in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        return turns(query) * self._scale, turns(key), value

    def _finished(self, layer: Layer, x: mx.array, mixed: mx.array) -> mx.array:
        """Return the output of a layer for x (b, n, d), whose heads gave `mixed` (b, h, n, w)."""
        rows, _, count, _ = mixed.shape
        mixed = mixed.reshape(rows, 1, -1) if count == 1 else mixed.transpose(0, 2, 1, 3).reshape(rows, count, -1)
        if isinstance(layer, FusedLayer):
            return layer.finish(x, mixed)
        x = x + layer.self_attn.o_proj(mixed)
        normed = layer.post_attention_layernorm(x)
        finished: mx.array = x + layer.mlp.down_proj(silu(layer.mlp.gate_proj(normed)) * layer.mlp.up_proj(normed))
        return finished

    def _mix(
        self,
        query: mx.array,
        audio: tuple[mx.array, mx.array],
        text: tuple[mx.array, mx.array],
        unseen: mx.array | None,
    ) -> mx.array:
        """Attend from scaled queries (b, h, n, w) to keys and values of audio (b or 1, h, a, w) and text (b, h, m, w).

        `unseen` is added to the scores (b, h, n, a + m).
        """
        (keys, values), (own_keys, own_values) = (tuple(map(self._repeated, pair)) for pair in (audio, text))
        frames, rows = keys.shape[2], query.shape[0]
        shared = rows > keys.shape[0]
        to_audio = (_folded(query) if shared else query) @ keys.swapaxes(-1, -2)
        to_audio = _unfolded(to_audio, rows) if shared else to_audio
        scores = mx.concatenate([to_audio, query @ own_keys.swapaxes(-1, -2)], axis=-1)
        weights = softmax(scores if unseen is None else scores + unseen)
        on_audio = weights[..., :frames]
        heard = (_folded(on_audio) if shared else on_audio) @ values
        return (_unfolded(heard, rows) if shared else heard) + weights[..., frames:] @ own_values

    def _split(self, x: mx.array) -> mx.array:
        """Split states into heads: (b, n, h w) -> (b, h, n, w)."""
        rows, count, _ = x.shape
        if count == 1:  # each operation counts in a decoder step
            return x.reshape(rows, -1, 1, self._width)
        return x.reshape(rows, count, -1, self._width).transpose(0, 2, 1, 3)

    def _repeated(self, x: mx.array) -> mx.array:
        """Return keys or values for every head, repeated where several heads share them."""
        return x if self._heads == self._shared_heads else mx.repeat(x, self._heads // self._shared_heads, axis=1)

    def _normed(self, x: mx.array) -> mx.array:
        normed: mx.array = self.model.norm(x)
        return normed

    def _unseen(self, count: int, before: int) -> mx.array | None:
        """Hide from each of n new tokens those after it: (n, before + n); return None for a single token."""
        return hidden(count, before + count).astype(self.dtype) if count > 1 else None

    def _turns_at(self, start: int, count: int) -> RotaryTables:
        """Return the rotations of `count` positions in the model's type; another one would spread to all states."""
        return RotaryTables(*(table[None, None, start : start + count].astype(self.dtype) for table in self._turns))


def turning(rope: nn.Module, width: int, count: int) -> tuple[mx.array, mx.array]:
    """Return tables (count, width) of cosines and signed sines of mlx-lm's rotary positions, whatever their kind.

    Rotating vectors that are one in their first half and zero in the second gives them.
    """
    half = width // 2
    probe = mx.concatenate([mx.ones((1, 1, count, half)), mx.zeros((1, 1, count, width - half))], axis=-1)
    turned = rope(probe)[0, 0]
    cosines, sines = turned[:, :half], turned[:, half:]
    tables = mx.concatenate([cosines, cosines], axis=-1), mx.concatenate([-sines, sines], axis=-1)
    mx.eval(tables)  # a lazy array could not be used by another thread
    return tables


def _folded(x: mx.array) -> mx.array:
    """Join the rows of x (b, h, n, w) as (1, h, b n, w), to multiply them with what they share."""
    rows, heads, count, width = x.shape
    return x.transpose(1, 0, 2, 3).reshape(1, heads, rows * count, width)


def _unfolded(x: mx.array, rows: int) -> mx.array:
    """Undo `_folded`: (1, h, b n, w) -> (b, h, n, w)."""
    _, heads, both, width = x.shape
    return x.reshape(heads, rows, both // rows, width).transpose(1, 0, 2, 3)


class SpeechLlamaDecoder:
    """Speech-LLaMA over one span of audio, as engine.hear.decode.decoder.TokenDecoder.

    The audio is read by the first forward.

    Attributes:
        heads: see TokenDecoder.
    """

    def __init__(self, model: SpeechLlama, audio: mx.array, heads: Heads | None = None) -> None:
        """Decode audio embeddings (1, a, d). `heads` predict the tokens after the next, if there are any."""
        self._model = model
        self._audio = audio
        self.heads = heads
        self._heard: CrossCache | None = None

    @property
    def heard(self) -> CrossCache:
        """Return the keys and values of the audio; they are evaluated with the first forward."""
        if self._heard is None:
            self._heard = self._model.read_audio(self._audio)
        return self._heard

    def new_cache(self) -> DecoderCache:
        """Return an empty cache of one row."""
        return self._model.new_cache()

    def forward(self, tokens: mx.array, cache: DecoderCache) -> mx.array:
        """Return the states (b, n, d) of tokens (b, n) after the audio and the cache; nothing is evaluated."""
        return self._model.write(tokens, self.heard, cache)

    def logits(self, states: mx.array) -> mx.array:
        """Return the logits (…, v), float32, of the token that follows each state (…, d)."""
        return self._model.logits(states)
