"""Beam search over candidate translations, for text that nobody waits for.

Greedy decoding never revokes a token, so a good translation whose first words are not the likeliest is never found. A
beam search keeps the likeliest few beginnings at every token. It does not suit live captions: text on the screen is to
stay, and the forwards of a beam cannot be shared with the last draft.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.hear.decode.beam import Beam

if TYPE_CHECKING:
    from engine.language.speculative_decoding import Speculation
    from engine.language.token_model import TranslationModel


def likeliest(
    model: TranslationModel, prompt: Sequence[int], size: int, most_tokens: int
) -> Generator[None, None, Speculation]:
    """Search for the answer whose tokens are likeliest on average, with `size` candidates; pauses between forwards.

    It ended by "limit" if the best candidate is no complete answer: it had not ended after `most_tokens`.
    """
    from engine.language.speculative_decoding import PREFILL_TOKENS, Speculation

    started, forwards = time.perf_counter(), 1
    cache, read = model.new_cache(), 0
    while len(prompt) - read > PREFILL_TOKENS:
        model.logits(prompt[read : read + PREFILL_TOKENS], cache, 0)
        read, forwards = read + PREFILL_TOKENS, forwards + 1
        yield
    end = min(model.end_tokens)
    search = Beam(end, size)
    logits = model.logits(prompt[read:], cache, 1)
    while True:
        sources = search.advance(_with_one_end(logits, model.end_tokens, end))
        if search.done or len(search.live[0].tokens) > most_tokens:
            break
        yield
        logits = model.next_logits([candidate.tokens[-1] for candidate in search.live], sources, cache)
        forwards += 1
    best = search.best()
    return Speculation(
        best.tokens,
        forwards=forwards,
        ended="end" if best.has_ended else "limit",
        decode_seconds=time.perf_counter() - started,
    )


def _with_one_end(logits: NDArray[np.float32], ends: frozenset[int], end: int) -> NDArray[np.float32]:
    """Let the likeliest of the tokens that end an answer stand for all of them."""
    if len(ends) == 1:
        return logits
    merged = logits.copy()
    merged[:, list(ends)] = -np.inf
    merged[:, end] = logits[:, list(ends)].max(axis=1)
    return merged
