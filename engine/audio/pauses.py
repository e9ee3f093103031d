"""Quiet places in samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples

PAUSE_SECONDS = 0.3
FRAME_SECONDS = 0.02
FRAME = int(FRAME_SECONDS * SAMPLE_RATE_HZ)


def quietest_place(samples: Samples) -> int:
    """Return the index of the middle of the quietest pause of samples (n,)."""
    power = frame_power(samples)
    width = min(round(PAUSE_SECONDS / FRAME_SECONDS), len(power))
    quietest = int(np.convolve(power, np.full(width, 1 / width), "valid").argmin())
    return (quietest + width // 2) * FRAME


def frame_power(samples: Samples) -> NDArray[np.float64]:
    """Return the mean square of every 20 ms of samples (n,) -> (n // 320,), at least one."""
    if len(samples) < FRAME:
        samples = np.pad(samples, (0, FRAME - len(samples)))
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME)
    power: NDArray[np.float64] = np.square(frames, dtype=np.float64).mean(axis=1)
    return power
