"""Features of recordings from a frozen Whisper encoder, made once and kept: half of what training on it would cost.

Every recording is heard at its natural length, as it is when captions are live, and once more faster or slower and
with some noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.resample import resample
from engine.hear.decode.steps import never
from lab.recipes.speech.transcripts import SourceClip

VERSIONS = 2  # of a clip: as it is, and changed
SLOWEST, FASTEST = 0.88, 1.14


@dataclass(frozen=True, slots=True)
class Changed:
    """A clip as it is (version 0), or changed in a way that its name decides.

    Attributes:
        speed: how much faster it is.
    """

    clip: SourceClip
    version: int

    @property
    def key(self) -> str:
        name = f"{self.clip.file} {self.clip.start} {self.clip.end} {self.version}"
        return hashlib.sha256(name.encode()).hexdigest()[:20]

    @property
    def speed(self) -> float:
        if not self.version:
            return 1.0
        return SLOWEST + (FASTEST - SLOWEST) * int(self.key[:6], 16) / 0xFFFFFF

    def listen(self) -> Samples:
        """Read its samples (n,), changed."""
        samples = self.clip.listen()
        if not self.version:
            return samples
        chance = np.random.default_rng(int(self.key, 16))
        samples = resample(samples, round(SAMPLE_RATE_HZ * self.speed))
        loudness = float(np.sqrt(np.mean(samples**2))) + 1e-6
        noise = chance.normal(size=len(samples)).astype(np.float32)
        if chance.random() < 0.5:
            noise = np.cumsum(noise) - np.cumsum(noise).mean() if chance.random() < 0.2 else _smoothed(noise, chance)
        noise *= loudness * 10 ** (-chance.uniform(8, 35) / 20) / (float(np.sqrt(np.mean(noise**2))) + 1e-6)
        louder = 10 ** (chance.uniform(-12, 6) / 20)
        return ((samples + noise * (chance.random() < 0.6)) * louder).clip(-1, 1).astype(np.float32)


def _smoothed(noise: Samples, chance: np.random.Generator) -> Samples:
    """Noise with less of the high tones."""
    width = int(chance.integers(2, 12))
    return np.convolve(noise, np.full(width, 1 / width), "same").astype(np.float32)


class EarFeatures:
    """A folder of features (t, d) in float16, one file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, changed: Changed) -> Path:
        """Return the path of a clip's features."""
        return self.folder / f"{changed.key}.npy"

    def has(self, changed: Changed) -> bool:
        """Return whether they are made."""
        return self.path(changed).is_file()

    def read(self, changed: Changed) -> NDArray[np.float16]:
        """Read features (t, d), as a view of the file."""
        features: NDArray[np.float16] = np.load(self.path(changed), mmap_mode="r")
        return features

    def make(
        self,
        listen: Callable[[Samples], NDArray[Any]],
        wanted: Sequence[Changed],
        workers: int,
        until: Callable[[], bool] = never,
    ) -> None:
        """Make those that are missing, until that says so; `listen` returns the features (t, d) of samples (n,)."""

        def hear(changed: Changed) -> None:
            if until() or self.has(changed):
                return
            partial = self.path(changed).with_suffix(".partial.npy")
            np.save(partial, listen(changed.listen()).astype(np.float16))
            partial.replace(self.path(changed))

        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            list(pool.map(hear, wanted))
