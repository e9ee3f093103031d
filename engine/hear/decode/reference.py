"""Reuse of the last hypothesis: it is read as one block, and kept as far as the model would write it again.

This is the rule of speculative decoding (arXiv:2211.17192, greedy case), with the last round's words as the draft.
WhisperFlow spends a search step on each of these words instead (engine.hear.decode.pruning). The decoder's cache of the
last round cannot be reused, because the audio features have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, takewhile

import numpy as np

from engine.events import Reference
from engine.hear.decode.beam import TextCandidate
from engine.hear.decode.rules import Row, Rule, apply_rules, log_sum_exp, loop_begins
from engine.hear.decode.tokenizer import TextTokens
from engine.hear.decode.vocabulary import MARGIN as VOCABULARY_MARGIN
from engine.hear.decode.vocabulary import confidence

MOST_ALIKE = 3
"""Longest suffix of a reference, in tokens, that is looked up in a draft."""


def tokens_of(reference: Reference, start_seconds: float) -> tuple[int, ...]:
    """Return the tokens of the words that end after start_seconds.

    The sequence stops at a word without tokens, because the tokens after it need it as context.
    """
    words = (word for word in (*reference.committed, *reference.expected) if word.end > start_seconds)
    return tuple(token for word in takewhile(lambda word: bool(word.tokens), words) for token in word.tokens)


def usable(reference: Sequence[int], tokenizer: TextTokens, limit: int, *, repeats: int = 0) -> tuple[int, ...]:
    """Return the prefix of a reference that a search could write: at most `limit` valid tokens, no end, no loop."""
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
    listed: Sequence[range] = (),
) -> TextCandidate:
    """Return the prefix of the reference that the rows (n_vocab,) accept; row i predicts reference[i].

    A token is accepted if it is the most probable one that the rules allow. One of the first `steady` tokens (all, if
    None) is also accepted if it is allowed and its log-probability (natural) is at most `margin` below the highest. The
    tokens of a listed entry (engine.hear.decode.vocabulary) are accepted while all of them together miss the highest by
    no more than VOCABULARY_MARGIN. The rows are not changed.
    """
    entry_of = {place: entry for entry in listed for place in entry}
    logprobs: list[float] = []
    missed = 0.0
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
        entry = entry_of.get(place)
        missed = 0.0 if entry is None or place == entry.start else missed
        missed += float(row[likeliest] - row[token])
        held = entry is not None and missed <= VOCABULARY_MARGIN
        if not (token == likeliest or near or held):
            break
        logprob = float(row[token]) - log_sum_exp(row)
        logprobs.append(max(logprob, confidence(VOCABULARY_MARGIN - missed)) if held else logprob)
    return TextCandidate(tuple(reference[: len(logprobs)]), tuple(logprobs), sum(logprobs), (1,) * len(logprobs))


def continued(reference: tuple[int, ...], draft: tuple[int, ...]) -> tuple[int, ...]:
    """Return a reference, extended by the part of a draft that follows their last tokens in common.

    The reference is returned unchanged if the draft does not contain its last tokens.
    """
    if not reference:
        return draft
    for count in range(min(MOST_ALIKE, len(reference)), 0, -1):
        end = reference[-count:]
        for place in range(len(draft) - count, -1, -1):
            if draft[place : place + count] == end:
                return reference + draft[place + count :]
    return reference
