"""Two clocks for a caption session: the wall's, and one that runs on audio and on measured computation.

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
    """Time, as a session asks for it."""

    def now(self) -> float:
        """Seconds since the stream began."""
        ...

    def timer(self) -> float:
        """Read a stopwatch, in seconds from any origin: how computation is measured."""
        ...

    def audio_arrived(self, seconds: float) -> None:
        """Audio has been handed over up to `seconds` since the stream began."""
        ...

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        """Up to which moment of the audio a round that is due at `due_seconds` hears."""
        ...

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        """A computation on audio up to `audio_seconds` took `compute_seconds`."""
        ...

    def spend_since(self, started: float) -> None:
        """The calling thread has computed since the stopwatch read `started`, and needed no audio for it."""
        ...

    def wait_until(self, seconds: float) -> None:
        """Return when it is `seconds` since the stream began."""
        ...

    def set_computing(self, computing: bool) -> None:
        """Rounds are being computed elsewhere from now on, or no longer."""
        ...

    def patience(self, seconds: float) -> float:
        """Return how long to wait for a computation elsewhere before anything else can happen, at `seconds`."""
        ...


class RealClock:
    """The wall clock. It starts when the first chunk is handed over, which has just been spoken by then."""

    def __init__(self, timer: Timer = time.perf_counter, sleep: Callable[[float], None] = time.sleep) -> None:
        self._timer = timer
        self._sleep = sleep
        self._origin = math.inf

    def now(self) -> float:
        return max(0.0, self._timer() - self._origin)

    def timer(self) -> float:
        return self._timer()

    def audio_arrived(self, seconds: float) -> None:
        # Nothing is heard before it is spoken: this also keeps up with a device whose clock runs fast.
        self._origin = min(self._origin, self._timer() - seconds)

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        return max(due_seconds, arrived_seconds)

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        """Nothing to do: the time is gone already."""

    def spend_since(self, started: float) -> None:
        """Nothing to do: the time is gone already."""

    def wait_until(self, seconds: float) -> None:
        if math.isfinite(self._origin) and (early := seconds - self.now()) > 0:
            self._sleep(early)

    def set_computing(self, computing: bool) -> None:
        """Nothing to do: the wall clock always runs."""

    def patience(self, seconds: float) -> float:
        """None: whoever waits here keeps audio from being handed over."""
        return 0.0


class SimulatedClock:
    """The clock of a run that takes no longer than its computation.

    Audio passes as if somebody spoke at the pace of speech, and one server hears it: while a round computes, audio
    goes on arriving, and the next round hears all that has arrived by its start, whether or not the caller has
    handed it over in larger or smaller chunks.

    Rounds that are computed elsewhere, two at once, take the time they take: meanwhile this clock runs with the
    stopwatch, and only where nothing computes it leaps to the moment when enough has been spoken.
    """

    def __init__(self, timer: Timer = time.perf_counter) -> None:
        self._timer = timer
        self._now = 0.0  # as of _since, if rounds are computed elsewhere
        self._since: float | None = None

    def now(self) -> float:
        return self._now if self._since is None else self._now + self._timer() - self._since

    def timer(self) -> float:
        return self._timer()

    def audio_arrived(self, seconds: float) -> None:
        """Nothing to do: handing audio over early does not make it spoken."""

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        if self._since is None:
            return max(due_seconds, self._now)
        # While the clock runs a moment has passed by the time it is read: audio comes in parts, as from a device.
        return max(due_seconds, math.floor(self.now() / PART_SECONDS) * PART_SECONDS)

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        self._set(max(self.now(), audio_seconds) + compute_seconds)

    def spend_since(self, started: float) -> None:
        if self._since is None:  # else it has run by itself meanwhile
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
