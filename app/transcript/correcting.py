"""Times for the words of a corrected caption: words that stay keep theirs, new words share the rest. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from app.look.text_layout import words_of
from engine.events import Word


@dataclass(frozen=True, slots=True)
class CorrectedWord:
    """A word of a corrected text, and its place among the heard words; None if it is new."""

    word: Word
    place: int | None


def corrected(heard: Sequence[Word], text: str) -> tuple[CorrectedWord, ...]:
    """Align a corrected text with the heard words."""
    texts = words_of(text)
    matcher = SequenceMatcher(None, [each.text.strip() for each in heard], [each.strip() for each in texts], False)
    found: list[CorrectedWord] = []
    for tag, first, after, first_new, after_new in matcher.get_opcodes():
        new = texts[first_new:after_new]
        if tag == "equal":
            found += [
                CorrectedWord(_as(heard[place], at), place) for place, at in zip(range(first, after), new, strict=True)
            ]
        else:
            start, end = _room(heard, first, after)
            found += [CorrectedWord(each, None) for each in _shared_out(new, start, end)]
    return tuple(found)


def _as(word: Word, text: str) -> Word:
    return Word(text, word.start, word.end, word.probability)


def _room(heard: Sequence[Word], first: int, after: int) -> tuple[float, float]:
    """Return when the words `first` up to `after` were said; if there are none, the pause between their neighbours."""
    if first < after:
        return heard[first].start, heard[after - 1].end
    before = heard[first - 1].end if first else (heard[0].start if heard else 0.0)
    return before, max(before, heard[first].start) if first < len(heard) else before


def _shared_out(texts: Sequence[str], start: float, end: float) -> list[Word]:
    """Return words that share a time by their length."""
    marks = list(accumulate(map(len, texts), initial=0))
    rate = (end - start) / max(marks[-1], 1)
    return [
        Word(text, start + rate * begin, start + rate * until, 1.0)
        for text, begin, until in zip(texts, marks, marks[1:], strict=False)
    ]
