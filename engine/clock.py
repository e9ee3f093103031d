"""Two clocks for a caption session: the wall clock, and one that runs on audio and on measured computation.

Both count seconds since the stream's first sample was spoken, so that `clock.now() - word.end` is a latency.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Protocol

PART_SECONDS = 0.02

Timer = Callable[[], float]


class Clock(Protocol):
    """Source of time for a caption session."""

    def now(self) -> float:
        """Return the seconds since the stream began."""
        ...

    def timer(self) -> float:
        """Return the reading of a stopwatch, in seconds from any origin, for measuring computation."""
        ...

    def audio_arrived(self, seconds: float) -> None:
        """Record that audio up to `seconds` since the stream began has arrived."""
        ...

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        """Return the end of the audio, in seconds, that a round due at `due_seconds` processes."""
        ...

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        """Account for a computation of `compute_seconds` on audio up to `audio_seconds`."""
        ...

    def spend_since(self, started: float) -> None:
        """Account for computation of the calling thread since the stopwatch read `started`, without new audio."""
        ...

    def wait_until(self, seconds: float) -> None:
        """Return when `seconds` have passed since the stream began."""
        ...

    def set_computing(self, computing: bool) -> None:
        """Note whether rounds are being computed on another thread from now on."""
        ...

    def patience(self, seconds: float) -> float:
        """Return how long to wait at `seconds` for a computation on another thread before anything else can happen."""
        ...


class RealClock:
    """The wall clock. It starts when the first chunk arrives, whose audio has just been spoken."""

    def __init__(self, timer: Timer = time.perf_counter, sleep: Callable[[float], None] = time.sleep) -> None:
        self._timer = timer
        self._sleep = sleep
        self._origin = math.inf

    def now(self) -> float:
        return max(0.0, self._timer() - self._origin)

    def timer(self) -> float:
        return self._timer()

    def audio_arrived(self, seconds: float) -> None:
        # Nothing arrives before it is spoken. This also follows a device whose clock runs fast.
        self._origin = min(self._origin, self._timer() - seconds)

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        return max(due_seconds, arrived_seconds)

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        """Do nothing: the time has already passed."""

    def spend_since(self, started: float) -> None:
        """Do nothing: the time has already passed."""

    def wait_until(self, seconds: float) -> None:
        if math.isfinite(self._origin) and (early := seconds - self.now()) > 0:
            self._sleep(early)

    def set_computing(self, computing: bool) -> None:
        """Do nothing: the wall clock always runs."""

    def patience(self, seconds: float) -> float:
        """Return 0: waiting here would delay the arrival of audio."""
        return 0.0


class SimulatedClock:
    """A clock for runs that last no longer than their computation.

    Audio passes as if somebody spoke at the natural pace and one server recognized it. While a round computes, more
    audio arrives. The next round processes all that has arrived by its start, independent of the size of the chunks.

    While two rounds are computed at once on other threads, this clock runs with the stopwatch. While nothing computes,
    it jumps to the moment when enough audio has been spoken.
    """

    def __init__(self, timer: Timer = time.perf_counter) -> None:
        self._timer = timer
        self._now = 0.0  # as of _since, while rounds are computed on other threads
        self._since: float | None = None

    def now(self) -> float:
        return self._now if self._since is None else self._now + self._timer() - self._since

    def timer(self) -> float:
        return self._timer()

    def audio_arrived(self, seconds: float) -> None:
        """Do nothing: audio that arrives early has not been spoken yet."""

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        if self._since is None:
            return max(due_seconds, self._now)
        # A moment has passed by the time the running clock is read: audio comes in parts, as from a device.
        return max(due_seconds, math.floor(self.now() / PART_SECONDS) * PART_SECONDS)

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        self._set(max(self.now(), audio_seconds) + compute_seconds)

    def spend_since(self, started: float) -> None:
        if self._since is None:  # otherwise the clock has run by itself
            self._now += self._timer() - started

    def wait_until(self, seconds: float) -> None:
        self._set(max(self.now(), seconds))

    def set_computing(self, computing: bool) -> None:
        self._now, self._since = self.now(), self._timer() if computing else None

    def patience(self, seconds: float) -> float:
        return seconds - self.now()

    def _set(self, seconds: float) -> None:
        self._now = seconds
        if self._since is not None:
            self._since = self._timer()
