"""Mixing of the sides of a recording into one stream, for storing or playing it. No Qt."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples

MOST_AHEAD_SECONDS = 5.0
"""Longest delay of one side behind another. A side that is later counts as silence, and its late sound is dropped."""


class Mixer:
    """Sums sides that began at the same moment; each may be added on a thread of its own."""

    def __init__(self, sides: int, give: Callable[[Samples], None]) -> None:
        """Start a mix; `give` receives the sum, within -1 and 1, on the thread of the side that was added last."""
        self._give = give
        self._lock = threading.Lock()
        self._waiting = [np.zeros(0, np.float32) for _ in range(sides)]
        self._late = [0] * sides  # samples of a side that were mixed as silence

    def add(self, side: int, samples: Samples) -> None:
        """Add the next samples (n,) of a side."""
        with self._lock:
            dropped = min(self._late[side], len(samples))
            self._late[side] -= dropped
            self._waiting[side] = np.concatenate([self._waiting[side], samples[dropped:]])
            longest = max(map(len, self._waiting))
            self._mix(max(min(map(len, self._waiting)), longest - round(MOST_AHEAD_SECONDS * SAMPLE_RATE_HZ)))

    def finish(self) -> None:
        """Mix the rest: no side goes on."""
        with self._lock:
            self._mix(max(map(len, self._waiting)))

    def _mix(self, count: int) -> None:
        """Mix `count` samples; a side that has fewer is silent for the rest."""
        if count <= 0:
            return
        mixed = np.zeros(count, np.float32)
        for side, waiting in enumerate(self._waiting):
            taken = waiting[:count]
            mixed[: len(taken)] += taken
            self._late[side] += count - len(taken)
            self._waiting[side] = waiting[count:]
        self._give(np.clip(mixed, -1.0, 1.0))
