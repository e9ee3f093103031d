"""A beam search that reads ahead: one forward reads what several of its steps will need.

A beam needs the logits behind each of its candidates, and most candidates are the draft with a few tokens replaced. So
the search is rehearsed first, with the logits that the decoder gave in the same places of the draft. One forward then
reads, side by side, all texts that the rehearsal came to, and the search itself goes on until it needs another text.
It sees no logits but those behind the texts themselves, so that it finds what it finds without a draft
(engine.hear.decode.search).

Candidates that lose whatever follows them, because enough others are likelier already, are not read.

Ancestors: a draft is verified in one forward (arXiv:2211.17192), here with several texts of the same length; the place
in the draft that a text has come to is found by letters (engine.hear.decode.resync).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.hear.decode.beam import Beam, Choices, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.resync import MOST_REPLACED, Drafted, TokenSpelling, place_after
from engine.hear.decode.rules import Row
from engine.hear.decode.search import Terms, Written
from engine.hear.decode.steps import Steps

Text = tuple[int, ...]

STEPS_AHEAD = 8
"""Most steps of the search that one forward reads for. Chosen in LOG 2026-11-29, as MOST_TEXTS is."""

MOST_TEXTS = 8
"""Most texts that one forward reads side by side."""

SURE = -0.1
"""Log-probability (natural) that is foreseen for a draft's token behind a token that was put in before it."""


@dataclass(frozen=True, slots=True)
class ReadDraft:
    """A draft that a reader has read.

    Attributes:
        tokens: its tokens (n,).
        rows: the logits (v,) before the first of them and after each (n + 1).
    """

    tokens: tuple[int, ...]
    rows: Sequence[Row]
    spelling: TokenSpelling


def write_drafted_beam(
    reader: Reader, beam: Beam, text: TextCandidate, draft: ReadDraft, terms: Terms
) -> Steps[Written]:
    """Continue a text with a beam. The reader has read a draft that begins with this text.

    Pauses after every forward. Ends as run_search does.
    """
    beam.live = [text]
    texts = ReadTexts(reader, beam, draft, terms)
    steps = candidates = 0
    while not (beam.done or terms.cancelled() or terms.is_over(beam.live[0].tokens)):
        if not beam.is_decided(texts.after(beam.live)):
            texts.read(_rehearsed(beam, texts, terms), beam.live[0].tokens)
            yield
        width = len(beam.live)
        beam.choose([choices or () for choices in texts.after(beam.live)])
        steps += 1
        candidates += max(width, len(beam.live))
    return Written(beam.best(), steps, candidates)


def _rehearsed(beam: Beam, texts: ReadTexts, terms: Terms) -> list[Text]:
    """Return the texts to read for the next step, and for those after it as far as they can be foreseen."""
    future = beam.copied()
    unread: list[Text] = []
    for _ in range(STEPS_AHEAD):
        new = [one.tokens for one, read in zip(future.live, texts.after(future.live), strict=True) if read is None]
        if unread and len(longest([*unread, *new])) > MOST_TEXTS:
            break
        unread += new
        future.choose([texts.foreseen(one.tokens) for one in future.live])
        if future.done or terms.is_over(future.live[0].tokens):
            break
    return longest(unread)


class ReadTexts:
    """The texts that a reader has read behind one prefix, and the tokens that are likely to follow each."""

    def __init__(self, reader: Reader, beam: Beam, draft: ReadDraft, terms: Terms) -> None:
        self._reader, self._terms, self._spelling = reader, terms, draft.spelling
        self._likeliest = beam.likeliest
        self._prefix = reader.cache.offset - len(draft.tokens)
        self._held = [draft.tokens]  # the text in each row of the cache
        self._read: dict[Text, Choices] = {}
        for length, row in enumerate(draft.rows):
            self._learn(draft.tokens[:length], row)
        self._draft = self._spelt(draft.tokens)
        self._in_place = [self._read[draft.tokens[:length]] for length in range(len(draft.tokens) + 1)]

    def after(self, candidates: Iterable[TextCandidate]) -> list[Choices | None]:
        """Return the tokens that may follow each candidate; None for one that was not read."""
        return [self._read.get(candidate.tokens) for candidate in candidates]

    def foreseen(self, text: Text) -> Choices:
        """Return the tokens that may follow a text, by the draft if it was not read."""
        if text in self._read:
            return self._read[text]
        place = self._place_after(text)
        choices = self._in_place[place]
        if place == len(self._draft) or not choices or text[-1:] != choices[0][:1]:
            return choices
        # The last token was put in before the draft's token of this place, which comes next.
        return ((self._draft[place].token, SURE), *(choice for choice in choices if choice[0] != text[-1]))

    def read(self, texts: Sequence[Text], leading: Text) -> None:
        """Read texts side by side. From now on the draft begins with the leading candidate."""
        rows = [max(range(len(self._held)), key=lambda row: alike(self._held[row], text)) for text in texts]
        start = min(alike(self._held[row], text[:-1]) for row, text in zip(rows, texts, strict=True))
        unread = [next(n for n in range(start + 1, len(text) + 1) if text[:n] not in self._read) for text in texts]
        self._reader.truncate(self._prefix + start)
        found = self._reader.read_rows(rows, [text[start:] for text in texts], [n - start - 1 for n in unread])
        self._held = list(texts)
        for text, first, logits in zip(texts, unread, found, strict=True):
            for length, row in enumerate(logits, start=first):
                self._learn(text[:length], row)
        self._correct_draft(leading)

    def _learn(self, text: Text, row: Row) -> None:
        if text not in self._read:
            self._read[text] = self._likeliest(self._terms.allow(row.copy(), text))

    def _correct_draft(self, text: Text) -> None:
        """Let the draft begin with a text, and with what is likeliest to follow as far as that was read."""
        while (choices := self._read.get(text)) and choices[0][0] != self._terms.eot:
            text = (*text, choices[0][0])
        place = self._place_after(text)
        before = (self._read.get(text[:length], ()) for length in range(len(text)))
        self._draft = [*self._spelt(text), *self._draft[place:]]
        self._in_place = [*before, *self._in_place[place:]]

    def _place_after(self, text: Text) -> int:
        """Return the place in the draft that a text has come to."""
        same = alike(text, [each.token for each in self._draft])
        spelt = b"".join(map(self._spelling.letters, text[same:]))
        return same + place_after(spelt, self._draft[same : len(text) + MOST_REPLACED], self._spelling)

    def _spelt(self, text: Text) -> list[Drafted]:
        return [Drafted(token, self._spelling.letters(token)) for token in text]


def longest(texts: Iterable[Text]) -> list[Text]:
    """Return the texts that no other of them begins with."""
    return [one for one, other in pairwise([*sorted(set(texts)), ()]) if other[: len(one)] != one]


def alike(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))
