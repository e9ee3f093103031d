"""The check of notes against the transcript: a line that does not hold is not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine.answer.grounding import Grounding
from engine.answer.tools.wording import folded
from engine.notes.records import NoteLine, Notes, NotesSection, SaidLine

KNOWN_SHARE = 0.65
"""Least share of a note's longer words that stand in the lines that it rests on; see engine.answer.grounding."""

_NAME = re.compile(r"(?<=[^\W\d_][ ,] )[^\W\d_a-zß-ÿ]\w+|(?<=[^\W\d_] )[^\W\d_a-zß-ÿ]\w+")
"""A word with a capital letter behind another word: a name, or a German noun."""

_WORD = re.compile(r"\w+")


def holds(line: NoteLine, said: Mapping[int, SaidLine]) -> bool:
    """Return whether a note is supported by the lines that it rests on: words, numbers, names and the person."""
    under = [said[number] for number in line.rests_on if number in said]
    if not under or len(under) < len(line.rests_on):
        return False
    texts = [f"{each.speaker} {each.text}" for each in under]
    words = frozenset(_WORD.findall(folded(" ".join(texts))))
    names = {folded(word) for word in (*_NAME.findall(line.text), *_WORD.findall(line.who))}
    return Grounding(texts, KNOWN_SHARE).holds(f"{line.text} {line.when}") and names <= words


def supported(notes: Notes, lines: Iterable[SaidLine]) -> Notes:
    """Return notes without the lines that do not hold; those that a person wrote stay."""
    said = {line.number: line for line in lines}
    sections = [_supported(section, said) for section in notes.sections]
    dropped = len(notes.lines) - sum(len(section.lines) for section in sections)
    return replace(notes, sections=tuple(sections), dropped=notes.dropped + dropped)


def _supported(section: NotesSection, said: Mapping[int, SaidLine]) -> NotesSection:
    kept = (line for line in section.lines if line.by_hand or holds(line, said))
    return replace(section, lines=tuple(kept))
