"""Several tokens with every forward: the heads propose, and what they propose is verified or believed.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), section III-A. After every
forward the tokens that come next are predicted: the first by head 1, which is the model itself, the others by the
heads that look ahead. There are three ways to keep a part of them.

Verification ("top-m"): the next forward reads the first and all that is proposed after it. Head 1 says in the same
forward what it would have written in the place of each, so that the proposed tokens are kept up to the first that is
not among its M likeliest; what it and the other heads say behind the last one kept begins the next step. With M = 1
the text is the one that decoding token by token writes.

Threshold: the first token is kept, and those after it as long as every one's head, head 1 too, is as sure as that.
Nothing is read that is not kept.

Both is ours: what is sure is kept, and what is left of the predictions is verified by the forward that reads it. So a
head that is right in doubt costs nothing, and one that is sure saves the wait for a verification.

A draft of the whole text (engine.hear.decode.resync) is verified likewise, with heads or without: what they foresee is
read up to where the draft says the same, and then the draft.

An end of text among the tokens that are kept ends the text, whichever head wrote it; what was predicted behind it is
left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from engine.errors import OptionError
from engine.hear.decode.beam import Candidate, top_tokens
from engine.hear.decode.decoder import Heads, Logits, Reader, TokenDecoder, likeliest
from engine.hear.decode.resync import Rest
from engine.hear.decode.rules import Row, log_sum_exp
from engine.hear.decode.search import Terms, Written
from engine.hear.decode.steps import Steps
from engine.options import AcceptanceRule, DecodeOptions


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The rule by which tokens that were predicted at once are kept; see DecodeOptions.

    Attributes:
        ahead: how many are predicted, the next one included.
    """

    rule: AcceptanceRule
    ahead: int
    top_m: int = 1
    threshold: float = 0.8

    @property
    def believes(self) -> bool:
        """Tell whether what the heads are sure of is kept."""
        return self.rule != "top-m"

    @property
    def verifies(self) -> bool:
        """Tell whether head 1 is asked about what is not believed."""
        return self.rule != "threshold"

    def holds(self, row: Row, token: int) -> bool:
        """Tell whether a proposed token is among the likeliest that head 1 says in its place: row (v,)."""
        if self.top_m == 1:  # by far the most usual, and sooner found
            return int(row.argmax()) == token
        return token in top_tokens(row, self.top_m)

    def is_sure(self, logprob: float) -> bool:
        """Tell whether a head believes enough in its token."""
        return logprob >= math.log(self.threshold)


def make_acceptance(options: DecodeOptions, decoder: TokenDecoder[Any]) -> Acceptance:
    """Make the rule that the options ask for, as far as the decoder has heads. OptionError for one without."""
    if decoder.heads is None:
        raise OptionError("decoder can be multitoken only with a model that has heads.")
    ahead = min(options.tokens_ahead, decoder.heads.ahead)
    return Acceptance(options.acceptance, ahead, options.top_m, options.threshold)


LIKELIEST = Acceptance("top-m", ahead=1)
"""The rule for a draft where there are no heads."""


def write_ahead(
    reader: Reader, text: Candidate, row: Row, terms: Terms, acceptance: Acceptance, rest: Rest | None = None
) -> Steps[Written]:
    """Write on from a text that the reader has read, by the logits (v,) that follow it, with one candidate.

    Pauses after every forward. Ends when the text does, when it is over, or when cancelled. The log-probabilities are
    those of the head that wrote a token: head 1 for what it verified. What is left of a draft is verified too, where
    anything is.
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
            text = believed(text, rows, terms, acceptance)
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
            rest.judge(len(text.tokens) - before)
            reused += len(text.tokens) - before
        if is_finished(text, terms):
            return Written(text, steps, steps, reused_tokens=reused)
        reader.truncate(reader.cache.offset - len(block) + len(text.tokens) - read)


def _draft_behind(
    reader: Reader, text: Candidate, new: int, terms: Terms, acceptance: Acceptance, rest: Rest | None
) -> list[int]:
    """Return what is to be verified behind a text of which the reader has yet to read the `new` last tokens."""
    if not acceptance.verifies:
        return []
    more, room = acceptance.ahead - 1, terms.limit - len(text.tokens)
    if rest is not None:
        return rest.guess(text.tokens, room, _sure(reader, new, more, terms, acceptance))
    if new > more:
        return []
    return proposed(reader.heads, reader.logits_ahead(reader.place, more)[new - 1 :][:room], terms)


def _sure(reader: Reader, new: int, more: int, terms: Terms, acceptance: Acceptance) -> list[int]:
    """Return what the heads are sure of, up to an end of text: what is verified says where that is.

    More of a draft holds than of what they doubt.
    """
    if new > more:
        return []
    found = zip(*(each[new - 1 :] for each in reader.look_ahead(reader.place, more)), strict=True)
    known = takewhile(lambda one: one[0] != terms.eot and acceptance.is_sure(one[1]), found)
    return [int(token) for token, _ in known]


def proposed(heads: Heads, logits: Logits, terms: Terms) -> list[int]:
    """Return what the heads propose by their logits (count, u): up to an end of text, with it."""
    draft: list[int] = likeliest(heads, logits).tolist()
    return draft[: draft.index(terms.eot) + 1] if terms.eot in draft else draft


def without_end(draft: list[int], terms: Terms) -> list[int]:
    """Return what is read of a draft: nothing follows an end of text."""
    return draft[:-1] if draft and draft[-1] == terms.eot else draft


def confirmed(
    text: Candidate, draft: list[int], rows: Logits, terms: Terms, acceptance: Acceptance
) -> tuple[Candidate, Row]:
    """The text with as much of the draft as head 1 accepts, and the row (v,) that follows it.

    rows[i] (v,) is what head 1 says in the place of draft[i]; the row that is given is what follows, without what may
    not. It is of no use behind a text that is finished.
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


def believed(text: Candidate, rows: Iterator[Row], terms: Terms, acceptance: Acceptance) -> Candidate:
    """Let the rows (v,) of heads 2 and on write behind a text, as long as they are sure of it and it isn't over."""
    for head, row in enumerate(rows, start=2):
        terms.allow(row, text.tokens)
        longer = grown(text, int(row.argmax()), row, terms, head)
        if not acceptance.is_sure(longer.sum_logprob - text.sum_logprob):
            return text
        text = longer
        if is_finished(text, terms):
            return text
    return text


def grown(text: Candidate, token: int, row: Row, terms: Terms, head: int = 1) -> Candidate:
    """The text and one token more, or its end, with its probability by row (v,) of what may follow."""
    logprob = float(row[token]) - log_sum_exp(row)
    return text.ended(logprob, head) if token == terms.eot else text.extended(token, logprob, head)


def is_finished(text: Candidate, terms: Terms) -> bool:
    """Tell whether nothing may be added to a text."""
    return text.has_ended or terms.is_over(text.tokens)


def whole_rows(logits: Logits, heads: Heads, vocabulary: int) -> Iterator[Row]:
    """The heads' logits (count, u), each as a row (vocabulary,) where what is not in the shortlist is forbidden."""
    for drafted in logits:
        if heads.draft_tokens is None:
            yield drafted.copy()
            continue
        row = np.full(vocabulary, -np.inf, np.float32)
        row[heads.draft_tokens] = drafted
        yield row
