"""Topics of a transcript: where one ends and the next begins, and what each is called.

Boundaries are where the meaning before and behind a line differ most (TextTiling, Hearst 1997, over sentence vectors
in place of words). A topic is called by its most telling words: those that are frequent in it and rare in the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engine.answer.intents.encoder import Vectors
from engine.notes.records import SaidLine

WINDOW_LINES = 4
"""Number of lines on either side of a boundary whose meanings are compared."""

FEWEST_LINES = 5
"""Shortest topic, in lines."""

LINES_A_TOPIC = 12
"""Lines for each topic that a transcript can have."""

TITLE_WORDS = 3
"""Number of words in a title. Words with a capital within a sentence, such as German nouns, count twice."""

_WORD = re.compile(r"(?<![\w'’])[^\W\d_][\w-]{3,}(?![\w'’])")
_NAMES_IN_TEXT = re.compile(r"(?<=[\w,;] )[^\W\d_a-zß-ÿ][\w-]{3,}")
_STEM_LETTERS = 5


@dataclass(frozen=True, slots=True)
class Topic:
    """A stretch of lines, by their places, with its title."""

    begin: int
    end: int
    title: str


def topics_of(lines: Sequence[SaidLine], vectors: Vectors, rarity: Callable[[str], float]) -> list[Topic]:
    """Divide lines (n) with vectors (n, d) of their meaning into topics, in order; `rarity` is that of a word."""
    bounds = list(pairwise([0, *boundaries(vectors), len(lines)])) if lines else []
    texts = [" ".join(line.text for line in lines[begin:end]) for begin, end in bounds]
    names = frozenset(word.lower() for speaker in {line.speaker for line in lines} for word in _WORD.findall(speaker))
    titles = _titles(texts, names, rarity)
    return [Topic(begin, end, title) for (begin, end), title in zip(bounds, titles, strict=True)]


def boundaries(vectors: Vectors) -> list[int]:
    """Return the places of the lines with which a new topic begins."""
    count = len(vectors)
    room = count // LINES_A_TOPIC
    if not room:
        return []
    depths = _differences(vectors)
    found: list[int] = []
    for place in sorted(range(FEWEST_LINES, count - FEWEST_LINES + 1), key=lambda place: -depths[place - WINDOW_LINES]):
        if len(found) >= room:
            break
        if all(abs(place - other) >= FEWEST_LINES for other in found):
            found.append(place)
    return sorted(found)


def _differences(vectors: Vectors) -> Vectors:
    """Return how much the meaning before a place differs from that behind it, for places with whole windows (n - 7)."""
    means = sliding_window_view(vectors, WINDOW_LINES, axis=0).mean(axis=-1)
    means /= np.maximum(1e-9, np.linalg.norm(means, axis=1, keepdims=True))
    depths: Vectors = -np.einsum("nd,nd->n", means[:-WINDOW_LINES], means[WINDOW_LINES:])
    return depths


def _titles(texts: Sequence[str], names: frozenset[str], rarity: Callable[[str], float]) -> list[str]:
    """Return a title for each text: its most telling words, in the order in which they were first said."""
    counts = [Counter(_stem(word) for word in _WORD.findall(text) if word.lower() not in names) for text in texts]
    spread = Counter(stem for count in counts for stem in count)
    titles = []
    for text, count in zip(texts, counts, strict=True):
        first: dict[str, str] = {}
        for word in _WORD.findall(text):
            first.setdefault(_stem(word), word)
        nouns = {_stem(word) for word in _NAMES_IN_TEXT.findall(text)}
        shares = {stem: (1 + len(texts)) / (1 + spread[stem]) for stem in count}
        weights = {stem: count[stem] * shares[stem] * rarity(first[stem]) * (1 + (stem in nouns)) for stem in count}
        best = sorted(weights, key=lambda stem: -weights[stem])[:TITLE_WORDS]
        titles.append(", ".join(first[stem] for stem in first if stem in best))
    return [title[:1].upper() + title[1:] for title in titles]


def _stem(word: str) -> str:
    return word.lower()[:_STEM_LETTERS]
