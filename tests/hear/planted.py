"""Speech whose words are written into the samples, and a recogniser that reads them back, doubts included.

A word is a stretch of equal samples whose value is its number; its first and last samples are marked, so that the
recogniser knows when it hears only a part. A part is misheard in another way each time, as models do at the end of
the audio. No word is ever agreed on by chance, so every committed word must be one that was planted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import NO_REFERENCE, Recognizer

SCALE = 1 << 18
MIDDLE, FIRST, LAST = 0, 1, 2


def plant(words: Sequence[Word], seconds: float | None = None) -> np.ndarray:
    """Make samples in which each word is its number, from 1, with digital silence between and up to `seconds`."""
    end = max([word.end for word in words], default=0.0) if seconds is None else seconds
    samples = np.zeros(round(end * SAMPLE_RATE_HZ), np.float32)
    for number, word in enumerate(words, start=1):
        first, last = round(word.start * SAMPLE_RATE_HZ), round(word.end * SAMPLE_RATE_HZ) - 1
        samples[first : last + 1] = (number * 4 + MIDDLE) / SCALE
        samples[first] = (number * 4 + FIRST) / SCALE
        samples[last] = (number * 4 + LAST) / SCALE
    return samples


def numbered(spans: Sequence[tuple[float, float]], text: str = "w{}") -> list[Word]:
    """Make words " w1", " w2" … at the given times."""
    return [Word(" " + text.format(i), start, end) for i, (start, end) in enumerate(spans, start=1)]


def is_voiced(window: np.ndarray) -> float:
    """Return 1 if a window holds a part of a planted word, else 0, as a speech model would."""
    return float(np.any(window))


@dataclass
class FakeTimer:
    """A stopwatch that moves only when told."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class PlantedRecognizer(Recognizer):
    """Hears planted words.

    Attributes:
        words: what was planted.
        unsteady_seconds: a word that ends this near to the end of the audio is misheard, unless the pass is final.
        careless_seconds: no more than this may lack at a word's beginning, and no more is heard as nothing.
        jitter_seconds: how far word times wander from round to round.
        timer, cost_seconds: each round takes this long on that stopwatch.
        calls: the spans of audio heard, in seconds, with the prompt given.
    """

    words: Sequence[Word]
    unsteady_seconds: float = 0.05
    careless_seconds: float = 0.1
    jitter_seconds: float = 0.0
    timer: FakeTimer = field(default_factory=FakeTimer)
    cost_seconds: float = 0.0
    languages: tuple[str, ...] = ("en",)
    buffer_seconds: float = 15.0
    calls: list[tuple[float, float, str]] = field(default_factory=list)

    def hear(
        self,
        samples: np.ndarray,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        assert samples.dtype == np.float32
        self.calls.append((offset_seconds, offset_seconds + len(samples) / SAMPLE_RATE_HZ, prompt))
        self.timer.seconds += self.cost_seconds
        words = tuple(self._words(samples, offset_seconds, final))
        return Hypothesis(words, language or "en", forwards=1, tokens=len(words))

    def _words(self, samples: np.ndarray, offset_seconds: float, final: bool) -> Iterator[Word]:
        codes = np.rint(samples * SCALE).astype(int)
        numbers = codes // 4
        edges = np.flatnonzero(np.diff(numbers, prepend=0, append=0))
        for first, last in pairwise(edges.tolist()):
            if not numbers[first]:
                continue
            word = self.words[numbers[first] - 1]
            start, end = offset_seconds + first / SAMPLE_RATE_HZ, offset_seconds + last / SAMPLE_RATE_HZ
            begun, ended = codes[first] % 4 == FIRST, codes[last - 1] % 4 == LAST
            if not begun and end - start <= self.careless_seconds:
                continue
            whole = ended and (begun or end - start >= word.end - word.start - self.careless_seconds)
            near = (len(samples) - last) / SAMPLE_RATE_HZ < self.unsteady_seconds and not final
            wander = self.jitter_seconds * math.sin(len(samples) + 7.0 * numbers[first])
            yield Word(word.text if whole and not near else f"{word.text}~{len(samples)}", start + wander, end + wander)
