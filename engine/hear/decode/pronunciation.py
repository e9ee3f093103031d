"""Words that sound alike, by the phonemes that espeak-ng gives them.

A name that a model does not know is written as other words of a similar sound. The distance of two pronunciations is
the cheapest way to edit one into the other, where related sounds cost less than others. Spelling takes the place of
phonemes in languages that espeak-ng does not speak.
"""

from __future__ import annotations

import re
import unicodedata
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

_MARKS = re.compile(r"\([a-z-]+\)")  # espeak-ng's switch to another language


class Pronunciations:
    """The pronunciations of listed entries in one language, to find those that sound like given words."""

    def __init__(self, entries: Sequence[str], language: str, most: float) -> None:
        """List entries; `most` bounds the distance of what sounds alike, as a share of the entry's length."""
        self._entries = tuple(entries)
        self._language = language
        self._most = most
        spelled = [sounds(entry, language) for entry in entries]
        self._lengths = np.array([len(sound) for sound in spelled], np.int32)
        longest = int(self._lengths.max(initial=0))
        self._sounds = np.array([[*map(ord, sound), *[0] * (longest - len(sound))] for sound in spelled], np.int32)
        self._sounds = self._sounds.reshape(len(spelled), longest)
        self._kinds, self._vowels = _kinds()[_bounded(self._sounds)], _vowels()[_bounded(self._sounds)]
        gaps = np.cumsum(np.where(self._vowels, WEAK_GAP, GAP), axis=1)
        self._gaps = np.concatenate([np.zeros((len(spelled), 1)), gaps], axis=1)
        self._found: dict[str, list[tuple[str, float]]] = {}

    def near(self, words: Sequence[str]) -> list[tuple[str, float]]:
        """Return the entries that sound like some words, with their distances as shares of the entries' lengths."""
        said = "".join(sounds(word, self._language) for word in words)
        if said not in self._found:
            if len(self._found) >= MOST_FOUND:
                self._found.clear()
            self._found[said] = self._near(said)
        return self._found[said]

    def _near(self, said: str) -> list[tuple[str, float]]:
        bounds = self._most * self._lengths
        rows = np.flatnonzero(np.abs(self._lengths - len(said)) * WEAK_GAP <= bounds) if said else np.zeros(0, np.intp)
        if not len(rows):
            return []
        shares = self._distances(said, rows) / self._lengths[rows]
        return [
            (self._entries[row], float(share)) for row, share in zip(rows, shares, strict=True) if share <= self._most
        ]

    def _distances(self, said: str, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the edit distance (n,) of a pronunciation to each of the chosen entries (n,)."""
        width = int(self._lengths[rows].max())
        listed, kinds, vowels = (array[rows, :width] for array in (self._sounds, self._kinds, self._vowels))
        gaps = self._gaps[rows, : width + 1]
        reached = gaps
        for code in map(ord, said):
            kind, vowel = _kinds()[_bounded(code)], _vowels()[_bounded(code)]
            cost = np.where(vowels, SAME_VOWELS, OTHER) if vowel else np.full(listed.shape, OTHER)
            if kind:
                cost[kinds == kind] = SAME_KIND
            cost[listed == code] = 0
            entered = reached + (WEAK_GAP if vowel else GAP)
            np.minimum(entered[:, 1:], reached[:, :-1] + cost, out=entered[:, 1:])
            reached = np.minimum.accumulate(entered - gaps, axis=1) + gaps
        found: NDArray[np.float64] = reached[np.arange(len(rows)), self._lengths[rows]]
        return found


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
