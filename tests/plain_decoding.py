"""Plain greedy decoding, which everything faster is compared with."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol, TypeVar

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from engine.language.language_model import LanguageModel

TIED = 1e-4  # logits that a block and a step may order differently


Result = TypeVar("Result")


def result_of(steps: Generator[object, None, Result]) -> Result:
    """Run steps to their end; return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Result = end.value
            return found


class Written(Protocol):
    """Result of a way of decoding: its tokens, and how they ended."""

    @property
    def tokens(self) -> tuple[int, ...]: ...

    @property
    def ended(self) -> str: ...


def read_apart(model: LanguageModel, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Read whole texts side by side, each by itself and without a cache: the logits (n, vocabulary) behind each.

    Shorter ones are padded behind their ends, where none of their tokens looks.
    """
    longest = max(map(len, texts))
    logits = model._model(mx.array([[*text, *[0] * (longest - len(text))] for text in texts]))
    behind = logits[mx.arange(len(texts)), mx.array([len(text) - 1 for text in texts])]
    return np.array(behind.astype(mx.float32))


def assert_greedy(model: LanguageModel, prompt: Sequence[int], result: Written, max_tokens: int) -> None:
    """Compare with plain decoding, which reads the whole text for every token, up to where two tokens are as likely."""
    ended = "limit"
    counts = range(min(len(result.tokens) + 1, max_tokens))  # plain decoding goes on only where it wrote the same
    texts = [[*prompt, *result.tokens[:count]] for count in counts]
    for place, row in enumerate(read_apart(model, texts) if texts else ()):
        token, second = row.argsort()[::-1][:2].tolist()
        lead = float(row[token] - row[second])
        if token in model.end_tokens:
            assert place == len(result.tokens) or lead < TIED
            ended = "end"
            break
        if place >= len(result.tokens) or result.tokens[place] != token:
            assert lead < TIED, f"{result.tokens} differs at {place} from {token}"
            return
    assert result.ended == ended
