"""Words that sound alike, by the phonemes that espeak-ng gives them.

A name that a model does not know is written as other words of a similar sound. The distance of two pronunciations is
the cheapest way to edit one into the other, where related sounds cost less than others. Spelling takes the place of
phonemes in languages that espeak-ng does not speak.
"""

from __future__ import annotations

import re
import unicodedata
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.speak.espeak_library import espeak_library

VOICES = {"en": "en-us", "zh": "cmn", "fr": "fr-fr", "no": "nb", "he": "he", "jw": "id", "tl": "id"}
"""espeak-ng's voices of languages that it names otherwise than Whisper."""

RELATED = "pb td kɡgqc szʃʒɕʑ fvθð mnŋɲ lrɹɾʁɫ wvβu jiʝ hxχç aæɐɑʌ eɛəɜɚ iɪɨᵻy oɔɒ uʊ"
"""Sounds that are often taken for each other."""

VOWELS = "aæɐɑɒʌeɛəɚɜiɪɨᵻyoɔøœuʊɯɤ"
SAME_KIND, SAME_VOWELS, OTHER = 0.35, 0.55, 1.0
"""Costs of replacing a sound: by a related one, a vowel by another vowel, by any other."""

WEAK_GAP, GAP = 0.5, 0.8
"""Costs of leaving a sound out: a vowel, or another one."""

MOST_CODE = 0x1D80
"""Number of code points that hold the phonetic alphabet."""

MOST_FOUND = 8192
"""Number of pronunciations whose neighbours are remembered."""

MOST_REACHED = 64
"""Number of pronunciations whose distances are kept, to go on from with the words after them."""

_MARKS = re.compile(r"\([a-z-]+\)")  # espeak-ng's switch to another language


Reached = tuple[NDArray[np.intp], NDArray[np.float32]]
"""Numbers of entries (n,), and distances (l + 1, n) to each beginning of them."""


class Pronunciations:
    """The pronunciations of listed entries in one language, to find those that sound like given words.

    Shapes: e entries, l sounds of the longest.
    """

    def __init__(self, entries: Sequence[str], language: str, most: float) -> None:
        """List entries; `most` bounds the distance of what sounds alike, as a share of the entry's length."""
        self._entries = tuple(entries)
        self._language = language
        self._most = most
        spelled = [sounds(entry, language) for entry in entries]
        longest = max(map(len, spelled), default=0)
        self._lengths = np.array([len(sound) for sound in spelled], np.int32)
        padded = [[*map(ord, sound), *[0] * (longest - len(sound))] for sound in spelled]
        self._sounds = np.array(padded, np.int32).reshape(len(spelled), longest).T.copy()  # (l, e)
        gaps = np.where(_vowels()[_bounded(self._sounds)], WEAK_GAP, GAP).cumsum(axis=0)
        self._gaps = np.concatenate([np.zeros((1, len(spelled))), gaps]).astype(np.float32)  # (l + 1, e)
        self._costs: dict[int, NDArray[np.float32]] = {}
        self._reached: OrderedDict[str, Reached] = OrderedDict()
        self._found: dict[str, list[tuple[str, float]]] = {}

    def near(self, words: Sequence[str]) -> list[tuple[str, float]]:
        """Return the entries that sound like some words, with their distances as shares of the entries' lengths."""
        heard = [sounds(word, self._language) for word in words]
        said = "".join(heard)
        longest = len(self._sounds)
        if not said or (len(said) - longest) * WEAK_GAP > self._most * longest:
            return []
        if said not in self._found:
            if len(self._found) >= MOST_FOUND:
                self._found.clear()
            rows, reached = self._distances(said, len(said) - len(heard[-1]))
            shares = reached[self._lengths[rows], np.arange(len(rows))] / self._lengths[rows]
            near = zip(rows, shares, strict=True)
            self._found[said] = [(self._entries[row], float(share)) for row, share in near if share <= self._most]
        return self._found[said]

    def _distances(self, said: str, known: int) -> Reached:
        """Return the edit distances of sounds to the beginnings of all entries that they may still be near.

        The distances of the first `known` sounds are looked up, if they were asked for lately.
        """
        found = self._reached.get(said[:known])
        if found is None:
            known, found = 0, (np.arange(len(self._entries)), self._gaps)
        rows, reached = found
        for code in map(ord, said[known:]):
            gaps = self._gaps[:, rows]
            entered = reached + np.float32(WEAK_GAP if _vowels()[_bounded(code)] else GAP)
            np.minimum(entered[1:], reached[:-1] + self._cost(code)[:, rows], out=entered[1:])
            reached = np.minimum.accumulate(entered - gaps, axis=0) + gaps
            may_be_near = reached.min(axis=0) <= self._most * self._lengths[rows]  # distances only grow
            rows, reached = rows[may_be_near], reached[:, may_be_near]
        self._reached[said] = rows, reached
        if len(self._reached) > MOST_REACHED:
            self._reached.popitem(last=False)
        return rows, reached

    def _cost(self, code: int) -> NDArray[np.float32]:
        """Return the costs (l, e) of replacing each sound of the entries by one."""
        if code not in self._costs:
            kinds, kind, vowels = _kinds()[_bounded(self._sounds)], _kinds()[_bounded(code)], _vowels()
            cost = np.full(self._sounds.shape, OTHER, np.float32)
            if vowels[_bounded(code)]:
                cost[vowels[_bounded(self._sounds)]] = SAME_VOWELS
            if kind:
                cost[kinds == kind] = SAME_KIND
            cost[self._sounds == code] = 0
            self._costs[code] = cost
        return self._costs[code]


@lru_cache(maxsize=1 << 14)
def sounds(text: str, language: str) -> str:
    """Return the phonemes of a text without stress, length and tone; its letters where espeak-ng cannot read it."""
    try:
        parts = espeak_library().phonemes(text.strip(), VOICES.get(language, language))
    except (LookupError, ImportError, OSError, RuntimeError):
        parts = []
    found = _MARKS.sub("", "".join(phonemes for _, phonemes in parts))
    spoken = "".join(each for each in found if unicodedata.category(each) in ("Ll", "Lo"))
    return spoken or "".join(each for each in text.casefold() if each.isalnum())


def _bounded(codes: Any) -> Any:
    """Return the places of letters in the tables of sounds; those outside have the place of no sound."""
    return np.where(np.asarray(codes) < MOST_CODE, codes, 0)


@cache
def _kinds() -> NDArray[np.int32]:
    """Return the number of each sound's kind by code point, 0 for none."""
    kinds = np.zeros(MOST_CODE, np.int32)
    for number, group in enumerate(RELATED.split(), 1):
        kinds[[ord(sound) for sound in group]] = number
    return kinds


@cache
def _vowels() -> NDArray[np.bool_]:
    """Return by code point whether a sound is a vowel."""
    vowels = np.zeros(MOST_CODE, bool)
    vowels[[ord(sound) for sound in VOWELS]] = True
    return vowels
