"""Several tokens per forward: the heads propose tokens, which are verified or accepted by confidence.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), section III-A. After every
forward the next tokens are predicted: the first by head 1, which is the model itself, the others by the multi-token
heads. There are three rules for keeping a part of them.

Verification ("top-m"): the next forward reads the first token and all proposed ones. In the same forward, head 1
predicts each position, and the proposed tokens are kept up to the first that is not among its M likeliest. Its
prediction and those of the other heads after the last kept token start the next step. With M = 1 the text equals
token-by-token decoding.

Threshold: the first token is kept, and those after it while the head of each, head 1 included, reaches this
probability. Only kept tokens are read.

Heads that have heard little speech are surer than they are right. So where there is a draft of the text they are
believed only as far as it says the same, which is our own: two that hear apart seldom make the same mistake. A beam
with a draft reads ahead by that alone (engine.hear.decode.drafted_beam).

Both is our own: confident tokens are kept, and the remaining predictions are verified by the forward that reads these.
So a correct but unsure head costs nothing, and a sure one saves the wait for a verification.

A draft of the whole text (engine.hear.decode.resync) is verified in the same way whatever the rule, with or without
heads: the heads' predictions are read up to where the draft agrees, and then the draft. What head 1 predicts after the
first difference corrects the draft.

An end of text among the kept tokens ends the text, whichever head wrote it; later predictions are dropped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from engine.errors import OptionError
from engine.hear.decode.beam import TextCandidate, top_tokens
from engine.hear.decode.decoder import Heads, Logits, Reader, TokenDecoder, likeliest
from engine.hear.decode.resync import DraftRemainder
from engine.hear.decode.rules import Row, log_sum_exp
from engine.hear.decode.search import Terms, Written
from engine.hear.decode.steps import Steps
from engine.options import AcceptanceRule, DecodeOptions


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The rule by which simultaneously predicted tokens are kept; see DecodeOptions.

    Attributes:
        ahead: number of predicted tokens, the next one included.
    """

    rule: AcceptanceRule
    ahead: int
    top_m: int = 1
    threshold: float = 0.8

    @property
    def believes(self) -> bool:
        """Return whether confident tokens are kept without verification."""
        return self.rule != "top-m"

    @property
    def verifies(self) -> bool:
        """Return whether head 1 verifies the other tokens."""
        return self.rule != "threshold"

    def holds(self, row: Row, token: int) -> bool:
        """Return whether a proposed token is among head 1's likeliest in its position: row (v,)."""
        if self.top_m == 1:  # by far the most common case, and faster
            return int(row.argmax()) == token
        return token in top_tokens(row, self.top_m)

    def is_sure(self, logprob: float) -> bool:
        """Return whether a head is confident in its token."""
        return logprob >= math.log(self.threshold)


def make_acceptance(options: DecodeOptions, decoder: TokenDecoder[Any]) -> Acceptance:
    """Build the options' rule, as far as the decoder has heads. Raises OptionError for a decoder without heads."""
    if decoder.heads is None:
        raise OptionError("decoder can be multitoken only with a model that has heads.")
    ahead = min(options.tokens_ahead, decoder.heads.ahead)
    top_m = 1 if options.acceptance == "threshold" else options.top_m
    return Acceptance(options.acceptance, ahead, top_m, options.threshold)


LIKELIEST = Acceptance("top-m", ahead=1)
"""The rule for a draft without multi-token heads."""


def write_ahead(
    reader: Reader,
    text: TextCandidate,
    row: Row,
    terms: Terms,
    acceptance: Acceptance,
    rest: DraftRemainder | None = None,
) -> Steps[Written]:
    """Continue a text that the reader has read, from the logits (v,) that follow it, with one candidate.

    Pauses after every forward. Ends with the end of text, at a limit, or when cancelled. The log-probabilities are
    those of the head that wrote a token: head 1 for verified ones. The rest of a draft is verified too.
    """
    steps, reused, more = 0, 0, acceptance.ahead - 1
    if terms.is_over(text.tokens):
        return Written(text)
    terms.allow(row, text.tokens)
    while True:
        read = len(text.tokens)
        text = grown(text, int(row.argmax()), row, terms)
        steps += 1
        if acceptance.believes and not is_finished(text, terms) and acceptance.is_sure(text.logprobs[-1]):
            rows = whole_rows(reader.logits_ahead(reader.place, more), reader.heads, len(row))
            text = believed(text, rows, terms, acceptance, rest.beyond(text.tokens) if rest is not None else None)
        if is_finished(text, terms) or terms.cancelled():
            return Written(text, steps, steps, reused_tokens=reused)
        new = text.tokens[read:]
        draft = _draft_behind(reader, text, len(new), terms, acceptance, rest)
        block = [*new, *without_end(draft, terms)]
        logits = reader.read(block, range(len(new) - 1, len(block)), ahead=0 if draft else more)
        yield
        before = len(text.tokens)
        text, row = confirmed(text, draft, logits, terms, acceptance)
        if rest is not None:
            rest.judge(len(text.tokens) - before, predictions(logits, text.tokens, terms))
            reused += len(text.tokens) - before
        if is_finished(text, terms):
            return Written(text, steps, steps, reused_tokens=reused)
        reader.truncate(reader.cache.offset - len(block) + len(text.tokens) - read)


def _draft_behind(
    reader: Reader, text: TextCandidate, new: int, terms: Terms, acceptance: Acceptance, rest: DraftRemainder | None
) -> list[int]:
    """Return the tokens to verify after a text whose last `new` tokens the reader has yet to read."""
    more, room = acceptance.ahead - 1, terms.limit - len(text.tokens)
    if rest is not None:
        return rest.guess(text.tokens, room, _sure(reader, new, more, terms, acceptance))
    if new > more or not acceptance.verifies:
        return []
    return proposed(reader.heads, reader.logits_ahead(reader.place, more)[new - 1 :][:room], terms)


def _sure(reader: Reader, new: int, more: int, terms: Terms, acceptance: Acceptance) -> list[int]:
    """Return the heads' confident tokens, up to an end of text, which verification decides.

    More of a draft than of the heads' unsure tokens turns out right.
    """
    if new > more:
        return []
    found = zip(*(each[new - 1 :] for each in reader.look_ahead(reader.place, more)), strict=True)
    known = takewhile(lambda one: one[0] != terms.eot and acceptance.is_sure(one[1]), found)
    return [int(token) for token, _ in known]


def proposed(heads: Heads, logits: Logits, terms: Terms) -> list[int]:
    """Return the heads' proposal by their logits (count, u), up to and with an end of text."""
    draft: list[int] = likeliest(heads, logits).tolist()
    return draft[: draft.index(terms.eot) + 1] if terms.eot in draft else draft


def without_end(draft: list[int], terms: Terms) -> list[int]:
    """Return the part of a draft that is read: nothing follows an end of text."""
    return draft[:-1] if draft and draft[-1] == terms.eot else draft


def confirmed(
    text: TextCandidate, draft: list[int], rows: Logits, terms: Terms, acceptance: Acceptance
) -> tuple[TextCandidate, Row]:
    """Return the text with the part of the draft that head 1 accepts, and the row (v,) that follows it.

    rows[i] (v,) is head 1's prediction in the position of draft[i]. The returned row excludes forbidden tokens; it is
    meaningless after a finished text.
    """
    row = terms.allow(rows[0], text.tokens)
    for place, token in enumerate(draft, start=1):
        if not acceptance.holds(row, token):
            break
        text = grown(text, token, row, terms)
        if is_finished(text, terms):
            break
        row = terms.allow(rows[place], text.tokens)
    return text, row


def predictions(rows: Iterable[Row], text: Sequence[int], terms: Terms) -> list[int]:
    """Return head 1's likeliest allowed token in each row (v,), by the rules that hold after a text."""
    return [int(terms.allow(row, text).argmax()) for row in rows]


def believed(
    text: TextCandidate,
    rows: Iterator[Row],
    terms: Terms,
    acceptance: Acceptance,
    drafted: Sequence[int] | None = None,
) -> TextCandidate:
    """Extend a text by the rows (v,) of heads 2 and on, while they are confident, and a draft agrees if there is one.

    `drafted` is what the draft has behind the text. Nothing follows the end of a text.
    """
    for place, row in enumerate(rows):
        terms.allow(row, text.tokens)
        token = int(row.argmax())
        longer = grown(text, token, row, terms, head=place + 2)
        agreed = drafted is None or [*drafted[place : place + 1]] == [token]
        if not agreed or not acceptance.is_sure(longer.sum_logprob - text.sum_logprob):
            return text
        text = longer
        if is_finished(text, terms):
            return text
    return text


def grown(text: TextCandidate, token: int, row: Row, terms: Terms, head: int = 1) -> TextCandidate:
    """Return the text with one more token, or its end, with its probability by row (v,) of allowed tokens."""
    logprob = float(row[token]) - log_sum_exp(row)
    return text.ended(logprob, head) if token == terms.eot else text.extended(token, logprob, head)


def is_finished(text: TextCandidate, terms: Terms) -> bool:
    """Return whether nothing may be added to a text."""
    return text.has_ended or terms.is_over(text.tokens)


def whole_rows(logits: Logits, heads: Heads, vocabulary: int) -> Iterator[Row]:
    """Yield the heads' logits (count, u), each as a row (vocabulary,) in which tokens outside the shortlist are
    forbidden.
    """
    for drafted in logits:
        if heads.draft_tokens is None:
            yield drafted.copy()
            continue
        row = np.full(vocabulary, -np.inf, np.float32)
        row[heads.draft_tokens] = drafted
        yield row
