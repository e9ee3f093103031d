"""The microphone while the assistant speaks: it hears the user, not itself.

What comes from the microphone then holds the assistant's own voice too, wherever echo is not taken out of it. It is
kept back for a while, and heard only if it turns out to be an interruption; else there is silence in its place.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples

BEFORE_SECONDS = 0.6
"""How much from before an interruption was noticed is heard, beyond what it took to notice it."""

ECHO_SECONDS = 0.15
"""So much later than it was played a sound still comes back, by way of the devices and the walls of a room."""


class Duplex:
    """Lets the microphone's audio through, in order and as much of it as came, or silence in its place."""

    def __init__(self, barge_in_seconds: float | None) -> None:
        """Keep back what may be an interruption, which is noticed so late; with None nothing can be one."""
        self._tail = 0 if barge_in_seconds is None else round(barge_in_seconds * SAMPLE_RATE_HZ)
        self._most_held = 0 if barge_in_seconds is None else self._tail + round(BEFORE_SECONDS * SAMPLE_RATE_HZ)
        self._held: deque[tuple[Samples, bool]] = deque()  # audio, and whether the assistant spoke meanwhile
        self._held_samples = 0
        self._quiet = self._tail  # samples since the assistant spoke last
        self._echoing = 0  # samples in which what it spoke last still comes back

    @property
    def holding(self) -> bool:
        """Tell whether audio is kept back that may still be heard."""
        return bool(self._held)

    def take(self, chunk: Samples, *, sounding: bool) -> list[Samples]:
        """Take samples (n,) that came while the assistant spoke, or did not; give what is to be heard now."""
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
        """Give what is kept back to be heard: it holds the user's voice.

        `cleaned` (n,) is the end of it without the assistant's voice, if that is known: it is heard alone.
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
        """Keep nothing back any more: give what is kept, with silence where the assistant spoke."""
        return [self._give(heard=False) for _ in range(len(self._held))]

    def _give(self, *, heard: bool) -> Samples:
        chunk, sounding = self._held.popleft()
        self._held_samples -= len(chunk)
        return np.zeros_like(chunk) if sounding and not heard else chunk
