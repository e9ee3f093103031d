"""What writes text from audio, whatever its shape: the one interface of Whisper's decoder and of Speech-LLaMA's.

A decoder predicts the next token, and with heads the ones after it too. `Reader` is one decoding with it: it reads
tokens, keeps the cache in step, and brings the logits that matter to the host.

Shapes: b rows of a batch (a beam), n tokens, m positions, d states, v tokens of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeVar

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.machine.device_turn import evaluate

Logits = NDArray[np.float32]
Tokens = NDArray[np.int64]


class TokenCache(Protocol):
    """A decoder's memory of the tokens it has read.

    Attributes:
        offset: how many tokens those are; audio that comes before them is not counted.
        batch: how many rows.
    """

    offset: int
    batch: int

    def truncate(self, length: int) -> None:
        """Forget all tokens from position `length` on."""

    def reorder(self, indices: Sequence[int]) -> None:
        """Make row i continue what row indices[i] held; a beam may shrink, grow or repeat rows."""

    def picked(self, indices: Sequence[int]) -> Self:
        """A cache of its own that continues these rows."""

    def joined(self, others: Sequence[Self]) -> Self:
        """One cache with the rows of this one and of others that hold as many tokens."""


class Heads(Protocol):
    """Layers that propose the tokens after the next.

    Attributes:
        draft_tokens: the token of each column of their logits (u,), or None where they are the whole vocabulary.
    """

    draft_tokens: Tokens | None

    @property
    def ahead(self) -> int:
        """Return how many tokens are predicted at once, the next one included."""

    def logits(self, states: mx.array, count: int) -> mx.array:
        """Give the logits (m, count, u), float32, of heads 2 to count + 1 for states (m, d)."""


Cache = TypeVar("Cache", bound=TokenCache)


class TokenDecoder(Protocol[Cache]):
    """A decoder over one stretch of audio.

    Attributes:
        heads: what proposes the tokens after the next; None where it writes one at a time.
    """

    @property
    def heads(self) -> Heads | None: ...

    def new_cache(self) -> Cache:
        """An empty cache of one row."""

    def forward(self, tokens: mx.array, cache: Cache) -> mx.array:
        """Read tokens (b, n) behind what the cache holds, and the audio before them where it is empty.

        Returns the states (b, n, d) that what follows each is predicted from. Nothing is evaluated.
        """

    def logits(self, states: mx.array) -> mx.array | Logits:
        """The logits (…, v), float32, of the token that follows each of the states (…, d); the caller's own."""


class Reader:
    """A decoder at work: reads tokens, keeps its cache in step, brings the logits that matter to the host.

    Attributes:
        decoder: what reads.
        cache: what it remembers.
        forwards: how many blocks were read.
    """

    def __init__(self, decoder: TokenDecoder[Any]) -> None:
        self.decoder = decoder
        self.cache: TokenCache = decoder.new_cache()
        self.forwards = 0
        self._begin = 0  # where the last block begins
        self._states: mx.array | None = None  # (n, d) of that block
        self._prepared: tuple[int, Logits] | None = None  # a row of it, and what the heads say there

    @property
    def heads(self) -> Heads:
        """Return what looks ahead, of a decoder that has it."""
        assert self.decoder.heads is not None, "Only a decoder with heads looks ahead."
        return self.decoder.heads

    @property
    def place(self) -> int:
        """The last row of the last block read that was not forgotten."""
        return self.cache.offset - self._begin - 1

    def read(self, tokens: Sequence[int], rows: Sequence[int], *, ahead: int = 0) -> Logits:
        """Read a block of n tokens in the only row; give the logits (len(rows), v) that follow some of them.

        `ahead` is how many heads will be asked what follows the last row of these: with it they are computed at once.
        """
        self._begin = self.cache.offset
        states = self._states = self._forward([list(tokens)])[0]
        wanted = [row % len(tokens) for row in rows]
        logits = self.decoder.logits(states if wanted == [*range(len(tokens))] else states[mx.array(wanted)])
        self._prepared = None
        if not ahead:
            # Another thread may go on from here, and it can't compute what this one has written down.
            evaluate(logits, states)
            return on_host(logits)
        foreseen = self._logits_ahead(wanted[-1], ahead)
        evaluate(logits, states, foreseen)
        self._prepared = (wanted[-1], np.array(foreseen))
        return on_host(logits)

    def step(self, sources: Sequence[int], tokens: Sequence[int]) -> Logits:
        """Let row i continue what row sources[i] held with tokens[i]; give the logits (len(tokens), v)."""
        self.cache.reorder(sources)
        logits = self.decoder.logits(self._forward([[token] for token in tokens]))
        self._states = self._prepared = None
        evaluate(logits)
        return on_host(logits)[:, 0]

    def truncate(self, length: int) -> None:
        """Forget what was read from position `length` on."""
        self.cache.truncate(length)

    def logits_ahead(self, row: int, count: int) -> Logits:
        """The logits (count, u) of heads 2 to count + 1, of what follows the row-th token of the last block read."""
        assert self._states is not None, "The heads look ahead after a block was read."
        if self._prepared is not None and self._prepared[0] == row % len(self._states):
            return self._prepared[1][:count]
        logits = self._logits_ahead(row, count)
        evaluate(logits)
        return np.array(logits)

    def look_ahead(self, row: int, count: int) -> tuple[Tokens, Logits]:
        """The likeliest tokens (count,) of these heads, and their log-probabilities (count,)."""
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
    """Evaluated logits as an array that may be written to."""
    return logits if isinstance(logits, np.ndarray) else np.array(logits)


def likeliest(heads: Heads, logits: Logits) -> Tokens:
    """The token (m,) that each row (m, u) of a head's logits is highest at."""
    columns: Tokens = logits.argmax(axis=1)
    return columns if heads.draft_tokens is None else heads.draft_tokens[columns]
