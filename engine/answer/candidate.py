"""The candidate of a turn: the newest answer to what has been said so far, and when it is long enough to wait."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.answer.branches import Tokens
from engine.answer.sentences import SentenceSplitter
from engine.language.speculative_decoding import common_beginning

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel


@dataclass(frozen=True, slots=True)
class Candidate:
    """The newest answer of a turn, offered as draft to the next, and what it and those before it cost.

    Attributes:
        prompt: the tokens it was made for.
        tokens: of the answer.
        sentence_tokens: how many of them its first sentence takes; None while it is not whole.
        whole: it was not given up before it was long enough.
        first_sentence, survived: those of the last guess.
        forwards, generated: what was spent on the turn so far; tokens that were taken over are not counted again.
        others: answers that may take its place, as far as they are made; those that are likelier to come first.
        untried: beginnings of others that are yet to be made, the likeliest first; None: nobody has looked for them.
    """

    prompt: Tokens = ()
    tokens: Tokens = ()
    sentence_tokens: int | None = None
    whole: bool = False
    first_sentence: str | None = None
    survived: int = 0
    forwards: int = 0
    generated: int = 0
    others: tuple[Tokens, ...] = ()
    untried: tuple[Tokens, ...] | None = None


class FirstSentence:
    """Says when an answer is long enough to wait: its first sentence is whole, and some tokens follow.

    Attributes:
        tokens: how many the first sentence takes; None while it is not whole.
    """

    def __init__(self, model: LanguageModel, spare: int = 0) -> None:
        self.tokens: int | None = None
        self._model = model
        self._spare = spare

    def __call__(self, tokens: Sequence[int]) -> bool:
        if self.tokens is None and self._is_in(tokens):
            counts = range(len(tokens))  # a draft may have brought many of them at once
            self.tokens = bisect_left(counts, True, key=lambda count: self._is_in(tokens[:count]))
        return self.tokens is not None and len(tokens) >= self.tokens + self._spare

    def _is_in(self, tokens: Sequence[int]) -> bool:
        return first_sentence_of(self._model.decode(tokens)) is not None


def used_tokens(candidate: Candidate, written: Sequence[int]) -> int:
    """Return how many tokens of an answer had been written before, in the one of the turn's answers that has most of
    them.
    """
    return max(common_beginning(made, written) for made in (candidate.tokens, *candidate.others))


def first_sentence_of(text: str, *, ended: bool = False) -> str | None:
    """Give the first sentence of an answer, once it is whole."""
    splitter = SentenceSplitter()
    found = splitter.add(text) + (splitter.finish() if ended else [])
    return found[0] if found else None
