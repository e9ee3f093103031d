"""Sentences as words to compare, regardless of marks, case, accents, contractions and misspellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import groupby

START, END = "^", "$"
"""Marks before the first and behind the last word of a sentence."""

FEWEST_BEGUN = 3
"""Fewest letters by which a cut-off key word is known, or BEGUN_SHARE of it if that is more."""

BEGUN_SHARE = 0.35
FEWEST_LETTERS = 4
"""Fewest letters of a key word that may be misspelt."""

LONG_LETTERS = 10
"""Fewest letters of a key word in which two letters may be wrong."""

_ENDS = re.compile(r"[.!?;:…\n]+(?=\s|$)|[¿¡\n]")
_WORD = re.compile(r"[^\W_]+")
_STRETCHED = re.compile(r"([a-z])\1{2,}")
_LIGATURES = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "đ": "d", "ł": "l"})
_LONGEST_REWRITE = 3
_MOST_WORDS, _STEP_WORDS = 60, 30


def plain_sentences(text: str) -> list[tuple[str, ...]]:
    """Cut a text into sentences of words without case, accents and marks; an apostrophe separates words.

    A sentence that is longer than any pattern comes in parts that overlap, which stay as they are while it grows.
    """
    lower = unicodedata.normalize("NFKD", text.casefold().translate(_LIGATURES))
    plain = "".join(character for character in lower if not unicodedata.combining(character))
    found = (tuple(_WORD.findall(_STRETCHED.sub(r"\1\1", part))) for part in _ENDS.split(plain))
    return [part for words in found if words for part in _parts(words)]


def _parts(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    last = max(0, len(words) - _MOST_WORDS)
    return [words[place : place + _MOST_WORDS] for place in range(0, last + _STEP_WORDS, _STEP_WORDS)]


def rewritten(words: tuple[str, ...], rewrites: Mapping[str, str]) -> tuple[str, ...]:
    """Write out contractions and join separated words, by a table of at most three words to others."""
    written: list[str] = []
    place = 0
    while place < len(words):
        for count in range(min(_LONGEST_REWRITE, len(words) - place), 0, -1):
            said = " ".join(words[place : place + count])
            if said in rewrites:
                written += rewrites[said].split()
                place += count
                break
        else:
            written.append(words[place])
            place += 1
    return tuple(written)


@lru_cache(maxsize=10_000)
def meant(word: str, keys: frozenset[str]) -> frozenset[str]:
    """Return the key words that an unknown word may be a misspelling of."""
    return frozenset(key for key in _by_letter(keys).get(word[:1], ()) if _is_misspelt(word, key))


@lru_cache(maxsize=100)
def _by_letter(keys: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """Sort key words by their first letter, which no misspelling changes."""
    ordered = sorted(keys)
    return {letter: tuple(found) for letter, found in groupby(ordered, key=lambda key: key[:1])}


def begun(word: str, keys: Collection[str]) -> list[str]:
    """Return the key words that a cut-off word may be the beginning of."""
    return [
        key
        for key in keys
        if key.startswith(word) and word != key and len(word) >= max(FEWEST_BEGUN, BEGUN_SHARE * len(key))
    ]


def _is_misspelt(word: str, key: str) -> bool:
    if len(key) < FEWEST_LETTERS or len(word) < FEWEST_LETTERS - 1:
        return False
    most = 2 if len(key) >= LONG_LETTERS else 1
    return abs(len(word) - len(key)) <= most and _distance(word, key) <= most


def _distance(one: str, other: str) -> int:
    """Count the letters to add, drop, replace or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, last, row = row, before, [place]
        for index, its in enumerate(other, 1):
            cost = min(before[index] + 1, row[-1] + 1, before[index - 1] + (letter != its))
            if place > 1 and index > 1 and letter == other[index - 2] and one[place - 2] == its:
                cost = min(cost, last[index - 2] + 1)
            row.append(cost)
    return row[-1]
