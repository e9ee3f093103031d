"""The intent of a question by its words: naive Bayes over stems, and over four letters in a row.

The vector of a sentence blurs a rare word that tells two intents apart; here it counts fully. Units are stored as
checksums of their letters (CRC-32): one that stands for two does little harm among the others.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answer.intents.encoder import Vectors

PRIOR = 2.0
"""Number of questions that are added to every label's, in which units are as frequent as in all."""

LETTERS = 4
_ENDINGS = ("ing", "ed", "es", "s", "ly")


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return re.findall(r"[a-z0-9]+", re.sub(r"['’]", "", text.lower()))


def stems_of(text: str) -> list[str]:
    """Return the words without their endings, roughly."""
    return [_stem(word) for word in words_of(text)]


def letters_of(text: str) -> list[str]:
    """Return every four letters in a row, including the begin and the end of words."""
    joined = f"^{' '.join(words_of(text))}$"
    return [joined[place : place + LETTERS] for place in range(max(1, len(joined) - LETTERS + 1))]


UNITS: dict[str, Callable[[str], list[str]]] = {"stems": stems_of, "letters": letters_of}


def keys_of(text: str, units: str) -> NDArray[np.uint32]:
    """Return the keys of a text's units of this kind, each once, in order."""
    return np.array(sorted({zlib.crc32(unit.encode()) for unit in UNITS[units](text)}), np.uint32)


def _stem(word: str) -> str:
    return next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) >= len(end) + 3), word)


class WordScores:
    """Naive Bayes over one kind of units: how much more likely they make a label."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], units: str, sizes: NDArray[np.int64]) -> None:
        """Use the arrays of the head, and how many questions of each label were counted.

        Raises KeyError if an array is missing.
        """
        self._units = units
        self._keys, self._begins, self._labels = (arrays[f"{units}.{name}"] for name in ("keys", "begins", "labels"))
        self._gains = arrays[f"{units}.gains"].astype(np.float32)
        self._lacking = np.log(PRIOR / (sizes + PRIOR)).astype(np.float32)  # for a unit that none of its questions has

    def scores(self, texts: Sequence[str]) -> Vectors:
        """Return the logarithms (n, labels) of how much more likely labels are, by the root of the count of units."""
        return np.stack([self._of(text) for text in texts])

    def _of(self, text: str) -> Vectors:
        keys = keys_of(text, self._units)
        scores: Vectors = self._lacking * np.float32(len(keys))
        places = np.searchsorted(self._keys, keys)
        for key, place in zip(keys, places, strict=True):
            if place < len(self._keys) and self._keys[place] == key:
                rows = slice(self._begins[place], self._begins[place + 1])
                scores[self._labels[rows]] += self._gains[rows]
        return scores / np.float32(np.sqrt(max(1, len(keys))))


def counted(questions: Sequence[str], numbers: NDArray[np.int64], units: str) -> dict[str, NDArray[Any]]:
    """Count the units of questions by their labels; return the arrays of `WordScores`."""
    bags = [keys_of(question, units) for question in questions]
    keys, places, frequencies = np.unique(np.concatenate(bags), return_inverse=True, return_counts=True)
    labels = np.repeat(numbers, [len(bag) for bag in bags])
    count = int(numbers.max()) + 1
    pairs, together = np.unique(places.astype(np.int64) * count + labels, return_counts=True)
    place, label = np.divmod(pairs, count)
    shares = (frequencies + 1) / (len(questions) + 2)
    return {
        f"{units}.keys": keys,
        f"{units}.begins": np.searchsorted(place, np.arange(len(keys) + 1)).astype(np.int32),
        f"{units}.labels": label.astype(np.int16),
        f"{units}.gains": np.log1p(together / (PRIOR * shares[place])).astype(np.float16),
    }
