"""Branches: alternative answers to a turn, decoded while the user is still speaking.

A candidate mostly fails at a single token, and the tokens after it need no decoding one by one if they were decoded
before. The likeliest other tokens along the candidate each begin a branch, which is written to the end of its first
sentence while there is time. Once the whole question has been read and the model deviates from the candidate, the
branch that begins with the new text is offered as one block behind it. It is verified like any draft: it changes the
number of forwards of a reply, never its text.

Beyond the PredGen paper, which has one candidate. Several candidates for a place are known from multi-candidate
speculative decoding (Yang et al., arXiv:2401.06706) and token trees (SpecInfer: Miao et al., arXiv:2305.09781); there
they are read at once, here they wait for the token that chooses among them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence

import numpy as np

from engine.language.drafts import Guesser, Guesses
from engine.language.speculative_decoding import Logits, Verdict, Verify, accepted_tokens

Tokens = tuple[int, ...]

MOST_KEPT = 16
"""Most other answers that are kept for a turn: branches, and abandoned candidates."""

LEAST_LIKELY = 0.005
"""Least probability of a branch that is worth its forwards."""


def with_other(others: Sequence[Tokens], new: Sequence[int]) -> tuple[Tokens, ...]:
    """Add an answer before those that are kept; answers of which one begins with the other are kept once."""
    new = tuple(new)
    if not new:
        return tuple(others)
    longest = next((other for other in others if other[: len(new)] == new), new)
    return (longest, *(other for other in others if other != new[: len(other)] and other != longest))[:MOST_KEPT]


def continuation_of(others: Sequence[Tokens], answer: Sequence[int]) -> Tokens:
    """Return the continuation in the first kept answer that begins with this one; empty if there is none."""
    begun = tuple(answer)
    found = (other for other in others if len(other) > len(begun) and other[: len(begun)] == begun)
    return next(found, begun)[len(begun) :]


def likely_branches(logits: Logits, answer: Sequence[int], most: int, ends: Collection[int]) -> tuple[Tokens, ...]:
    """Return the likeliest beginnings in place of an answer (n,), by logits (n or more, vocabulary).

    Each is the part of the answer before some place, and another token there. They are sorted by the probability of
    all their tokens, the likeliest first.
    """
    if not answer:
        return ()
    rows = logits[: len(answer)].astype(np.float64)
    rows -= rows.max(axis=1, keepdims=True)
    rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
    own = rows[np.arange(len(answer)), list(answer)]
    before = np.concatenate([[0.0], np.cumsum(own)[:-1]])  # probability of the tokens before each place
    count = min(most + 1 + len(ends), rows.shape[1])  # more than needed: the answer's own token and ends are skipped
    found = []
    for place, row in enumerate(rows):
        for token in np.argpartition(row, -count)[-count:].tolist():
            likelihood = float(before[place] + row[token])
            if token != answer[place] and token not in ends and likelihood >= np.log(LEAST_LIKELY):
                found.append((likelihood, -place, token))
    return tuple((*answer[:-place], token) for _, place, token in heapq.nlargest(most, found))


def accept_first(begun: int) -> Verify:
    """Return a verdict that accepts the first `begun` tokens of a draft, whatever the model would write."""

    def verify(logits: Logits, draft: Sequence[int]) -> Verdict:
        yield from ()
        return begun + accepted_tokens(logits[begun:], draft[begun:])

    return verify


class AlongBranches:
    """Guesses by the kept answers; by another guesser if none of them begins with the new text.

    Attributes:
        offered: tokens that were guessed.
        kept: how many of those the model would have written.
    """

    def __init__(self, others: Callable[[], Sequence[Tokens]], otherwise: Guesser) -> None:
        """Guess by the answers that `others` returns at that moment."""
        self._others = others
        self._otherwise = otherwise
        self._own = False  # the last guess came from a kept answer
        self.offered = 0
        self.kept = 0

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Return the rest of an answer that begins with this one, at most `room` tokens."""
        guess = list(continuation_of(self._others(), answer)[: max(0, room)])
        self._own = bool(guess)
        guess = guess or self._otherwise.guess(answer, room)
        self.offered += len(guess)
        return guess

    def judge(self, kept: int, best: Sequence[int]) -> None:
        """Note how many of the guessed tokens held."""
        self.kept += kept
        if not self._own:
            self._otherwise.judge(kept, best)


def along_branches(others: Callable[[], Sequence[Tokens]], otherwise: Guesses) -> Guesses:
    """Return a factory of `AlongBranches`, which tries other answers before another guesser."""

    def guesser(prompt: Sequence[int], rest: Sequence[int], best: Sequence[int]) -> Guesser:
        return AlongBranches(others, otherwise(prompt, rest, best))

    return guesser
