"""Decoding for models with random weights, which would write until they may not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from engine.hear.decode import attempts
from engine.hear.rounds import guards

BOUNDS = {"LEAST_LOGPROB": -math.inf, "MOST_COMPRESSION": math.inf, "MOST_NO_SPEECH": 1.0}


def end_after(patch: pytest.MonkeyPatch, tokens: int) -> None:
    """Let a decoding of a few seconds end after so many tokens."""
    patch.setattr(attempts, "FEWEST_TOKENS", tokens)
    patch.setattr(attempts, "TOKENS_PER_SECOND", 1)


def believe(patch: pytest.MonkeyPatch) -> None:
    """Let every decoding pass, however unlikely or repetitive it is."""
    for module in (attempts, guards):
        for name, value in BOUNDS.items():
            patch.setattr(module, name, value)


@contextmanager
def short_decoding(tokens: int) -> Iterator[None]:
    """Let decodings end after so many tokens, and pass."""
    with pytest.MonkeyPatch.context() as patch:
        end_after(patch, tokens)
        believe(patch)
        yield
