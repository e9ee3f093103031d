"""What recipes in MLX hear: the recordings of a manifest, some of them held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Protocol

import numpy as np

from engine.audio import Samples
from engine.errors import EngineError
from engine.recipes.hush_word import Recording, read_recordings, split

HELD_OUT = 48
NOISY = 0.5
NOISE_DECIBELS = (8.0, 40.0)  # below the speech
LEVEL_DECIBELS = (-12.0, 2.0)


class SpeechError(EngineError):
    """Speech that nothing can be learnt from."""


class SpeechSource(Protocol):
    """Speech whose words are known; all that it gives has its samples."""

    def draw(self, random: Random) -> Recording:
        """Something to learn from."""

    def held_out(self) -> Sequence[Recording]:
        """What is never learnt from."""


class RecordedSpeech:
    """The recordings of a manifest in some languages, some of them held out by what is said in them."""

    def __init__(self, recordings: Sequence[Recording], held_out: int = HELD_OUT) -> None:
        """Hold some out. SpeechError where nothing else is said in the rest."""
        apart, self._recordings = split(recordings)
        if not self._recordings:
            raise SpeechError("Two recordings with different words are needed at least, one of them to measure with.")
        self._held_out = apart[:held_out]

    @classmethod
    def read(cls, manifest: Path, languages: Sequence[str]) -> RecordedSpeech:
        """Read a manifest; see hush_word.read_recordings, which says what raises HushWordError."""
        return cls(read_recordings(manifest, languages))

    def draw(self, random: Random) -> Recording:
        return _heard(random.choice(self._recordings))

    def held_out(self) -> list[Recording]:
        return [_heard(recording) for recording in self._held_out]


def dirtied(samples: Samples, random: Random) -> Samples:
    """Samples (n,) at some level, half of the time with white noise."""
    noise = np.random.default_rng(random.getrandbits(32))
    if random.random() < NOISY:
        level = float(np.sqrt(np.mean(np.square(samples)))) * 10 ** (-random.uniform(*NOISE_DECIBELS) / 20)
        samples = samples + level * noise.standard_normal(len(samples), dtype=np.float32)
    peak = max(float(np.abs(samples).max(initial=0.0)), 1e-6)
    loud: Samples = (samples * min(10 ** (random.uniform(*LEVEL_DECIBELS) / 20), 1.0 / peak)).astype(np.float32)
    return loud


def _heard(recording: Recording) -> Recording:
    return replace(recording, samples=recording.listen())
