"""Sections of notes by a model on a server: without its probabilities there are no drafts, and all is written again."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence

from engine.answer.tools.wording import folded, tidy
from engine.language.chat_tokenizer import Message
from engine.language.servers.model import ServedModel
from engine.notes.drafting import SECTION_TOKENS, DraftingStats

WAIT_SECONDS = 0.02
"""Longest wait for more of an answer, before something more urgent is done."""

_MARKS = re.compile(r"[#*_:]+")


class ServedScribe:
    """Asks a server for notes, and finds the sections in its answer.

    Attributes:
        stats: its cost so far; a server tells none.
    """

    def __init__(self, model: ServedModel, headings: Sequence[str]) -> None:
        self.stats = DraftingStats()
        self._model = model
        self._headings = tuple(headings)

    def write(self, messages: Sequence[Message]) -> Generator[int, None, tuple[str, ...]]:
        """Return the text of each section; pauses while the server writes. Raises ModelError if it fails."""
        answer = self._model.answer(messages, SECTION_TOKENS * len(self._headings))
        try:
            while answer.ended is None:
                answer.read(WAIT_SECONDS)
                yield 0
        finally:
            if answer.ended is None:  # cut off: the server need not write on
                answer.close()
        return sections_of(answer.text, self._headings)


def sections_of(text: str, headings: Sequence[str]) -> tuple[str, ...]:
    """Return what stands below each heading in a text, however the headings are marked; "" if one is missing."""
    known = {folded(title): place for place, title in enumerate(headings)}
    found: list[list[str]] = [[] for _ in headings]
    place: int | None = None
    for line in text.splitlines():
        named = known.get(folded(tidy(_MARKS.sub(" ", line))))
        if named is not None:
            place = named
        elif place is not None:
            found[place].append(line)
    return tuple("\n".join(lines) for lines in found)
