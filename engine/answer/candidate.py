"""The candidate of a turn: the newest answer to the question so far, and when it is long enough to wait."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.answer.branches import Tokens
from engine.answer.sentences import SentenceSplitter
from engine.language.speculative_decoding import common_beginning

if TYPE_CHECKING:
    from engine.language.token_model import AnsweringModel


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """The newest answer of a turn, offered as draft to the next, with the cost of all answers of the turn.

    Attributes:
        prompt: the tokens of its prompt.
        tokens: of the answer, all verified behind that prompt.
        chances: logarithms of their probabilities.
        end_of_turn: probability that the user has finished, as the forward told that read the prompt.
        asks: whether the user's words are a question, as the same forward told.
        sentence_tokens: how many of them its first sentence takes; None until it is complete.
        whole: it became long enough before it was abandoned.
        first_sentence, survived: those of the last guess.
        forwards, generated: cost of the turn so far; reused tokens are not counted again.
        others: answers that may replace it, as far as they are decoded; the likelier first.
        untried: beginnings of others that are yet to be decoded, the likeliest first; None: not searched for yet.
    """

    prompt: Tokens = ()
    tokens: Tokens = ()
    chances: tuple[float, ...] = ()
    end_of_turn: float | None = None
    asks: bool | None = None
    sentence_tokens: int | None = None
    whole: bool = False
    first_sentence: str | None = None
    survived: int = 0
    forwards: int = 0
    generated: int = 0
    others: tuple[Tokens, ...] = ()
    untried: tuple[Tokens, ...] | None = None


class FirstSentence:
    """The rule when an answer is long enough to wait: its first sentence is complete, and some tokens follow.

    Attributes:
        tokens: how many the first sentence takes; None until it is complete.
    """

    def __init__(self, model: AnsweringModel, spare: int = 0) -> None:
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


def used_tokens(candidate: AnswerCandidate, written: Sequence[int]) -> int:
    """Return how many tokens of an answer were reused from the turn's answer that shares most of them."""
    return max(common_beginning(made, written) for made in (candidate.tokens, *candidate.others))


def first_sentence_of(text: str, *, ended: bool = False) -> str | None:
    """Return the first sentence of an answer; None until it is complete."""
    splitter = SentenceSplitter()
    found = splitter.add(text) + (splitter.finish() if ended else [])
    return found[0] if found else None
