"""Whisper's decoder over the features of one round."""

from __future__ import annotations

import mlx.core as mx

from engine.hear.decode.cache import CrossCache, DecoderCache
from engine.hear.decode.decoder import Heads, Logits
from engine.hear.whisper.model import Whisper

NO_SCORES: frozenset[int] = frozenset()


class WhisperDecoder:
    """A TokenDecoder (engine.hear.decode.decoder) of a Whisper model.

    Attributes:
        heads: None, since a Whisper was trained to predict one token.
    """

    heads: Heads | None = None

    def __init__(self, model: Whisper, cross: CrossCache) -> None:
        self._model = model
        self._cross = cross

    def new_cache(self) -> DecoderCache:
        """Create an empty cache of one row."""
        return self._model.new_cache()

    def forward(self, tokens: mx.array, cache: DecoderCache) -> mx.array:
        """Read tokens (b, n) after the cache's content; nothing is evaluated."""
        states, _ = self._model.read(tokens, self._cross, cache, NO_SCORES)
        cache.advance(tokens.shape[1])
        return states

    def logits(self, states: mx.array) -> mx.array | Logits:
        """Return the logits (…, n_vocab), float32, of the token that follows each of the states (…, d)."""
        return self._model.logits(states)
