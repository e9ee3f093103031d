"""A beam whose candidates grow by several tokens at once.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), section III-B. The score of a
candidate is that of the heads which wrote it. Candidates then differ in length. The paper reads them in groups of one
prefix length each; here one forward reads them all, from where the shortest of them was read to: the few tokens that
the others have read already are read again.

The paper leaves open how a beam uses several predictions. Here the beam chooses among continuations by one token, as
without heads, because only head 1 knows what was written before. Then the heads extend a candidate: by confident tokens
(threshold), by tokens that head 1 confirms when it has read them (top-m), or by both. Head 1 only verifies candidates
whose new token is the likeliest, since the heads' predictions follow that one. With one candidate this equals the
search of engine.hear.decode.multitoken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine.hear.decode.beam import Beam, TextCandidate
from engine.hear.decode.decoder import Logits, Reader, on_host
from engine.hear.decode.multitoken import (
    Acceptance,
    believed,
    confirmed,
    is_finished,
    proposed,
    whole_rows,
    without_end,
)
from engine.hear.decode.rules import Row
from engine.hear.decode.search import Terms, Written
from engine.hear.decode.steps import Steps
from engine.machine.device_turn import evaluate


@dataclass(frozen=True, slots=True)
class Front:
    """The state of a candidate that has been read to its end.

    Attributes:
        row, length: its cache: this many tokens of a row of the reader's cache.
        logits: (v,) of the next token, without forbidden ones.
        ahead: (count, u) of the tokens after it.
    """

    row: int
    length: int
    logits: Row
    ahead: Logits


def write_beam(
    reader: Reader, beam: Beam, text: TextCandidate, row: Row, terms: Terms, acceptance: Acceptance
) -> Steps[Written]:
    """Continue a text that the reader has read, from the logits (v,) that follow it, with a beam.

    Pauses after every step, in which one forward reads all candidates. Ends when the beam is done, when its leader is
    over or any candidate has no more room, or when cancelled.
    """
    beam.live = [text]
    steps = candidates = 0
    if _is_over(beam, terms):
        return Written(text)
    front_line = CandidateReader(reader, len(text.tokens), terms, acceptance)
    ahead = reader.logits_ahead(reader.place, acceptance.ahead - 1)
    fronts = [Front(0, reader.cache.offset, terms.allow(row, text.tokens), ahead)]
    while True:
        width = len(fronts)
        sources = beam.advance(np.stack([front.logits for front in fronts]))
        fronts = [fronts[source] for source in sources]
        if acceptance.believes:
            led = [front_line.led(candidate, front) for candidate, front in zip(beam.live, fronts, strict=True)]
            fronts = [fronts[place] for place in beam.grow(led)]
        steps += 1
        candidates += max(width, len(beam.live))
        if _is_over(beam, terms) or terms.cancelled():
            break
        longer, fronts = front_line.read(beam.live, fronts)
        yield
        fronts = [fronts[place] for place in beam.grow(longer)]
        if _is_over(beam, terms):
            break
    return Written(beam.best(), steps, candidates)


def _is_over(beam: Beam, terms: Terms) -> bool:
    return beam.done or terms.is_over(beam.live[0].tokens) or any(len(one.tokens) >= terms.limit for one in beam.live)


class CandidateReader:
    """Reads the new tokens of all candidates with one forward."""

    def __init__(self, reader: Reader, written: int, terms: Terms, acceptance: Acceptance) -> None:
        """Start with a reader that has read one text of `written` tokens after its prefix."""
        self._reader = reader
        self._decoder, self._heads = reader.decoder, reader.heads
        self._prefix = reader.cache.offset - written
        self._terms = terms
        self._acceptance = acceptance

    def led(self, candidate: TextCandidate, front: Front) -> TextCandidate:
        """Return a candidate extended after its new token, as far as the heads are confident."""
        if is_finished(candidate, self._terms) or not self._acceptance.is_sure(candidate.logprobs[-1]):
            return candidate
        rows = whole_rows(front.ahead, self._heads, len(front.logits))
        return believed(candidate, rows, self._terms, self._acceptance)

    def read(self, live: Sequence[TextCandidate], fronts: Sequence[Front]) -> tuple[list[TextCandidate], list[Front]]:
        """Read the new tokens of candidates from their fronts on; return them with verified tokens, and new fronts."""
        drafts = [self._draft(candidate, front) for candidate, front in zip(live, fronts, strict=True)]
        start = min(front.length for front in fronts)
        known = start - self._prefix  # tokens of every text that are not read again
        states = self._forward(start, fronts, [
            [*candidate.tokens[known:], *without_end(draft, self._terms)]
            for candidate, draft in zip(live, drafts, strict=True)
        ])  # fmt: skip
        lasts = [len(candidate.tokens) - known - 1 for candidate in live]
        if self._acceptance.verifies:
            drafted = [len(without_end(draft, self._terms)) for draft in drafts]
            ends = [last + count + 1 for last, count in zip(lasts, drafted, strict=True)]
            said = [states[row, last:end] for row, (last, end) in enumerate(zip(lasts, ends, strict=True))]
            longer, rows = self._confirmed(live, drafts, said)
            lasts = [len(candidate.tokens) - known - 1 for candidate in longer]
            ahead = self._ahead(states, lasts)
            evaluate(ahead)
        else:
            longer = list(live)
            logits = self._decoder.logits(mx.stack([states[row, last] for row, last in enumerate(lasts)]))
            ahead = self._ahead(states, lasts)
            evaluate(logits, ahead)
            rows = [self._terms.allow(row, one.tokens) for row, one in zip(on_host(logits), live, strict=True)]
        found = zip(lasts, rows, np.array(ahead), strict=True)
        return longer, [Front(row, start + last + 1, *seen) for row, (last, *seen) in enumerate(found)]

    def _draft(self, candidate: TextCandidate, front: Front) -> list[int]:
        """Return the tokens to verify after a candidate's new tokens, if the heads predicted the first of these."""
        new, room = candidate.tokens[front.length - self._prefix :], self._terms.limit - len(candidate.tokens)
        if not self._acceptance.verifies or new[0] != int(front.logits.argmax()):
            return []
        return proposed(self._heads, front.ahead[len(new) - 1 :][:room], self._terms)

    def _forward(self, start: int, fronts: Sequence[Front], blocks: Sequence[list[int]]) -> mx.array:
        """Read a block after the first `start` tokens of each front, padded to the longest; return states (b, n, d)."""
        self._reader.truncate(start)
        self._reader.cache.reorder([front.row for front in fronts])
        width = max(map(len, blocks))
        self._reader.forwards += 1
        filled = mx.array([block + [0] * (width - len(block)) for block in blocks])
        return self._decoder.forward(filled, self._reader.cache)

    def _confirmed(
        self, live: Sequence[TextCandidate], drafts: Sequence[list[int]], said: Sequence[mx.array]
    ) -> tuple[list[TextCandidate], list[Row]]:
        """Return candidates with the accepted part of their drafts, and the logits that follow them.

        said[i] (n, d) are the states after candidate i and after each token of its draft.
        """
        logits = self._decoder.logits(mx.concatenate(list(said)))
        evaluate(logits)
        rows = np.split(on_host(logits), np.cumsum([len(states) for states in said])[:-1])
        found = [
            confirmed(candidate, draft, own, self._terms, self._acceptance)
            for candidate, draft, own in zip(live, drafts, rows, strict=True)
        ]
        return [longer for longer, _ in found], [row for _, row in found]

    def _ahead(self, states: mx.array, lasts: Sequence[int]) -> mx.array:
        """Return the heads' logits (candidates, count, u) after the last token of each row of states (b, n, d)."""
        chosen = mx.stack([states[row, last] for row, last in enumerate(lasts)])
        return self._heads.logits(chosen, self._acceptance.ahead - 1)
