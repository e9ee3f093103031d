"""The common interface of the decoders of Whisper and Speech-LLaMA, and a reader that decodes with it.

A decoder predicts the next token, and with multi-token heads also later ones. `Reader` reads tokens with it, keeps the
cache in step, and copies the relevant logits to the host.

Shapes: b rows of a batch (a beam), n tokens, m positions, d states, v tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.machine.device_turn import evaluate

Logits = NDArray[np.float32]
Tokens = NDArray[np.int64]


class TokenCache(Protocol):
    """A decoder's cache of the tokens it has read.

    Attributes:
        offset: number of these tokens, without audio before them.
        batch: number of rows.
    """

    offset: int
    batch: int

    def truncate(self, length: int) -> None:
        """Remove all tokens from position `length` on."""

    def reorder(self, indices: Sequence[int]) -> None:
        """Make row i continue row indices[i]; a beam may shrink, grow or repeat rows."""


class Heads(Protocol):
    """Multi-token heads: layers that propose the tokens after the next.

    Attributes:
        draft_tokens: token of each column of their logits (u,), or None for the whole vocabulary.
    """

    draft_tokens: Tokens | None

    @property
    def ahead(self) -> int:
        """Number of tokens predicted at once, the next one included."""

    def logits(self, states: mx.array, count: int) -> mx.array:
        """Return the logits (m, count, u), float32, of heads 2 to count + 1 for states (m, d)."""


Cache = TypeVar("Cache", bound=TokenCache)


class TokenDecoder(Protocol[Cache]):
    """A decoder over the audio of one round.

    Attributes:
        heads: multi-token heads; None if it writes one token at a time.
    """

    @property
    def heads(self) -> Heads | None: ...

    def new_cache(self) -> Cache:
        """Create an empty cache of one row."""

    def forward(self, tokens: mx.array, cache: Cache) -> mx.array:
        """Read tokens (b, n) after the cache's content, and the audio first if it is empty.

        Returns the states (b, n, d) from which the token after each is predicted. Nothing is evaluated.
        """

    def logits(self, states: mx.array) -> mx.array | Logits:
        """Return the logits (…, v), float32, of the token that follows each of the states (…, d); the caller owns
        them.
        """


class Reader:
    """Reads tokens with a decoder, keeps its cache in step, and copies the relevant logits to the host.

    Attributes:
        decoder: the decoder.
        cache: its cache.
        forwards: number of blocks read.
    """

    def __init__(self, decoder: TokenDecoder[Any]) -> None:
        self.decoder = decoder
        self.cache: TokenCache = decoder.new_cache()
        self.forwards = 0
        self._begin = 0  # start of the last block
        self._states: mx.array | None = None  # (n, d) of that block
        self._prepared: tuple[int, Logits] | None = None  # a row of it, and the heads' logits for it

    @property
    def heads(self) -> Heads:
        """Multi-token heads of a decoder that has them."""
        assert self.decoder.heads is not None, "Only a decoder with heads looks ahead."
        return self.decoder.heads

    @property
    def place(self) -> int:
        """Index of the last row of the last block that was not removed."""
        return self.cache.offset - self._begin - 1

    def read(self, tokens: Sequence[int], rows: Sequence[int], *, ahead: int = 0) -> Logits:
        """Read a block of n tokens in the only row; return the logits (len(rows), v) that follow the tokens in
        `rows`.

        `ahead` is the number of heads that will be asked for the last of these rows; their logits are computed at once.
        """
        self._begin = self.cache.offset
        states = self._states = self._forward([list(tokens)])[0]
        wanted = [row % len(tokens) for row in rows]
        logits = self.decoder.logits(states if wanted == [*range(len(tokens))] else states[mx.array(wanted)])
        self._prepared = None
        if not ahead:
            # Another thread may continue from here, and cannot compute operations that this one has recorded.
            evaluate(logits, states)
            return on_host(logits)
        foreseen = self._logits_ahead(wanted[-1], ahead)
        evaluate(logits, states, foreseen)
        self._prepared = (wanted[-1], np.array(foreseen))
        return on_host(logits)

    def step(self, sources: Sequence[int], tokens: Sequence[int]) -> Logits:
        """Let row i continue row sources[i] with tokens[i]; return the logits (len(tokens), v)."""
        self.cache.reorder(sources)
        logits = self.decoder.logits(self._forward([[token] for token in tokens]))
        self._states = self._prepared = None
        evaluate(logits)
        return on_host(logits)[:, 0]

    def fill(self, tokens: Sequence[int], length: int) -> None:
        """Let the only row hold the first `length` of these tokens, which it holds the beginning of."""
        self.cache.truncate(min(self.cache.offset, length))
        if self.cache.offset < length:
            self.read(tokens[self.cache.offset : length], [-1])

    def branches(self, blocks: Sequence[Sequence[int]], firsts: Sequence[int]) -> list[Logits]:
        """Read blocks side by side after the only row, which stays as it is; return the logits (n, v) that follow the
        tokens of each block, from its `first` on.
        """
        length = self.cache.offset
        found = self.read_rows([0] * len(blocks), blocks, firsts)
        self.cache.reorder([0])
        self.truncate(length)
        return found

    def read_rows(self, sources: Sequence[int], blocks: Sequence[Sequence[int]], firsts: Sequence[int]) -> list[Logits]:
        """Let row i continue row sources[i] with a block, filled up to the longest; return the logits (n, v) that
        follow the tokens of each block, from its `first` on.
        """
        width = max(map(len, blocks))
        self.cache.reorder(sources)
        states = self._forward([[*block, *[0] * (width - len(block))] for block in blocks])
        wanted = [
            states[row, first : len(block)] for row, (block, first) in enumerate(zip(blocks, firsts, strict=True))
        ]
        logits = self.decoder.logits(mx.concatenate(wanted))
        self._states = self._prepared = None
        evaluate(logits)
        counts = [len(block) - first for block, first in zip(blocks, firsts, strict=True)]
        return np.split(on_host(logits), np.cumsum(counts)[:-1])

    def truncate(self, length: int) -> None:
        """Remove the tokens from position `length` on."""
        self.cache.truncate(length)

    def logits_ahead(self, row: int, count: int) -> Logits:
        """Return the logits (count, u) of heads 2 to count + 1 after the row-th token of the last block."""
        assert self._states is not None, "The heads look ahead after a block was read."
        if self._prepared is not None and self._prepared[0] == row % len(self._states):
            return self._prepared[1][:count]
        logits = self._logits_ahead(row, count)
        evaluate(logits)
        return np.array(logits)

    def look_ahead(self, row: int, count: int) -> tuple[Tokens, Logits]:
        """Return the likeliest tokens (count,) of these heads, and their log-probabilities (count,)."""
        logits = self.logits_ahead(row, count)
        logprobs = -np.log(np.exp(logits - logits.max(axis=1, keepdims=True)).sum(axis=1))
        return likeliest(self.heads, logits), logprobs

    def _forward(self, tokens: list[list[int]]) -> mx.array:
        self.forwards += 1
        return self.decoder.forward(mx.array(tokens), self.cache)

    def _logits_ahead(self, row: int, count: int) -> mx.array:
        assert self._states is not None
        place = row % len(self._states)
        return self.heads.logits(self._states[place : place + 1], count)[0]


def on_host(logits: mx.array | Logits) -> Logits:
    """Return evaluated logits as a writable array."""
    return logits if isinstance(logits, np.ndarray) else np.array(logits)


def likeliest(heads: Heads, logits: Logits) -> Tokens:
    """Return the token (m,) with the highest logit in each row (m, u) of a head's logits."""
    columns: Tokens = logits.argmax(axis=1)
    return columns if heads.draft_tokens is None else heads.draft_tokens[columns]
