"""The network of a translation model: a transformer's encoder, and a decoder with attention or simple recurrence.

Transformer: Vaswani et al. 2017, a layer norm behind each residual sum. Simpler simple recurrent unit (SSRU): Kim et
al. 2019, “From Research to Production and Back: Ludicrously Fast Neural Machine Translation”. Its products need no
earlier output, so that a block of tokens takes one product per matrix; what remains is elementwise:

    f = sigmoid(Wf x + b),   c(t) = f c(t - 1) + (1 - f) W x,   output relu(c)

Shapes: b rows of a batch, m new tokens, t read ones, s of the source, d states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.language.marian.kernels import Array, Kernels
from engine.language.marian.stored import Stored

Rows = Callable[[Array], Array]
_MASKED = np.float32(-1e9)

ALIGNED_HEAD = 0
"""Head of the decoder's last layer that Marian teaches to look at the word that is being translated."""


@dataclass(slots=True)
class DecoderState:
    """The decoder's memory of one batch: arrays (b, t, d) of all its layers, so that any token can be forgotten.

    Attributes:
        memory: keys and values (1, heads, s, d / heads) of the source, by layer.
        kept: by layer: cells of an SSRU, or keys and values of an attention; last what `attention` returns.
        read: number of tokens.
    """

    memory: list[tuple[Array, Array]] = field(default_factory=list)
    kept: list[tuple[Array, ...]] = field(default_factory=list)
    read: int = 0

    @property
    def attention(self) -> Array:
        """Return how much each token looked at each of the source, (b, t, s), where Marian teaches alignment."""
        return self.kept[-1][0]

    def trim_to(self, read: int) -> None:
        """Forget all tokens from place `read` on."""
        self.kept = [tuple(array[:, :read] for array in arrays) for arrays in self.kept] if read else []
        self.read = read


class Network:
    """A built network; arrays are those of its kernels."""

    def __init__(self, stored: Stored, kernels: Kernels) -> None:
        """Copy the weights in the form that the kernels compute with."""
        self.shape = stored.shape
        self._kernels = kernels
        self._source, self._target = (kernels.rows(stored.embeddings(side)) for side in ("encoder", "decoder"))
        self._output = kernels.product(stored.embeddings("decoder"))
        self._output_bias = kernels.array(stored.output_bias())
        parts = _Parts(stored, kernels)
        self._encoder = [
            (parts.attention(f"encoder_l{layer}_self"), parts.feed_forward(f"encoder_l{layer}"))
            for layer in range(1, self.shape.encoder_layers + 1)
        ]
        first = parts.recurrence if self.shape.recurrent else parts.attention
        name = "rnn" if self.shape.recurrent else "self"
        self._decoder = [
            (
                first(f"decoder_l{layer}_{name}"),
                parts.attention(f"decoder_l{layer}_context"),
                parts.feed_forward(f"decoder_l{layer}"),
            )
            for layer in range(1, self.shape.decoder_layers + 1)
        ]

    def encoded(self, source: Sequence[int]) -> DecoderState:
        """Read a source (s,), its end included; return what the decoder begins with."""
        x = self._embedded(self._source(source), 0)
        for attention, feed_forward in self._encoder:
            x = attention.itself(x)
            x = feed_forward(x)
        return DecoderState([attention.memory(x) for _, attention, _ in self._decoder])

    def read(self, tokens: NDArray[np.int64], state: DecoderState) -> Array:
        """Read tokens (b, m) behind those of a state, and add them to it; return the decoder's outputs (b, m, d).

        Token -1 stands before a translation whose beginning has no embedding.
        """
        batch, count = tokens.shape
        flat = tokens.reshape(-1)
        x = self._target(np.maximum(flat, 0).tolist()) * self._kernels.array((flat >= 0).astype(np.float32)[:, None])
        x = self._embedded(x.reshape(batch, count, -1), state.read)
        kept: list[tuple[Array, ...]] = []
        for number, (first, context, feed_forward) in enumerate(self._decoder):
            x, arrays = first.behind(x, state.kept[number] if state.kept else ())
            kept.append(arrays)
            keys, values = state.memory[number]
            weights = context.weights(x, keys)
            x = context.mixed(x, weights, values)
            x = feed_forward(x)
        looks = weights[:, ALIGNED_HEAD]
        kept.append((self._kernels.joined([state.attention, looks], 1) if state.kept else looks,))
        state.kept, state.read = kept, state.read + count
        return x

    def chosen(self, rows: Sequence[int], state: DecoderState) -> DecoderState:
        """Return a state whose batch continues these rows of another one."""
        kept = [tuple(self._kernels.taken(array, rows) for array in arrays) for arrays in state.kept]
        return DecoderState(state.memory, kept, state.read)

    def logits(self, x: Array) -> NDArray[np.float32]:
        """Return the logits (m, vocabulary) of outputs (m, d)."""
        return self._kernels.numbers(self._output(x) + self._output_bias)

    def attention(self, state: DecoderState) -> NDArray[np.float32]:
        """Return the numbers of a state's `attention`."""
        return self._kernels.numbers(state.attention)

    def _embedded(self, x: Array, start: int) -> Array:
        """Scale embeddings (…, m, d) and add their positions, the first of which is `start`."""
        width, count = self.shape.width, x.shape[-2]
        places = np.arange(start, start + count)[:, None] * self.shape.frequencies()[None, :]
        waves = np.concatenate([np.sin(places), np.cos(places)], axis=1).astype(np.float32)
        return x * np.float32(math.sqrt(width) if self.shape.scales_embeddings else 1.0) + self._kernels.array(waves)


class _Parts:
    """Makes the layers of a network from what is stored."""

    def __init__(self, stored: Stored, kernels: Kernels) -> None:
        self._stored, self._kernels = stored, kernels

    def attention(self, name: str) -> Attention:
        norm = self.norm(f"{name}_Wo")
        linear = [self.linear(f"{name}_W{each}", f"{name}_b{each}") for each in "qkvo"]
        return Attention(self._kernels, self._stored.shape.heads, linear, norm)

    def recurrence(self, name: str) -> Recurrence:
        product = self._kernels.product(self._stored.matrix(f"{name}_W"))
        gate = self.linear(f"{name}_Wf", f"{name}_bf")
        return Recurrence(self._kernels, product, gate, self.norm(f"{name}_ffn"))

    def feed_forward(self, name: str) -> Rows:
        first, second = (self.linear(f"{name}_ffn_W{each}", f"{name}_ffn_b{each}") for each in "12")
        norm, kernels, swish = self.norm(f"{name}_ffn_ffn"), self._kernels, self._stored.shape.swish

        def feed_forward(x: Array) -> Array:
            inner = first(x)
            return norm(x + second(inner * kernels.sigmoid(inner) if swish else kernels.relu(inner)))

        return feed_forward

    def linear(self, matrix: str, bias: str) -> Rows:
        product, shift = self._kernels.product(self._stored.matrix(matrix)), self._array(bias)

        def linear(x: Array) -> Array:
            flat = product(x.reshape(-1, x.shape[-1])) + shift
            return flat.reshape(*x.shape[:-1], flat.shape[-1])

        return linear

    def norm(self, name: str) -> Rows:
        scale, bias = self._array(f"{name}_ln_scale"), self._array(f"{name}_ln_bias")
        return lambda x: self._kernels.norm(x, scale, bias)

    def _array(self, name: str) -> Array:
        return self._kernels.array(self._stored.vector(name))


class Attention:
    """Attention with several heads, its residual sum and layer norm."""

    def __init__(self, kernels: Kernels, heads: int, linear: Sequence[Rows], norm: Rows) -> None:
        self._kernels, self._heads, self._norm = kernels, heads, norm
        self._queries, self._keys, self._values, self._out = linear

    def itself(self, x: Array) -> Array:
        """Let all rows x (s, d) attend to all: (s, d)."""
        return self.of(x[None], *self.memory(x))[0]

    def memory(self, x: Array) -> tuple[Array, Array]:
        """Return keys and values (1, heads, s, d / heads) of rows x (s, d)."""
        return self._split(self._keys(x)[None]), self._split(self._values(x)[None])

    def of(self, x: Array, keys: Array, values: Array, mask: Array | None = None) -> Array:
        """Let rows x (b, m, d) attend to keys and values (b or 1, heads, t, d / heads): (b, m, d)."""
        return self.mixed(x, self.weights(x, keys, mask), values)

    def weights(self, x: Array, keys: Array, mask: Array | None = None) -> Array:
        """Return how much rows x (b, m, d) attend to each key (b or 1, heads, t, d / heads): (b, heads, m, t)."""
        queries = self._split(self._queries(x)) * np.float32(1 / math.sqrt(keys.shape[-1]))
        scores = queries @ keys.swapaxes(-1, -2)
        return self._kernels.softmax(scores if mask is None else scores + mask)

    def mixed(self, x: Array, weights: Array, values: Array) -> Array:
        """Add values (b or 1, heads, t, d / heads) to rows x (b, m, d) by these weights (b, heads, m, t)."""
        return self._norm(x + self._out((weights @ values).swapaxes(1, 2).reshape(x.shape)))

    def behind(self, x: Array, kept: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
        """Let rows x (b, m, d) attend to themselves and to earlier ones; return them and all keys and values."""
        keys, values = self._keys(x), self._values(x)
        if kept:
            keys, values = self._kernels.joined([kept[0], keys], 1), self._kernels.joined([kept[1], values], 1)
        count, total = x.shape[1], keys.shape[1]
        later = np.triu(np.full((count, total), _MASKED), total - count + 1) if count > 1 else None
        mask = None if later is None else self._kernels.array(later)
        return self.of(x, self._split(keys), self._split(values), mask), (keys, values)

    def _split(self, x: Array) -> Array:
        """Divide rows x (b, t, d) among the heads: (b, heads, t, d / heads)."""
        return x.reshape(x.shape[0], x.shape[1], self._heads, -1).swapaxes(1, 2)


class Recurrence:
    """A simpler simple recurrent unit, its residual sum and layer norm."""

    def __init__(self, kernels: Kernels, product: Rows, gate: Rows, norm: Rows) -> None:
        self._kernels, self._product, self._gate, self._norm = kernels, product, gate, norm

    def behind(self, x: Array, kept: tuple[Array, ...]) -> tuple[Array, tuple[Array, ...]]:
        """Return the outputs of rows x (b, m, d), and the cells (b, t, d) of these and all earlier ones."""
        gate = self._kernels.sigmoid(self._gate(x))
        new = (1 - gate) * self._product(x.reshape(-1, x.shape[-1])).reshape(x.shape)
        cells = []
        cell = kept[0][:, -1:] if kept else None
        for place in range(x.shape[1]):
            cell = new[:, place : place + 1] + (0 if cell is None else gate[:, place : place + 1] * cell)
            cells.append(cell)
        written = self._kernels.joined(cells, 1)
        output = self._norm(x + self._kernels.relu(written))
        return output, (self._kernels.joined([kept[0], written], 1) if kept else written,)
