"""Holes: clear speech that a round leaves without words. It is heard once more by itself, so that no word is lost.

A decoder sometimes passes over seconds of speech between two sentences. The word before such a hole then seems to last
until the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Word
from engine.hear.rounds.audio_span import AudioSpan, Hear
from engine.hear.rounds.policy import key_of

HOLE_SECONDS, LATE_HOLE_SECONDS = 1.2, 4.0
"""Least clear speech of a hole, in seconds: among words, and after the newest one while more may come."""

USUAL_WORD_SECONDS = 0.8
"""Longest duration of most words, in seconds; the end of a longer one is trusted only if it has as many characters."""

LONGEST_WORD_SECONDS, CHARACTER_SECONDS = 1.5, 0.2
"""Longest duration of a word, in seconds, and of each of its characters if that is more."""

BESIDE_SECONDS = 0.2
"""Audio beyond a hole that is heard with it, in seconds, since word times are inexact."""


class _Hole(NamedTuple):
    """A hole from `begin` to `end` in seconds, before the word at an index."""

    place: int
    begin: float
    end: float


class _Filling(NamedTuple):
    """The words that were heard in a hole."""

    begin: float
    end: float
    words: tuple[Word, ...]


class Holes:
    """The holes of one stream, and what was heard in them.

    Attributes:
        clear_between: returns how many seconds of clear speech there are between two moments; 0 where nobody knows.
    """

    def __init__(self) -> None:
        self.clear_between: Callable[[float, float], float] = lambda begin, end: 0.0
        self._fillings: list[_Filling] = []

    def filled(
        self, words: tuple[Word, ...], span: AudioSpan, known: Word | None, known_until: float, hear: Hear
    ) -> tuple[Word, ...]:
        """Return the words of a span with those that `hear` finds in its holes.

        `known` is the last committed word that may be heard again; what ends by `known_until` stays as it is.
        """
        for hole in reversed(list(self._found(words, span, known_until))):
            before, after = words[: hole.place], words[hole.place :]
            filling = self._filling(hole, span, hear)
            last = before[-1] if before else known
            if filling and last is not None and key_of(filling[0]) == key_of(last):
                filling = filling[1:]  # its end, which was heard again
            if filling and after and key_of(filling[-1]) == key_of(after[0]):
                filling = filling[:-1]
            if filling and before and before[-1].end > filling[0].start:  # it seemed to last longer
                before = (*before[:-1], replace(before[-1], end=max(before[-1].start, filling[0].start)))
            words = (*before, *filling, *after)
        return words

    def forget_before(self, seconds: float) -> None:
        """Forget the holes before a moment, whose audio is gone."""
        self._fillings = [each for each in self._fillings if each.end > seconds]

    def _found(self, words: Sequence[Word], span: AudioSpan, known_until: float) -> Iterator[_Hole]:
        """Yield the holes before the words that are new, and after the last one."""
        end = span.end_seconds if span.voiced_until is None else min(span.voiced_until, span.end_seconds)
        reached = span.offset_seconds
        for place, word in enumerate(words):
            if word.end > known_until and self._is_hole(reached, word.start, HOLE_SECONDS):
                yield _Hole(place, reached, word.start)
            reached = max(reached, word.end if is_plausible(word) else word.start)
        if self._is_hole(max(reached, known_until), end, HOLE_SECONDS if span.final else LATE_HOLE_SECONDS):
            yield _Hole(len(words), max(reached, known_until), end)

    def _is_hole(self, begin: float, end: float, least: float) -> bool:
        return end - begin >= least and self.clear_between(begin, end) >= least

    def _filling(self, hole: _Hole, span: AudioSpan, hear: Hear) -> tuple[Word, ...]:
        """Return the words in a hole; what was heard in it before is not heard again."""
        known = [each for each in self._fillings if each.begin < hole.end and hole.begin < each.end]
        if not known:
            first = max(0, round((hole.begin - span.offset_seconds) * SAMPLE_RATE_HZ))
            samples = span.samples[first : first + round((hole.end - hole.begin + BESIDE_SECONDS) * SAMPLE_RATE_HZ)]
            part = replace(span, samples=samples, offset_seconds=hole.begin, voiced_from=None, voiced_until=hole.end)
            known = [_Filling(hole.begin, hole.end, hear(part))]
            self._fillings.extend(known)
        found = (word for each in known for word in each.words)
        return tuple(word for word in found if hole.begin - BESIDE_SECONDS < word.start and word.middle < hole.end)


def is_plausible(word: Word) -> bool:
    """Return whether a word lasts no longer than usual for its characters."""
    return word.end - word.start <= max(USUAL_WORD_SECONDS, CHARACTER_SECONDS * len(word.text))


def longest_of(word: Word) -> float:
    """Return how long a word may last, in seconds."""
    return max(LONGEST_WORD_SECONDS, CHARACTER_SECONDS * len(word.text))
