"""The last hypothesis as a reference: read as one block, and kept as far as the model would write it again.

This is speculative decoding's rule without its bias (arXiv:2211.17192, greedy case), with the last round's own words
for a draft, where WhisperFlow spends a step of its search on each (engine.hear.decode.pruning). The features have
changed since, so nothing that the decoder remembered of them holds: the block's forward is the reuse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

import numpy as np

from engine.events import Reference, Word
from engine.hear.decode.beam import Candidate
from engine.hear.decode.rules import Row, Rule, apply_rules, log_sum_exp, loop_begins
from engine.hear.decode.tokenizer import TextTokens

MOST_ALIKE = 3
"""Tokens of a reference's end that a draft is searched for, fewer where it does not have them."""


def tokens_of(reference: Reference, start_seconds: float) -> tuple[tuple[int, ...], int]:
    """The tokens of the words that last beyond start_seconds, and how many of the first are of committed words.

    A word that doesn't know its tokens ends the reference: what follows it can't follow anything else.
    """
    words = [(word, True) for word in reference.committed] + [(word, False) for word in reference.expected]
    heard = [(word, certain) for word, certain in words if word.end > start_seconds]
    whole = list(takewhile(lambda entry: bool(entry[0].tokens), heard))
    return _joined(word for word, _ in whole), len(_joined(word for word, certain in whole if certain))


def usable(
    reference: Sequence[int], tokenizer: TextTokens, limit: int, forced: int = 0, *, repeats: int = 0
) -> tuple[int, ...]:
    """Return the start of a reference that a search could have written: known tokens, no end, up to `limit`, no loop.

    The `forced` first tokens stay, loop or not.
    """
    known = takewhile(lambda token: 0 <= token < tokenizer.n_vocab and token != tokenizer.eot, reference)
    written = tuple(islice(known, limit))
    return written[: max(loop_begins(written, repeats), forced)]


def text_length(reference: Sequence[int], tokenizer: TextTokens) -> int:
    """Return how many tokens of text a reference begins with."""
    return sum(
        1
        for _ in takewhile(lambda token: 0 <= token < tokenizer.n_vocab and not tokenizer.is_special(token), reference)
    )


def accepted(
    rows: Sequence[Row],
    reference: Sequence[int],
    rules: Sequence[Rule],
    *,
    forced: int = 0,
    margin: float = 0.0,
    steady: int | None = None,
) -> Candidate:
    """The start of the reference that holds, by rows (n_vocab,): row i predicts reference[i].

    A token holds if it is the likeliest that the rules allow, or one of the `forced` first, or allowed and less
    likely than the likeliest by no more than `margin` (natural logarithm) and one of the `steady` first, all if that is
    None. The rows are left as they are.
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
        if not (token == likeliest or near or place < forced):
            break
        # A forced token may break a rule of this search that it didn't break in the one that wrote it.
        logprobs.append(min(0.0, float(rows[place][token]) - log_sum_exp(row)))
    return Candidate(tuple(reference[: len(logprobs)]), tuple(logprobs), sum(logprobs), (1,) * len(logprobs))


def continued(reference: tuple[int, ...], draft: tuple[int, ...]) -> tuple[int, ...]:
    """A reference, and what a draft of the same audio has behind the last tokens that both have.

    The reference alone where the draft does not find back to its end.
    """
    if not reference:
        return draft
    for count in range(min(MOST_ALIKE, len(reference)), 0, -1):
        end = reference[-count:]
        for place in range(len(draft) - count, -1, -1):
            if draft[place : place + count] == end:
                return reference + draft[place + count :]
    return reference


def _joined(words: Iterator[Word]) -> tuple[int, ...]:
    return tuple(token for word in words for token in word.tokens)
