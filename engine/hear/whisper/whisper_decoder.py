"""Whisper's decoder over one stretch of features, with heads that look ahead or without."""

from __future__ import annotations

from functools import cached_property

import mlx.core as mx

from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.decode.decoder import Logits, States, Tokens
from engine.hear.whisper.draft_block import HeardAudio, foresee
from engine.hear.whisper.heads import Heads
from engine.hear.whisper.model import Whisper
from engine.options import AcceptanceRule

NO_SCORES: frozenset[int] = frozenset()


class WhisperDecoder:
    """A TokenDecoder (engine.hear.decode.decoder) of a Whisper model.

    Attributes:
        ahead: how many tokens it can predict at once, the next one included: 1 without heads.
        draft_tokens: those that the heads may say (u,); None for all.
        acceptance: the rule that suits the heads.
    """

    def __init__(self, model: Whisper, cross: CrossCache, heads: Heads | None = None) -> None:
        self._model = model
        self._cross = cross
        self._heads = heads
        self._block = heads.block if heads is not None and heads.kind == "block" else None
        self.ahead = heads.ahead if heads is not None else 1
        self.draft_tokens: Tokens | None = heads.draft_tokens if heads is not None else None
        self.acceptance: AcceptanceRule = heads.shape.acceptance if heads is not None else "top-m"

    def new_cache(self) -> DecoderCache:
        """An empty cache of one row."""
        return self._model.new_cache()

    def forward(self, tokens: mx.array, cache: DecoderCache) -> States:
        """Read tokens (b, n) behind what the cache holds; nothing is evaluated."""
        if self._block is not None:
            states = States(*foresee(self._model, tokens, self._cross, cache))
        else:
            main, _ = self._model.read(tokens, self._cross, cache, NO_SCORES)
            states = States(main, main)
        cache.advance(tokens.shape[1])
        return states

    def logits(self, states: mx.array) -> mx.array | Logits:
        """The logits (…, n_vocab), float32, of the token that follows each of the states (…, d)."""
        return self._model.logits(states)

    def logits_ahead(self, states: mx.array, count: int) -> mx.array:
        """The logits (m, count, u), float32, of heads 2 to count + 1 for `States.ahead` of m positions."""
        assert self._heads is not None, "Only a decoder with heads looks ahead."
        return self._heads.logits(states, count, self._heard)

    @cached_property
    def _heard(self) -> HeardAudio | None:
        return None if self._block is None else self._block.hearing(self._cross)
