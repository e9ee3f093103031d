"""A conversation of two people from lab/people, made where it is asked for."""

from __future__ import annotations

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples
from tests.people_clips import people_clips

PAUSE_SECONDS = 0.6
SPOKEN = ("1272-135031-0003", "2035-147961-0016", "1272-135031-0003", "2035-147961-0016")


def conversation() -> tuple[Samples, list[tuple[float, float, int]]]:
    """Return samples (n,) in which a man and a woman speak in turn, and each turn's start, end and speaker."""
    clips = {clip.name: clip.samples for clip in people_clips()}
    pieces, turns, position = [], [], 0
    for name in SPOKEN:
        samples = clips[name] * np.float32(0.1 / np.sqrt(np.mean(clips[name] ** 2)))
        turns.append((position / SAMPLE_RATE_HZ, (position + len(samples)) / SAMPLE_RATE_HZ, SPOKEN.index(name)))
        pieces += [samples, np.zeros(round(PAUSE_SECONDS * SAMPLE_RATE_HZ), np.float32)]
        position += len(samples) + len(pieces[-1])
    return np.concatenate(pieces), turns
