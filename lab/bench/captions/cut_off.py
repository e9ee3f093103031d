"""Speech that is cut off, as the rounds of live captions hear it: most of them end inside a word or between two.

A part of an utterance begins where a word does, as the buffer of a stream mostly does, and ends at random. What is
heard of it is held against the words of the whole utterance that end before the cut.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.events import Word
from engine.metrics import WordErrors, word_errors
from lab.bench.captions.clips import Clip

SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 8.0
"""Shortest and longest part of an utterance, in seconds; a stream's buffer is about as long."""

INSIDE = (0.2, 0.8)
"""Range of a cut inside a word, as a share of the word."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """A part of an utterance.

    Attributes:
        said: the words that end before the cut.
        begun: the word that the cut goes through; empty where it is between two words.
    """

    samples: Samples
    said: str
    begun: str
    language: str

    def errors(self, heard: str) -> WordErrors:
        """Count the errors of what was heard; what is written of the word that was cut is right in any form."""
        found = [word_errors(self.said, heard, self.language)]
        if self.begun:
            found.append(word_errors(f"{self.said} {self.begun}", heard, self.language))
            found.append(word_errors(self.said, heard.rpartition(" ")[0], self.language))
        least = min(found, key=lambda errors: errors.edits)
        return replace(least, reference_words=found[0].reference_words)


def cut_off(clips: Iterable[Clip], seed: int = 0) -> Iterator[CutOff]:
    """Cut each clip whose words have times once inside a word and once between two."""
    for clip in clips:
        drawn = random.Random(f"{seed} {clip.name}")
        samples = clip.listen()
        for inside in (True, False):
            if (cut := _cut(clip.words, drawn, inside=inside)) is None:
                continue
            first, last, end = cut
            begin = max(0.0, (_end_before(clip.words, first) + clip.words[first].start) / 2)
            part = samples[round(begin * SAMPLE_RATE_HZ) : round(end * SAMPLE_RATE_HZ)]
            said = "".join(word.text for word in clip.words[first:last]).strip()
            yield CutOff(part, said, clip.words[last].text.strip() if inside else "", clip.language)


def _cut(words: Sequence[Word], drawn: random.Random, *, inside: bool) -> tuple[int, int, float] | None:
    """Draw the first word of a part, the first one that does not end before its cut, and the cut in seconds."""
    places = [(first, last) for last in range(1, len(words)) for first in range(last) if _suits(words, first, last)]
    if not places:
        return None
    last = drawn.choice(sorted({last for _, last in places}))
    first = drawn.choice([first for first, end in places if end == last])
    word = words[last]
    if inside:
        return first, last, word.start + drawn.uniform(*INSIDE) * (word.end - word.start)
    return first, last, drawn.uniform(words[last - 1].end, max(word.start, words[last - 1].end))


def _suits(words: Sequence[Word], first: int, last: int) -> bool:
    return SHORTEST_SECONDS <= words[last].start - words[first].start <= LONGEST_SECONDS


def _end_before(words: Sequence[Word], index: int) -> float:
    return words[index - 1].end if index else 0.0
