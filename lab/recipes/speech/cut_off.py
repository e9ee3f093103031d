"""Speech that is cut off, as the rounds of live captions hear it: most of them end inside a word or between two.

A part of an utterance begins in a pause, as the buffer of a stream mostly does, and ends at random. What is heard is
held against the words of the whole utterance that end before the cut. Word times are inexact, so a little of the next
word may be heard where the cut is between two.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Word, text_of
from engine.metrics import WordErrors, word_errors

SHORTEST_SECONDS, LONGEST_SECONDS = 1.5, 8.0
"""Shortest and longest part of an utterance, in seconds; a stream's buffer is about as long."""

PAUSE_SECONDS = 0.1
"""Shortest pause in which a part begins, in seconds."""

INSIDE = (0.2, 0.8)
"""Range of a cut inside a word, as a share of the word."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """A part of an utterance.

    Attributes:
        samples: (n,) at 16 kHz.
        said: the words that end before the cut.
        begun: the word that the cut goes through, or that would follow.
    """

    samples: Samples
    said: str
    begun: str
    language: str

    def errors(self, heard: str) -> WordErrors:
        """Count the errors of what was heard; what is written of the word at the cut is right in any form."""
        texts = (
            (self.said, heard),
            (f"{self.said} {self.begun}", heard),
            (self.said, heard.strip().rpartition(" ")[0]),
        )
        found = [word_errors(said, written, self.language) for said, written in texts]
        least = min(found, key=lambda errors: errors.edits)
        return replace(least, reference_words=found[0].reference_words)


def cut_off(samples: Samples, words: Sequence[Word], language: str, seed: str) -> Iterator[CutOff]:
    """Cut an utterance (n,) once inside a word and once between two, as far as it is long enough."""
    drawn = random.Random(seed)
    for inside in (True, False):
        if (places := _places(words)) is None:
            return
        last = drawn.choice(sorted(places))
        first = drawn.choice(places[last])
        before, word = words[last - 1], words[last]
        end = drawn.uniform(before.end, max(word.start, before.end))
        if inside:
            end = word.start + drawn.uniform(*INSIDE) * (word.end - word.start)
        begin = (words[first].start + (words[first - 1].end if first else 0.0)) / 2
        part = samples[round(begin * SAMPLE_RATE_HZ) : round(end * SAMPLE_RATE_HZ)]
        yield CutOff(part, text_of(words[first:last]), word.text.strip(), language)


def _places(words: Sequence[Word]) -> dict[int, list[int]] | None:
    """Return the words before which a part may end, each with the words that it may begin with; None without any."""
    found: dict[int, list[int]] = {}
    for last in range(1, len(words)):
        begins = (each for each in range(last) if not each or words[each].start - words[each - 1].end >= PAUSE_SECONDS)
        lengths = ((first, words[last].start - words[first].start) for first in begins)
        if firsts := [first for first, seconds in lengths if SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS]:
            found[last] = firsts
    return found or None
