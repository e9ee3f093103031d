"""Sections of notes by a language model, with the last notes as the draft of the next.

The answer has fixed sections. Their headings are written by code, and the model writes the items below each. When the
transcript has grown, all of the last answer is read behind it as one block: items are kept as far as the model would
write them too, preferred by a bias as in a translation, and only what differs is written. Where a section of the draft
ends, the model may also go on with another item.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.language.chat_tokenizer import Message
from engine.language.speculative_decoding import Logits, Speculation, SpeculationOptions, SpeculativeSession, Verdict
from engine.language.token_model import TokenModel

SECTION_TOKENS = 160
"""Longest section, in tokens."""

MOST_ITEMS = 8
"""Most items of a section."""

BLOCK_SECONDS = 0.1
"""Time that captions may have to wait while a block of a transcript or of the last notes is read."""

Tokens = tuple[int, ...]


class NotesModel(TokenModel, Protocol):
    """A language model that follows instructions."""

    @property
    def name(self) -> str: ...

    @property
    def context_tokens(self) -> int: ...

    def chat(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of a conversation, up to the place where the answer begins."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of plain text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""


@dataclass(slots=True)
class DraftingStats:
    """Cost of the sections that were written.

    Attributes:
        output: tokens of all items.
        accepted: those of them that the draft had.
        forwards: of the model.
    """

    output: int = 0
    accepted: int = 0
    forwards: int = 0


class SectionScribe:
    """Writes the sections of one growing prompt, again and again.

    Attributes:
        stats: its cost so far.
        bodies: tokens of the items of each section, as they were written last.
    """

    def __init__(self, model: NotesModel, headings: Sequence[str], bias: float, drafts: bool = True) -> None:
        """Write below these headings; without `drafts` all is written again each time."""
        self.stats = DraftingStats()
        self.bodies: tuple[Tokens, ...] = ()
        self._model = model
        self._bias = bias
        self._drafts = drafts
        self._session = SpeculativeSession(model, SpeculationOptions(block_seconds=BLOCK_SECONDS))
        between = ("" if not place else "\n\n" for place in range(len(headings)))
        self._heads = [tuple(model.encode(f"{gap}{title}:\n-")) for gap, title in zip(between, headings, strict=True)]

    def write(self, messages: Sequence[Message]) -> Generator[int, None, tuple[str, ...]]:
        """Return the text of each section; pauses after every forward with the number of sections that are written."""
        bodies: list[Tokens] = []
        old = self.bodies if self._drafts else ()
        written = [*self._model.chat(messages), *self._heads[0]]
        while len(bodies) < len(self._heads):
            first = len(bodies)
            draft, begins = self._draft(old, first)
            found = yield from self._answer(written, draft, begins, first)
            whole = found.tokens
            done = self._divided(whole, begins, found.accepted, first)
            bodies += done
            self.stats.accepted += min(found.accepted, len(whole))
            self.stats.output += len(whole)
            self.stats.forwards += found.forwards
            for body in done:
                written += body
                first += 1
                written += self._heads[first] if first < len(self._heads) else ()
        self.bodies = tuple(bodies)
        return tuple(self._model.decode(body) for body in bodies)

    def _draft(self, old: Sequence[Tokens], first: int) -> tuple[Tokens, list[int]]:
        """Return the old sections from one on, with headings between, and the places where headings begin in them."""
        draft, begins = list[int](), list[int]()
        for place in range(first, len(old)):
            draft += old[place]
            if place + 1 < len(old):
                begins.append(len(draft))
                draft += self._heads[place + 1]
        return tuple(draft), begins

    def _answer(
        self, written: Sequence[int], draft: Tokens, begins: Sequence[int], first: int
    ) -> Generator[int, None, Speculation]:
        """Verify a draft and write on to the end of the section in which it differs."""
        most = len(draft) + SECTION_TOKENS
        steps = self._session.steps(
            written,
            draft,
            verify=self._verifier(draft, begins, first),
            max_tokens=most,
            enough=lambda answer: self._is_over(answer, begins, first),
        )
        while True:
            try:
                next(steps)
            except StopIteration as end:
                found: Speculation = end.value
                return found
            yield first

    def _verifier(self, whole: Tokens, begins: Sequence[int], first: int) -> Callable[[Logits, Sequence[int]], Verdict]:
        """Return a verifier that keeps items by the bias, and headings wherever the model would end the section.

        It is given the whole draft's blocks in their order.
        """
        heads = {begin: len(self._heads[first + place + 1]) for place, begin in enumerate(begins)}
        done = behind = begin = 0  # places: of the next block, behind a heading that holds, of the newest heading

        def verify(logits: Logits, draft: Sequence[int]) -> Verdict:
            nonlocal done, behind, begin
            yield from ()
            start, done = done, done + len(draft)
            rows = logits[: len(draft)]
            peaks = rows.max(axis=1)
            sums = np.exp(rows - peaks[:, None]).sum(axis=1, dtype=np.float64)
            lost = (1 - np.exp(rows[np.arange(len(draft)), list(draft)] - peaks)) / sums
            place = max(start, behind)
            while place < done:
                begin = place if place in heads else begin
                row = place - start
                best = int(rows[row].argmax())
                if place in heads and (best in self._model.end_tokens or self._breaks(best)):
                    place = behind = place + heads[place]
                elif best == whole[place] or lost[row] * (1 - self._bias) <= self._bias:
                    place += 1
                    in_head = begin in heads and begin < place < begin + heads[begin]
                    if in_head and self._breaks(*whole[begin:place]):
                        place = behind = begin + heads[begin]
                else:
                    return row
            return len(draft)

        return verify

    def _breaks(self, *tokens: int) -> bool:
        """Return whether tokens end a section: two line breaks."""
        return self._model.decode(tokens).startswith("\n\n")

    def _is_over(self, answer: Sequence[int], begins: Sequence[int], first: int) -> bool:
        """Return whether the section that is being written has ended."""
        begin = self._begin_of_last(answer, begins, first)
        text = self._model.decode(answer[begin:])
        return _items_end(text) != text.rstrip() or len(answer) - begin >= SECTION_TOKENS or _loops(text)

    def _begin_of_last(self, answer: Sequence[int], begins: Sequence[int], first: int) -> int:
        """Return where the last section of an answer begins: behind the last heading that it has as the draft had."""
        begin = 0
        for place, at in enumerate(begins):
            head = self._heads[first + place + 1]
            if tuple(answer[at : at + len(head)]) == head:
                begin = at + len(head)
        return begin

    def _divided(self, whole: Tokens, begins: Sequence[int], accepted: int, first: int) -> list[Tokens]:
        """Return the bodies of the sections of an answer, the last one without what stands behind its items."""
        found: list[Tokens] = []
        start = 0
        for place, at in enumerate(begins):
            head = self._heads[first + place + 1]
            if at + len(head) <= accepted and whole[at : at + len(head)] == head:
                found.append(whole[start:at])
                start = at + len(head)
        last = whole[start:]
        text = self._model.decode(last)
        end = _items_end(text)
        if len(end) < len(text):
            last = tuple(self._model.encode(end))
        return [*found, last]


def _items_end(text: str) -> str:
    """Return the items of a section: the lines from the first on that are items, and no more than MOST_ITEMS."""
    lines = text.split("\n")
    last = len(lines) - 1
    for place, line in enumerate(lines[1:], 1):
        is_item = line.lstrip().startswith("-") or (place == last and not line.strip())
        if not is_item or place >= MOST_ITEMS:
            return "\n".join(lines[:place]).rstrip()
    return text.rstrip()


def _loops(text: str) -> bool:
    """Return whether the last whole item was written before."""
    items = [line.strip("- ").strip() for line in text.split("\n")[:-1]]
    return bool(items) and items[-1] in items[:-1]
