"""Patterns over the words of a sentence, written as "I WANT .. KILL+myself".

Words in capitals are sets of words that a language's file names; others stand for themselves, "a|B" for either.
Between two elements there may be two other words, around ".." six, and around "+" none. "^" and "$" are the ends of
a sentence, "word*" is any word with this beginning, "*word" any with this ending, and "word_word" is words in a row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

NEAR_WORDS, FAR_WORDS = 2, 6
MASKED = frozenset[str]()
"""Placeholder for a word that no pattern may use; the words beside it stay as far apart."""

Span = tuple[int, int]
Sets = Mapping[str, Collection[str]]


@dataclass(frozen=True, slots=True)
class Element:
    """One place of a pattern.

    Attributes:
        words: any of these.
        rows: or any of these words in a row.
        beginnings, endings: or any word with such a beginning or ending.
    """

    words: frozenset[str]
    rows: tuple[tuple[str, ...], ...] = ()
    beginnings: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()

    def spans(self, words: Sequence[frozenset[str]]) -> list[Span]:
        """Return its places: of the first word and behind the last one."""
        found = [(place, place + 1) for place, word in enumerate(words) if self._is(word)]
        for row in self.rows:
            for place in range(len(words) - len(row) + 1):
                if all(part in words[place + index] for index, part in enumerate(row)):
                    found.append((place, place + len(row)))
        return found

    def _is(self, readings: frozenset[str]) -> bool:
        if not self.words.isdisjoint(readings):
            return True
        parts = self.beginnings or self.endings
        return bool(parts) and any(
            reading.startswith(self.beginnings) or reading.endswith(self.endings) for reading in readings
        )


@dataclass(frozen=True, slots=True)
class Pattern:
    """Elements in their order.

    Attributes:
        gaps: how many other words may be between each and the one before it.
    """

    elements: tuple[Element, ...]
    gaps: tuple[int, ...]

    def spans(self, sentence: SentenceWords) -> list[Span]:
        """Return its places in a sentence: of the first word and behind the last one."""
        found = sentence.spans(self.elements[0])
        for element, gap in zip(self.elements[1:], self.gaps[1:], strict=True):
            if not found:
                return []
            places = sentence.spans(element)
            ways = ((begin, end, there) for begin, end in found for there in places if 0 <= there[0] - end <= gap)
            found = list(dict.fromkeys((begin, there[1]) for begin, _, there in ways))
        return found


class SentenceWords:
    """The words of a sentence.

    Attributes:
        words: for each place the word there, with the words that it may be a misspelling of.
    """

    def __init__(self, words: Sequence[frozenset[str]]) -> None:
        self.words = tuple(words)
        self._spans: dict[Element, list[Span]] = {}

    def spans(self, element: Element) -> list[Span]:
        """Return the places of an element."""
        if element not in self._spans:
            self._spans[element] = element.spans(self.words)
        return self._spans[element]

    def masked(self, patterns: Iterable[Pattern]) -> SentenceWords:
        """Return the sentence without the words of these patterns."""
        words = list(self.words)
        for pattern in patterns:
            for begin, end in pattern.spans(self):
                words[begin:end] = [MASKED] * (end - begin)
        return SentenceWords(words)


def parse_pattern(text: str, sets: Sets) -> Pattern:
    """Read a pattern. Raises ValueError if it names an unknown set."""
    elements: list[Element] = []
    gaps: list[int] = []
    gap = 0
    for part in text.split():
        if part == "..":
            gap = FAR_WORDS
            continue
        for index, element in enumerate(part.split("+")):
            elements.append(_element({word for name in element.split("|") for word in _words(name, sets, text)}))
            gaps.append(0 if index else gap)
        gap = NEAR_WORDS
    if not elements:
        raise ValueError("a pattern without a word")
    return Pattern(tuple(elements), tuple(gaps))


def _element(words: set[str]) -> Element:
    rows = {word for word in words if "_" in word}
    begun = {word for word in words if word.endswith("*")}
    ended = {word for word in words if word.startswith("*")}
    return Element(
        frozenset(words - rows - begun - ended),
        tuple(tuple(row.split("_")) for row in sorted(rows)),
        tuple(word[:-1] for word in sorted(begun)),
        tuple(word[1:] for word in sorted(ended)),
    )


def _words(name: str, sets: Sets, text: str) -> Collection[str]:
    if not name.isupper():
        return (name,)
    if name not in sets:
        raise ValueError(f"{text!r} names a set of words that there is not: {name}")
    return sets[name]
