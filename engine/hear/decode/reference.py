"""The last hypothesis as a reference: read as one block, and kept as far as the model would write it again.

This is the rule of speculative decoding (arXiv:2211.17192, greedy case) with the last round's words as the draft.
WhisperFlow spends a step of its search on each of them (engine.hear.decode.pruning). The features have changed since,
so the decoder's cache of them is of no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, takewhile

import numpy as np

from engine.events import Reference
from engine.hear.decode.beam import Candidate
from engine.hear.decode.rules import Row, Rule, apply_rules, log_sum_exp, loop_begins
from engine.hear.decode.tokenizer import TextTokens

MOST_ALIKE = 3
"""Most tokens of a reference's end that a draft is searched for."""


def tokens_of(reference: Reference, start_seconds: float) -> tuple[int, ...]:
    """Return the tokens of the words that last beyond start_seconds.

    A word that doesn't know its tokens ends the reference: what follows it can't follow anything else.
    """
    words = (word for word in (*reference.committed, *reference.expected) if word.end > start_seconds)
    return tuple(token for word in takewhile(lambda word: bool(word.tokens), words) for token in word.tokens)


def usable(reference: Sequence[int], tokenizer: TextTokens, limit: int, *, repeats: int = 0) -> tuple[int, ...]:
    """Return the start of a reference that a search could write: at most `limit` known tokens, no end, no loop."""
    known = takewhile(lambda token: 0 <= token < tokenizer.n_vocab and token != tokenizer.eot, reference)
    written = tuple(islice(known, limit))
    return written[: loop_begins(written, repeats)]


def accepted(
    rows: Sequence[Row],
    reference: Sequence[int],
    rules: Sequence[Rule],
    *,
    margin: float = 0.0,
    steady: int | None = None,
) -> Candidate:
    """Return the start of the reference that holds, by rows (n_vocab,): row i predicts reference[i].

    A token holds if it is the likeliest that the rules allow. One of the `steady` first (of all, if that is None) also
    holds if it is allowed and less likely than the likeliest by no more than `margin` (natural logarithm). The rows are
    left as they are.
    """
    logprobs: list[float] = []
    for place, token in enumerate(reference):
        row = rows[place].copy()
        apply_rules(rules, row[None], [reference[:place]])
        likeliest = int(row.argmax())
        near = (
            margin > 0
            and (steady is None or place < steady)
            and row[token] > -np.inf
            and row[likeliest] - row[token] <= margin
        )
        if not (token == likeliest or near):
            break
        logprobs.append(float(row[token]) - log_sum_exp(row))
    return Candidate(tuple(reference[: len(logprobs)]), tuple(logprobs), sum(logprobs), (1,) * len(logprobs))


def continued(reference: tuple[int, ...], draft: tuple[int, ...]) -> tuple[int, ...]:
    """Return a reference, continued by what a draft of the same audio has behind the last tokens that both have.

    The reference alone is returned if the draft does not find back to its end.
    """
    if not reference:
        return draft
    for count in range(min(MOST_ALIKE, len(reference)), 0, -1):
        end = reference[-count:]
        for place in range(len(draft) - count, -1, -1):
            if draft[place : place + count] == end:
                return reference + draft[place + count :]
    return reference
