"""Comparison of recorded sound with the clock: late, missing, or delivered at a wrong rate. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator

from engine.audio import SAMPLE_RATE_HZ, Samples

CHUNK_SECONDS = 0.05

WINDOW_SECONDS = 2.0
"""Longest delay after which sound may still come; later it counts as lost."""

LEAST_MISSING_SECONDS = 0.25
WRONG_WINDOWS = 3
"""Consecutive windows with missing sound after which the device's rate counts as wrong."""


class WrongRate(Exception):
    """The device delivers faster or slower than it declares: it has to be opened again."""


class Pace:
    """Measures lost sound by the smallest delay of the chunks within a window, which is constant while nothing is
    lost.

    It reads no clock itself. Times are seconds of a monotonic clock.
    """

    def __init__(self) -> None:
        self._zero: float | None = None  # time of the first sample
        self._delivered = 0.0
        self._usual: float | None = None  # smallest delay of chunks
        self.restart()

    def restart(self) -> None:
        """Note that a device starts to deliver."""
        self._window_end: float | None = None
        self._promptest = float("inf")
        self._wrong = 0

    def behind(self, now: float) -> float:
        """Return how much sound should have been delivered by `now` and was not."""
        if self._zero is None:
            return 0.0
        return now - self._zero - self._delivered - (self._usual or 0.0)

    def deliver(self, seconds: float) -> None:
        """Count `seconds` of silence that replaced missing sound."""
        self._delivered += seconds

    def add(self, seconds: float, now: float) -> float:
        """Count recorded sound that came at `now`; return how much is missing before it.

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
        """Return how much is missing at the end of a window."""
        promptest, usual = self._promptest, self._usual
        self._window_end, self._promptest = now + WINDOW_SECONDS, float("inf")
        if usual is None or abs(promptest - usual) < LEAST_MISSING_SECONDS:
            self._usual = promptest  # follows the drift between the two clocks
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
    """Yield each chunk (n,) of 16 kHz samples at the time its last sample would have been spoken."""
    due = time.monotonic()
    for chunk in chunks:
        due += len(chunk) / SAMPLE_RATE_HZ
        if stop.wait(max(0.0, due - time.monotonic())):
            return
        yield chunk
