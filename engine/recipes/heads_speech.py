"""What heads hear while they are trained: speech as the buffers of live captions hold it.

Sentences come one after another, end anywhere, also in the middle of a word, and are clean or noisy. Their words need
not be known: what is learnt is what the model itself writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import EngineError
from engine.recipes.speech_source import SpeechSource, dirtied

JOINED, MOST_JOINED = 0.35, 4
CUT, LEAST_CUT = 0.2, 0.3  # share of the examples; share of an example that is left at least
PAUSES_SECONDS = (0.0, 0.2, 0.6)


class HeadsError(EngineError):
    """Speech or transcripts that no heads can be trained on."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Samples (n,) at 16 kHz and the words in them: a guess where the end was cut off."""

    samples: Samples
    text: str


def draw_heard(speech: SpeechSource, random: Random, longest_seconds: float) -> Heard:
    """Something to hear, about as live captions hear it: at most so long."""
    count = random.randint(2, MOST_JOINED) if random.random() < JOINED else 1
    parts, words = [_pause(random)], []
    room = round(longest_seconds * SAMPLE_RATE_HZ)
    for _ in range(count):
        recording = speech.draw(random)
        parts += [recording.listen(), _pause(random)]
        words.append(recording.text)
    samples = np.concatenate(parts)[:room]
    if random.random() < CUT:
        samples = samples[: round(random.uniform(LEAST_CUT, 1.0) * len(samples))]
    return Heard(dirtied(samples, random), " ".join(words))


def _pause(random: Random) -> Samples:
    return np.zeros(round(random.choice(PAUSES_SECONDS) * random.random() * SAMPLE_RATE_HZ), np.float32)
