"""The search for a text with one token per forward of the decoder: greedy, sampling, or beam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.hear.decode.beam import Search, TextCandidate
from engine.hear.decode.decoder import Logits, Reader
from engine.hear.decode.rules import Row, Rule, apply_rules, repeated_tail
from engine.hear.decode.steps import Steps, never


@dataclass(frozen=True, slots=True)
class Terms:
    """Constraints on every text.

    Attributes:
        eot: the end-of-text token.
        rules: rules about which token may follow.
        limit: most tokens.
        repeats: most tokens at the end that may repeat earlier ones; see rules.most_repeated.
        cancelled: called at every step; once true, the text ends.
    """

    eot: int
    rules: Sequence[Rule]
    limit: int
    cancelled: Callable[[], bool] = never
    repeats: int = 0

    def is_over(self, text: Sequence[int]) -> bool:
        """Return whether nothing may be added: there is no room, or the text has begun to loop."""
        return len(text) >= self.limit or self.too_many(text) > 0

    def too_many(self, text: Sequence[int]) -> int:
        """Count the tokens at the end that repeat earlier ones more often than people do."""
        return max(0, repeated_tail(text) - self.repeats)

    def allow(self, row: Row, text: Sequence[int]) -> Row:
        """Forbid, in row (v,) and in place, the tokens that may not follow the text."""
        apply_rules(self.rules, row[None], [text])
        return row


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of a search.

    Attributes:
        text: the best text.
        steps: number of choices of the next token.
        candidates: active candidates, summed over the steps.
        pruned_steps: steps of a single candidate that followed the last hypothesis.
        reused_tokens: tokens copied from the last hypothesis without a step of their own.
    """

    text: TextCandidate
    steps: int = 0
    candidates: int = 0
    pruned_steps: int = 0
    reused_tokens: int = 0


def run_search(reader: Reader, search: Search, logits: Logits, terms: Terms) -> Steps[Written]:
    """Search from the logits (live candidates, v) that follow the reader's tokens.

    Ends when the search is done, when the leading candidate is over, or when cancelled.
    """
    steps = candidates = 0
    over = terms.is_over(search.live[0].tokens)
    while not over:
        width = len(search.live)
        apply_rules(terms.rules, logits, [candidate.tokens for candidate in search.live])
        sources = search.advance(logits)
        steps += 1
        candidates += max(width, len(search.live))
        over = search.done or terms.cancelled() or terms.is_over(search.live[0].tokens)
        if not over:
            logits = reader.step(sources, [candidate.tokens[-1] for candidate in search.live])
            yield
    return Written(search.best(), steps, candidates, search.pruned_steps)
