"""A beam whose candidates grow by several tokens at once.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148), section III-B: so that one
forward reads several candidates, they are grouped by the number of their tokens that have been read (the prefix),
whatever the number of new ones. The score of a candidate is that of the heads which wrote it.

The paper leaves open how a beam uses several predictions. Here the beam chooses among continuations by one token, as
without heads, because only head 1 knows what was written before. Then the heads extend a candidate: by confident tokens
(threshold), by tokens that head 1 confirms when it has read them (top-m), or by both. Head 1 only verifies candidates
whose new token is the likeliest, since the heads' predictions follow that one. With one candidate this equals the
search of engine.hear.decode.multitoken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine.hear.decode.beam import Beam, TextCandidate
from engine.hear.decode.decoder import Logits, Reader, TokenCache, on_host
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
        cache, row, length: its cache: this many tokens of a row of a group's cache.
        logits: (v,) of the next token, without forbidden ones.
        ahead: (count, u) of the tokens after it.
    """

    cache: TokenCache
    row: int
    length: int
    logits: Row
    ahead: Logits


def write_beam(
    reader: Reader, beam: Beam, text: TextCandidate, row: Row, terms: Terms, acceptance: Acceptance
) -> Steps[Written]:
    """Continue a text that the reader has read, from the logits (v,) that follow it, with a beam.

    Pauses after every step, in which one forward reads each group. Ends when the beam is done, when its leader is over
    or any candidate has no more room, or when cancelled.
    """
    beam.live = [text]
    steps = candidates = 0
    if _is_over(beam, terms):
        return Written(text)
    groups = Groups(reader, len(text.tokens), terms, acceptance)
    ahead = reader.logits_ahead(reader.place, acceptance.ahead - 1)
    fronts = [Front(reader.cache, 0, reader.cache.offset, terms.allow(row, text.tokens), ahead)]
    while True:
        width = len(fronts)
        sources = beam.advance(np.stack([front.logits for front in fronts]))
        fronts = [fronts[source] for source in sources]
        if acceptance.believes:
            led = [groups.led(candidate, front) for candidate, front in zip(beam.live, fronts, strict=True)]
            fronts = [fronts[place] for place in beam.grow(led)]
        steps += 1
        candidates += max(width, len(beam.live))
        if _is_over(beam, terms) or terms.cancelled():
            break
        longer, fronts = groups.read(beam.live, fronts)
        yield
        fronts = [fronts[place] for place in beam.grow(longer)]
        if _is_over(beam, terms):
            break
    return Written(beam.best(), steps, candidates)


def _is_over(beam: Beam, terms: Terms) -> bool:
    return beam.done or terms.is_over(beam.live[0].tokens) or any(len(one.tokens) >= terms.limit for one in beam.live)


class Groups:
    """Reads candidates, grouped by the number of their tokens that have been read."""

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
        new = [one.tokens[front.length - self._prefix :] for one, front in zip(live, fronts, strict=True)]
        drafts = [self._draft(*entry) for entry in zip(live, new, fronts, strict=True)]
        blocks = [[*own, *without_end(draft, self._terms)] for own, draft in zip(new, drafts, strict=True)]
        reads = self._forward(fronts, blocks)
        if self._acceptance.verifies:
            said = [read.states[len(own) - 1 : len(block)] for read, own, block in zip(reads, new, blocks, strict=True)]
            longer, rows = self._confirmed(live, drafts, said)
            ends = [
                len(one.tokens) + self._prefix - front.length - 1 for one, front in zip(longer, fronts, strict=True)
            ]
            ahead = self._ahead(reads, ends)
            evaluate(ahead)
        else:
            longer, ends = list(live), [len(block) - 1 for block in blocks]
            logits = self._decoder.logits(mx.stack([read.states[end] for read, end in zip(reads, ends, strict=True)]))
            ahead = self._ahead(reads, ends)
            evaluate(logits, ahead)
            rows = [self._terms.allow(row, one.tokens) for row, one in zip(on_host(logits), live, strict=True)]
        return longer, [
            Front(read.cache, read.row, front.length + end + 1, row, foreseen)
            for front, read, end, row, foreseen in zip(fronts, reads, ends, rows, np.array(ahead), strict=True)
        ]

    def _draft(self, candidate: TextCandidate, new: Sequence[int], front: Front) -> list[int]:
        """Return the tokens to verify after a candidate's new tokens, if the heads predicted the first of these."""
        room = self._terms.limit - len(candidate.tokens)
        if not self._acceptance.verifies or new[0] != int(front.logits.argmax()):
            return []
        return proposed(self._heads, front.ahead[len(new) - 1 :][:room], self._terms)

    def _forward(self, fronts: Sequence[Front], blocks: Sequence[list[int]]) -> list[_Read]:
        """Read blocks after their fronts, with one forward for each prefix length, padded to the longest of a group."""
        reads: dict[int, _Read] = {}
        for length, group in _places([front.length for front in fronts]).items():
            cache, members = _joined(length, [(place, fronts[place]) for place in group])
            width = max(len(blocks[place]) for place in members)
            filled = [blocks[place] + [0] * (width - len(blocks[place])) for place in members]
            states = self._decoder.forward(mx.array(filled), cache)
            self._reader.forwards += 1
            for row, place in enumerate(members):
                reads[place] = _Read(cache, row, states[row])
        return [reads[place] for place in range(len(blocks))]

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

    def _ahead(self, reads: Sequence[_Read], ends: Sequence[int]) -> mx.array:
        """Return the heads' logits (candidates, count, u) after the tokens at the ends."""
        last = mx.stack([read.states[end] for read, end in zip(reads, ends, strict=True)])
        return self._heads.logits(last, self._acceptance.ahead - 1)


@dataclass(frozen=True, slots=True)
class _Read:
    """A candidate after a forward: its row of a group's cache, and its states (n, d), some for the padding after it."""

    cache: TokenCache
    row: int
    states: mx.array


def _joined(length: int, group: Sequence[tuple[int, Front]]) -> tuple[TokenCache, list[int]]:
    """Return one cache of a group's candidates, each of this length, and their places in the order of its rows."""
    by_cache: dict[int, list[tuple[int, Front]]] = defaultdict(list)
    for place, front in group:
        by_cache[id(front.cache)].append((place, front))
    parts, members = [], []
    for entries in by_cache.values():
        cache, rows = entries[0][1].cache, [front.row for _, front in entries]
        # A cache whose rows all have one length belongs to this group alone.
        part = cache if rows == [*range(cache.batch)] else cache.picked(rows)
        part.truncate(length)
        parts.append(part)
        members += [place for place, _ in entries]
    return parts[0].joined(parts[1:]) if len(parts) > 1 else parts[0], members


def _places(keys: Sequence[int]) -> dict[int, list[int]]:
    """Group the indices of equal keys."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        places[key].append(place)
    return places
