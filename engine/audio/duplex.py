"""The microphone while the assistant speaks: the user passes, the assistant's own voice does not.

The microphone's audio then holds the assistant's voice too, unless the system cancels echo. It is held back for a
while, and passed on only if it turns out to be an interruption; otherwise silence takes its place.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples

BEFORE_SECONDS = 0.6
"""Audio passed on from before an interruption, in seconds, beyond the time that it took to detect it."""

ECHO_SECONDS = 0.15
"""Longest delay after which played sound still comes back through the devices and the room, in seconds."""


class Duplex:
    """Passes the microphone's audio on, in order and in full length, or silence in its place."""

    def __init__(self, barge_in_seconds: float | None) -> None:
        """Hold back what may be an interruption, detected after `barge_in_seconds`; None: there are none."""
        self._tail = 0 if barge_in_seconds is None else round(barge_in_seconds * SAMPLE_RATE_HZ)
        self._most_held = 0 if barge_in_seconds is None else self._tail + round(BEFORE_SECONDS * SAMPLE_RATE_HZ)
        self._held: deque[tuple[Samples, bool]] = deque()  # audio, and whether the assistant was speaking
        self._held_samples = 0
        self._quiet = self._tail  # samples since the assistant last spoke
        self._echoing = 0  # samples in which its last sound still comes back

    @property
    def holding(self) -> bool:
        """Return whether audio is held back that may still be passed on."""
        return bool(self._held)

    def add(self, chunk: Samples, *, sounding: bool) -> list[Samples]:
        """Add samples (n,); `sounding`: the assistant was speaking meanwhile. Return the audio to pass on now."""
        self._quiet = 0 if sounding else self._quiet + len(chunk)
        self._held.append((chunk, sounding or self._echoing > 0))
        self._echoing = round(ECHO_SECONDS * SAMPLE_RATE_HZ) if sounding else max(0, self._echoing - len(chunk))
        self._held_samples += len(chunk)
        most = self._most_held if self._quiet < self._tail else 0
        passed = []
        while self._held and self._held_samples > most:
            passed.append(self._give(heard=False))
        return passed

    def let_in(self, cleaned: Samples | None = None) -> list[Samples]:
        """Return the held audio to pass on: it holds the user's voice.

        `cleaned` (n,) is the end of it without the assistant's voice, if known; then only that is passed on.
        """
        passed = [self._give(heard=True) for _ in range(len(self._held))]
        self._quiet = self._tail
        self._echoing = 0
        if cleaned is None or not passed:
            return passed
        held = np.concatenate(passed)
        heard = np.zeros_like(held)
        count = min(len(held), len(cleaned))
        heard[len(held) - count :] = cleaned[len(cleaned) - count :]
        return [heard]

    def let_go(self) -> list[Samples]:
        """Hold nothing back any more: return the held audio, with silence while the assistant was speaking."""
        return [self._give(heard=False) for _ in range(len(self._held))]

    def _give(self, *, heard: bool) -> Samples:
        chunk, sounding = self._held.popleft()
        self._held_samples -= len(chunk)
        return np.zeros_like(chunk) if sounding and not heard else chunk
