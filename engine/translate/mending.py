"""A finished translation that lost a number, an address or a "not", or is no language, put right or searched for again.

What is tried stands in order: the right number in the place of the wrong one; other names and numbers that stand in for
what the model does not copy; several candidates; clause by clause. A clause that stays wrong is shown in the words of
its source. One that lost its negation, or says words twice, stands if no candidate is better.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import regex

from engine.translate.faults import (
    NUMBER,
    has_echo,
    is_debris,
    lost,
    lost_currencies,
    lost_negation,
    numbers_in,
    without_echo,
    wrong_numbers,
)
from engine.translate.preparation import Common, Preparation, prepared

Steps = Generator[None, None, str]
Translate = Callable[[Preparation], Steps]
"""Translates a source from nothing, with pauses; the translation is restored."""

NUMBERS = ("47", "63", "84", "29", "58", "36", "92", "75")
"""Numbers that stand in for others: two digits, which models of ours copy most reliably."""

_CLAUSE = regex.compile(r"(?<=[,;:.!?…])\s+")
_GROUPED = regex.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Mender:
    """Checks translations into one language, and repairs them.

    Attributes:
        language: code of the target language.
        is_common: returns whether a word in small letters is common.
        translate: translates another preparation of a source.
        search: translates one with several candidates; None if they were tried already, or the model has none.
    """

    language: str
    is_common: Common
    translate: Translate
    search: Translate | None = None

    def is_sound(self, ready: Preparation, source: str, translation: str) -> bool:
        """Return whether a translation kept all numbers, sums, names and addresses of its source, and is a language."""
        originals = [original for _, original in ready.stand_ins]
        if lost(originals, translation) or is_debris(source, translation) or lost_currencies(source, translation):
            return False
        return not any(wrong_numbers(source, translation, self.language))

    def mended(self, ready: Preparation, source: str, translation: str) -> Steps:
        """Return a translation of a clean source that is sound; pauses between forwards."""
        translation = self._with_marks(source, translation)
        corrected = translation if self.is_sound(ready, source, translation) else self._corrected(source, translation)
        sound = self.is_sound(ready, source, corrected)
        if sound and self._says_all(source, corrected):
            return corrected
        for other in () if sound else self._others(ready, source):
            found = self._with_marks(source, (yield from self.translate(other)))
            if self.is_sound(other, source, found):
                return found
        if self.search is not None:
            found = self._with_marks(source, (yield from self.search(ready)))
            if self.is_sound(ready, source, found) and (not sound or self._says_all(source, found)):
                return found
        if sound:
            return without_echo(corrected) if has_echo(source, corrected) else corrected
        found = yield from self._clause_by_clause(source)
        return found

    def _says_all(self, source: str, translation: str) -> bool:
        """Return whether a translation negates if its source does, and says nothing twice."""
        return not (lost_negation(source, translation, self.language) or has_echo(source, translation))

    def _corrected(self, source: str, translation: str) -> str:
        """Put the numbers that are lacking in the places of those that are wrong, if there are as many."""
        lacking, surplus = wrong_numbers(source, translation, self.language)
        if len(lacking) != len(surplus):
            return translation
        for right, wrong in zip(lacking, surplus, strict=True):
            number = rf"(?<!\d){regex.escape(wrong)}(?!\d)"
            translation = regex.sub(number, self._written(right), translation, count=1)
        return translation

    def _with_marks(self, source: str, translation: str) -> str:
        """Put right the numbers whose thousands and decimals are parted by the same mark."""
        for number in filter(_GROUPED.fullmatch, numbers_in(source)):
            if "." in number:
                alike = "|".join(regex.escape(regex.sub(r"[.,]", mark, number)) for mark in ".,")
                translation = regex.sub(rf"(?<![\d.,])(?:{alike})(?!\d)", self._written(number), translation)
        return translation

    def _written(self, number: str) -> str:
        """Return a number of an English text with the marks of the target language between thousands."""
        swapped = {"de": ".,", "es": ".,", "fr": "\u202f,", "pt": ".,"}.get(self.language)
        if swapped is None or not _GROUPED.fullmatch(number):
            return number
        return number.translate(str.maketrans(",.", swapped))

    def _others(self, ready: Preparation, source: str) -> Generator[Preparation, None, None]:
        """Yield other preparations: with other names, and with other numbers, if there are any to replace."""
        numbers = list(dict.fromkeys(numbers_in(ready.text)))
        unused = [number for number in NUMBERS if number not in source]
        pairs = tuple((new, self._written(old)) for new, old in zip(unused, numbers, strict=False))
        if numbers and len(numbers) <= len(unused):
            yield ready.with_numbers(tuple(zip(unused, numbers, strict=False)), pairs)
        if ready.stand_ins:
            yield prepared(source, self.is_common, others=1)

    def _clause_by_clause(self, source: str) -> Steps:
        """Translate each clause by itself; one that stays wrong is not translated."""
        found: list[str] = []
        for clause in _CLAUSE.split(source):
            ready = prepared(clause, self.is_common)
            written = yield from self.translate(ready)
            if not self.is_sound(ready, clause, written):
                written = self._corrected(clause, written)
            found.append(written if self.is_sound(ready, clause, written) else clause)
        return " ".join(found)


def until_foreign_number(source: str, translation: str) -> str:
    """Return the beginning of an unfinished translation, up to the first number that its source does not have."""
    known = set(regex.findall(r"\d+", source))
    for number in NUMBER.finditer(translation) if known else ():
        if not set(regex.findall(r"\d+", number.group())) <= known:
            return translation[: number.start()].rstrip()
    return translation
