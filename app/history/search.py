"""Search terms, and where they stand in a text. No Qt.

A word is found by its beginning, whatever its case and accents; words in quotation marks are found side by side.
Scripts without spaces are cut character by character, so that any run of characters is found in them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー々\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(rf"[{_UNSPACED}]\p{{M}}*|(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}\p{{M}}\p{{Co}}])+")
_QUOTED = regex.compile(r'"([^"]*)"?|(\S+)')
_ACCENTS = regex.compile(r"[\u0300-\u036f]")
_QUOTATION_MARKS = str.maketrans("“”„«»", '"""""')


@dataclass(frozen=True, slots=True)
class Term:
    """Words that have to stand side by side; the last one may be the beginning of a word."""

    words: tuple[str, ...]

    @property
    def expression(self) -> str:
        """The term in the syntax of FTS5."""
        return '"' + " ".join(self.words) + '" *'


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` up to `end` of a text."""

    start: int
    end: int


def terms_of(search: str) -> tuple[Term, ...]:
    """Cut a person's search into terms; punctuation alone results in none."""
    parts = (match[1] or match[2] or "" for match in _QUOTED.finditer(search.translate(_QUOTATION_MARKS)))
    found = (tuple(word for word, _ in _words(part)) for part in parts)
    return tuple(dict.fromkeys(Term(words) for words in found if words))


def indexed(text: str) -> str:
    """Return a text for the index: only its words, each in its compared form."""
    return " ".join(word for word, _ in _words(text))


def hits_in(text: str, terms: Sequence[Term]) -> tuple[Span, ...]:
    """Return where terms stand in a text, in order: whole words, even if only half of one was searched for."""
    folded = _folded(text)
    terms = [term for term in terms if all(word in folded for word in term.words)]
    if not terms:
        return ()
    words = list(_words(text))
    hit = [False] * len(words)
    for term in terms:
        count = len(term.words)
        for first in range(len(words) - count + 1):
            run = tuple(word for word, _ in words[first : first + count])
            if run[:-1] == term.words[:-1] and run[-1].startswith(term.words[-1]):
                hit[first : first + count] = [True] * count
    return tuple(span for (_, span), found in zip(words, hit, strict=True) if found)


def _words(text: str) -> Iterator[tuple[str, Span]]:
    for match in _WORD.finditer(text):
        word = _folded(match[0])
        if word:
            yield word, Span(match.start(), match.end())


def _folded(text: str) -> str:
    """Return text in its compared form: without case and accents."""
    if text.isascii():
        return text.casefold()
    return str(_ACCENTS.sub("", unicodedata.normalize("NFKD", text))).casefold()
