"""What heads hear while they are trained: recordings of a manifest, or of a model's transcripts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from engine.audio import Samples
from engine.errors import EngineError
from engine.recipes.speech.transcripts import Clip, Transcripts, read_manifest

HELD_OUT = 48
HELD_OUT_SHARE = 0.1  # of the speakers
NOISY = 0.5
NOISE_DECIBELS = (8.0, 40.0)  # below the speech
LEVEL_DECIBELS = (-12.0, 2.0)


class SpeechError(EngineError):
    """Speech that nothing can be learnt from."""


@dataclass(frozen=True, slots=True)
class SpokenAudio:
    """Samples (n,) at 16 kHz and what is said in them.

    Attributes:
        tokens: that the model writes of them with its full window, where that is known; nothing where it is not.
    """

    samples: Samples
    text: str
    language: str = "en"
    tokens: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """A clip, and what the model writes of it, where that is known."""

    clip: Clip
    tokens: tuple[int, ...] = ()

    def listen(self, random: Random) -> SpokenAudio:
        """Read it, at some level and half of the time with noise."""
        clip = self.clip
        return SpokenAudio(dirtied(clip.listen(), random), clip.text, clip.language, self.tokens)


class Speech:
    """Recordings, some of which are held out, by who speaks."""

    def __init__(self, recordings: Sequence[Recording]) -> None:
        """Hold some speakers out. SpeechError where there is one speaker only."""
        speakers = sorted({one.clip.speaker for one in recordings}, key=_digest)
        apart = set(speakers[: max(1, round(HELD_OUT_SHARE * len(speakers)))])
        held_out = [one for one in recordings if one.clip.speaker in apart]
        self._held_out = sorted(held_out, key=lambda one: _digest(f"{one.clip.file.name} {one.clip.start}"))[:HELD_OUT]
        self._recordings = [one for one in recordings if one.clip.speaker not in apart]
        if not self._recordings:
            raise SpeechError("Recordings of two speakers are needed at least, one of them to measure with.")

    def draw(self, random: Random) -> SpokenAudio:
        """Give something to learn from."""
        return random.choice(self._recordings).listen(random)

    def held_out(self) -> list[SpokenAudio]:
        """Give what is never learnt from."""
        return [one.listen(Random(f"held out {number}")) for number, one in enumerate(self._held_out)]


def find_speech(data: Path, languages: Sequence[str], fingerprint: str, longest_seconds: float) -> Speech:
    """Find recordings of at most so long: those of a folder of transcripts by the model of a fingerprint, or of a
    manifest. EngineError where there are none.
    """
    if data.is_dir():
        written = Transcripts(data, fingerprint).read()
        recordings = [Recording(one.clip, tuple(one.tokens.tolist())) for one in written if len(one.tokens)]
    else:
        recordings = [Recording(clip) for clip in read_manifest(data, languages)]
    fitting = [one for one in recordings if one.clip.seconds <= longest_seconds]
    if not fitting:
        raise SpeechError(f"{data} holds no recording of at most {longest_seconds:g} s.")
    return Speech(fitting)


def dirtied(samples: Samples, random: Random) -> Samples:
    """Samples (n,) at some level, half of the time with white noise."""
    noise = np.random.default_rng(random.getrandbits(32))
    if random.random() < NOISY:
        level = float(np.sqrt(np.mean(np.square(samples)))) * 10 ** (-random.uniform(*NOISE_DECIBELS) / 20)
        samples = samples + level * noise.standard_normal(len(samples), dtype=np.float32)
    peak = max(float(np.abs(samples).max(initial=0.0)), 1e-6)
    loud: Samples = (samples * min(10 ** (random.uniform(*LEVEL_DECIBELS) / 20), 1.0 / peak)).astype(np.float32)
    return loud


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()
