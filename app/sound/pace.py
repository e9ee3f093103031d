"""Holding the sound that comes against the clock: what is late, what is missing, what comes at a wrong rate. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator

from engine.audio import SAMPLE_RATE_HZ, Samples

CHUNK_SECONDS = 0.05

WINDOW_SECONDS = 2.0
"""Sound comes late for as long as this at most; later, it does not come."""

LEAST_MISSING_SECONDS = 0.25
WRONG_WINDOWS = 3
"""When sound is missing so often in a row, the device delivers more slowly than it says."""


class WrongRate(Exception):
    """The device delivers faster or slower than it says: it has to be opened again."""


class Pace:
    """A measure of sound that was lost: sound is never on time, but the promptest of a few seconds is as late as ever.

    It reads no clock itself. Times are seconds of one that only goes forward.
    """

    def __init__(self) -> None:
        self._zero: float | None = None  # when the first sample was heard
        self._delivered = 0.0
        self._usual: float | None = None  # how late the promptest chunks are
        self.restart()

    def restart(self) -> None:
        """A device begins to deliver."""
        self._window_end: float | None = None
        self._promptest = float("inf")
        self._wrong = 0

    def behind(self, now: float) -> float:
        """Return how much sound should have been delivered by `now` and was not."""
        if self._zero is None:
            return 0.0
        return now - self._zero - self._delivered - (self._usual or 0.0)

    def deliver(self, seconds: float) -> None:
        """So much was put in where nothing was heard."""
        self._delivered += seconds

    def add(self, seconds: float, now: float) -> float:
        """Take note of sound that was heard and came at `now`; return how much is missing before it.

        Raises:
            WrongRate: see there.
        """
        if self._zero is None:
            self._zero = now - seconds
        if self._window_end is None:
            self._window_end = now + WINDOW_SECONDS
        self._delivered += seconds
        self._promptest = min(self._promptest, now - self._zero - self._delivered)
        return self._judge(now) if now >= self._window_end else 0.0

    def _judge(self, now: float) -> float:
        """A window is over: what is missing in it?"""
        promptest, usual = self._promptest, self._usual
        self._window_end, self._promptest = now + WINDOW_SECONDS, float("inf")
        if usual is None or abs(promptest - usual) < LEAST_MISSING_SECONDS:
            self._usual = promptest  # two clocks never run quite alike
            self._wrong = 0
            return 0.0
        self._wrong += 1
        if promptest < usual:
            self._usual = promptest
            raise WrongRate
        if self._wrong >= WRONG_WINDOWS:
            raise WrongRate
        return promptest - usual


def at_the_pace_of_speech(chunks: Iterable[Samples], stop: threading.Event) -> Iterator[Samples]:
    """Give out each chunk (n,) of 16 kHz samples when its last sample would have been heard."""
    due = time.monotonic()
    for chunk in chunks:
        due += len(chunk) / SAMPLE_RATE_HZ
        if stop.wait(max(0.0, due - time.monotonic())):
            return
        yield chunk
