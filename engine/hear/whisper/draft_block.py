"""One small layer that drafts the tokens after the next, for a Whisper that was only taught the next one.

Its source is ours, put together from what is published. As in EAGLE (arXiv:2401.15077), it goes on from the states of
the frozen model and from the token that has just been chosen, and each head is told what the one before it drafted. It
hears by the model's own keys and values of the audio. What makes it learn quickly is that it is told where to listen:
the model's alignment heads say where in the audio the next token is, each head says how much later its own one is, and
attends there.

Only the row that a search goes on from is drafted for, so that nothing is remembered of others.

Shapes: b rows of a batch, n tokens, m positions that are drafted for, k heads of the draft, d states, h heads of
attention, s states of one, t frames, u tokens that may be drafted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx
import mlx.nn as nn

from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.whisper.model import FeedForward, MultiHeadAttention, Whisper

FRAMES_APART = 13.0  # of two tokens, in the first starter's speech: where a head begins to look
FRAMES_AT_FIRST = (5.0, 8.0, 20.0)  # how far around the heads of attention look at first, in turn
FRAMES_PER_UNIT = 20.0  # of the layer that says how much later a token is: keeps its weights of a common size
LEAST_SCORE = -1e4  # of a frame that is far away: float16 has room for it

Product = Callable[[mx.array], mx.array]


@dataclass(frozen=True, slots=True)
class HeardAudio:
    """Keys and values (1, h, t, s) of one stretch of audio that some positions attend to, for so many positions."""

    keys: mx.array
    values: mx.array
    positions: int = 1


class DraftBlock(FeedForward):
    """Slot attention among the tokens of one draft, attention to the audio, the feed-forward layer."""

    def __init__(self, states: int, layers: int, heads: int, cross_layers: Sequence[int], ahead: int) -> None:
        """A draft of ahead - 1 tokens for a decoder of so many layers, with so many heads of attention each.

        The audio is heard by the keys and values of `cross_layers`.
        """
        super().__init__(states)
        listening = heads * len(cross_layers)
        self._cross_layers = tuple(cross_layers)
        self.from_states = nn.Linear(layers * states, states)
        self.from_token = nn.Linear(states, states)
        self.turns = 0.3 * mx.random.normal((ahead - 1, states))
        self.attn = MultiHeadAttention(states, heads)
        self.attn_ln = nn.LayerNorm(states)
        self.distance = nn.Linear(states, listening)
        self.distance_ln = nn.LayerNorm(states)
        self.distance_at_first = FRAMES_APART * mx.arange(1, ahead)
        self.log_width = mx.array([math.log(FRAMES_AT_FIRST[i % len(FRAMES_AT_FIRST)]) for i in range(listening)])
        self.cross_query = nn.Linear(states, len(cross_layers) * states)
        self.cross_out = nn.Linear(len(cross_layers) * states, states)
        self.cross_ln = nn.LayerNorm(states)
        self.ln = nn.LayerNorm(states)

    def begin_like(self, model: Whisper) -> None:
        """Begin as the last of the layers that it listens by, which knows what the model's states mean.

        Its attention to the audio begins as those of all these layers, side by side.
        """
        blocks = model.decoder.blocks
        listening = [blocks[layer].cross_attn for layer in self._cross_layers]
        last = blocks[self._cross_layers[-1]]
        before = self._cross_layers[-1] - 1  # the layer whose states that one reads
        states = self.ln.weight.size
        reading = 0.3 * self.from_states.weight
        reading[:, before * states : (before + 1) * states] += mx.eye(states)
        self.from_states.weight = reading
        queries, outs = [_plain(one.query) for one in listening], [_plain(one.out) for one in listening]
        share = len(listening) ** -0.5  # what they hear is added up
        self.cross_query.weight = mx.concatenate([weight for weight, _ in queries])
        self.cross_query.bias = mx.concatenate([bias for _, bias in queries])
        self.cross_out.weight = share * mx.concatenate([weight for weight, _ in outs], axis=1)
        self.cross_out.bias = outs[-1][1]
        same: list[tuple[nn.Linear, nn.Module]] = [(self.mlp1, last.mlp1), (self.mlp2, last.mlp2)]
        same += [(getattr(self.attn, name), getattr(last.attn, name)) for name in ("query", "value", "out")]
        for own, like in same:
            own.weight, own.bias = _plain(like)
        self.attn.key.weight, _ = _plain(last.attn.key)
        norms = ((self.mlp_ln, last.mlp_ln), (self.attn_ln, last.attn_ln), (self.cross_ln, last.cross_attn_ln))
        for norm, other in (*norms, (self.ln, model.decoder.ln)):
            norm.weight, norm.bias = other.weight.astype(mx.float32), other.bias.astype(mx.float32)

    def hearing(self, cross: CrossCache, positions: int = 1) -> HeardAudio:
        """Return what it attends to of the audio: the heads of its layers, side by side."""
        keys, values = ([made[layer] for layer in self._cross_layers] for made in (cross.keys, cross.values))
        return HeardAudio(mx.concatenate(keys, axis=1), mx.concatenate(values, axis=1), positions)

    def draft(self, states: mx.array, count: int, heard: HeardAudio, embed: Product, unembed: Product) -> mx.array:
        """The logits (m, count, u) of the `count` tokens after the next, for states (m, layers d + 1) of `foresee`.

        `embed` looks up tokens (m,) by their place among the u, `unembed` gives the logits (m, u) of states (m, d).
        Each token is the likeliest after those before it; one lazy graph does it all.
        """
        token = mx.argmax(unembed(last_state(states, self.ln.weight.size)), axis=-1)
        logits = []
        begun, frame = self._begin(states)
        past: tuple[mx.array, mx.array] | None = None
        for turn in range(count):
            x, past, _ = self._read(begun + self.from_token(embed(token)[:, None]), frame, (heard,), turn, past)
            logits.append(unembed(x[:, 0]))
            token = mx.argmax(logits[-1], axis=-1)
        return mx.stack(logits, axis=1)

    def follow(self, states: mx.array, tokens: mx.array, heard: Sequence[HeardAudio]) -> tuple[mx.array, mx.array]:
        """The states (m, k, d) that tokens after the next are predicted from, where the tokens before them are known.

        Args:
            states: (m, layers d + 1) of `foresee`.
            tokens: embedded (m, k, d): the next token, then the ones after it.
            heard: for some of the positions each, in their order.

        Returns the states, and the frame (m, k) that is listened around on average.
        """
        begun, frame = self._begin(states)
        x, _, places = self._read(begun + self.from_token(tokens), frame, heard, 0, None)
        return x, places.mean(axis=-1)

    def _begin(self, states: mx.array) -> tuple[mx.array, mx.array]:
        """Return what every head goes on from (m, 1, d), and the frame of the next token (m, 1, 1)."""
        return self.from_states(states[:, None, :-1]), states[:, None, -1:].astype(mx.float32)

    def _read(
        self,
        x: mx.array,
        frame: mx.array,
        heard: Sequence[HeardAudio],
        turn: int,
        past: tuple[mx.array, mx.array] | None,
    ) -> tuple[mx.array, tuple[mx.array, mx.array], mx.array]:
        """Read x (m, k, d) as the turn-th head and those after it; also give all keys and values so far, and places."""
        turns = slice(turn, turn + x.shape[1])
        x = x + self.turns[turns]
        normed = self.attn_ln(x)
        keys, values = self.attn.keys_values(normed)
        if past is not None:
            keys, values = mx.concatenate([past[0], keys], axis=2), mx.concatenate([past[1], values], axis=2)
        x = x + self.attn.attend_causally(normed, keys, values)
        later = FRAMES_PER_UNIT * self.distance(self.distance_ln(x)) + self.distance_at_first[turns, None]
        places = frame + later
        x = x + self.cross_out(self._hear(self.cross_query(self.cross_ln(x)), places, heard))
        return self.ln(self.feed_forward(x)), (keys, values), places

    def _hear(self, queries: mx.array, places: mx.array, heard: Sequence[HeardAudio]) -> mx.array:
        """Return what queries (m, k, h s) hear around places (m, k, h) of their audio: (m, k, h s)."""
        mixed, first = [], 0
        for audio in heard:
            some = slice(first, first + audio.positions) if len(heard) > 1 else slice(None)
            mixed.append(self._hear_one(queries[some], places[some], audio))
            first += audio.positions
        return mixed[0] if len(mixed) == 1 else mx.concatenate(mixed)

    def _hear_one(self, queries: mx.array, places: mx.array, audio: HeardAudio) -> mx.array:
        _, heads, frames, states = audio.keys.shape
        query = queries.reshape(1, -1, heads, states).transpose(0, 2, 1, 3)
        away = mx.arange(frames) - places.reshape(-1, heads).T[..., None]  # (h, m k, t)
        scores = mx.maximum(-0.5 * mx.square(away * mx.exp(-self.log_width)[:, None, None]), LEAST_SCORE)
        mixed = mx.fast.scaled_dot_product_attention(
            query, audio.keys, audio.values, scale=states**-0.5, mask=scores.astype(query.dtype)
        )
        return mixed.transpose(0, 2, 1, 3).reshape(queries.shape)


def _plain(layer: nn.Module) -> tuple[mx.array, mx.array]:
    """The matrix (out, in) and the bias (out,) of a linear layer, quantised or not."""
    states = layer.weight.shape[1] * (32 // layer.bits if isinstance(layer, nn.QuantizedLinear) else 1)
    bias = layer(mx.zeros((1, states)))[0]
    return (layer(mx.eye(states)) - bias).T.astype(mx.float32), bias.astype(mx.float32)


def last_state(states: mx.array, width: int) -> mx.array:
    """The model's own last state (m, d) in the states (m, layers d + 1) of `foresee`."""
    return states[:, -1 - width : -1]


def foresee(model: Whisper, tokens: mx.array, cross: CrossCache, cache: DecoderCache) -> tuple[mx.array, mx.array]:
    """Read tokens (b, n) as the model's decoder does, and give more than it does.

    Returns the last states (b, n, d); and (b, n, layers d + 1): the states behind every layer, the last one normed, and
    the frame of the audio that the alignment heads look at, on average. The caller lets the cache advance.
    """
    layers = frozenset(layer for layer, _ in model.alignment_heads)
    inner: list[mx.array] = []
    main, scores = model.read(tokens, cross, cache, layers, inner)
    seen = mx.stack([scores[layer][:, head] for layer, head in model.alignment_heads])
    shares = mx.softmax(seen.astype(mx.float32), axis=-1).mean(axis=0)
    frame = shares @ mx.arange(shares.shape[-1]).astype(mx.float32)
    return main, mx.concatenate([*inner[:-1], main, frame[..., None].astype(main.dtype)], axis=-1)
