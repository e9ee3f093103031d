"""Plain greedy decoding, which everything faster is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from engine.language_model import LanguageModel

TIED = 1e-4  # logits that a block and a step may order differently


class Written(Protocol):
    """What some way of decoding gave: its tokens, and how they ended."""

    @property
    def tokens(self) -> tuple[int, ...]: ...

    @property
    def ended(self) -> str: ...


def greedy(model: LanguageModel, prompt: Sequence[int], max_tokens: int) -> Iterator[tuple[int, float]]:
    """Decode plainly, the whole text anew for every token: each token, and by how much the second is behind."""
    text = list(prompt)
    for _ in range(max_tokens):
        row = model.logits(text, model.new_cache(), 1)[0]
        first, second = row.argsort()[::-1][:2].tolist()
        yield first, float(row[first] - row[second])
        if first in model.end_tokens:
            return
        text.append(first)


def assert_greedy(model: LanguageModel, prompt: Sequence[int], result: Written, max_tokens: int) -> None:
    """Compare with plain decoding, up to where two tokens are as likely as each other."""
    ended = "limit"
    for place, (token, lead) in enumerate(greedy(model, prompt, max_tokens)):
        if token in model.end_tokens:
            assert place == len(result.tokens) or lead < TIED
            ended = "end"
        elif place >= len(result.tokens) or result.tokens[place] != token:
            assert lead < TIED, f"{result.tokens} differs at {place} from {token}"
            return
    assert result.ended == ended
