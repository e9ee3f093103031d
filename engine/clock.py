"""Two clocks for a caption session: the wall's, and one that runs on audio and on measured computation.

Both count seconds since the stream's first sample was spoken, so that `clock.now() - word.end` is a latency.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Protocol

Timer = Callable[[], float]


class Clock(Protocol):
    """What a session asks of time."""

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

    def wait_until(self, seconds: float) -> None:
        """Return when it is `seconds` since the stream began."""
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

    def wait_until(self, seconds: float) -> None:
        if math.isfinite(self._origin) and (early := seconds - self.now()) > 0:
            self._sleep(early)


class SimulatedClock:
    """The clock of a run that takes no longer than its computation.

    Audio passes as if somebody spoke at the pace of speech, and one server hears it: while a round computes, audio
    goes on arriving, and the next round hears all that has arrived by its start, whether or not the caller has
    handed it over in larger or smaller chunks.
    """

    def __init__(self, timer: Timer = time.perf_counter) -> None:
        self._timer = timer
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def timer(self) -> float:
        return self._timer()

    def audio_arrived(self, seconds: float) -> None:
        """Nothing to do: handing audio over early does not make it spoken."""

    def hearing_until(self, due_seconds: float, arrived_seconds: float) -> float:
        return max(due_seconds, self._now)

    def spend(self, audio_seconds: float, compute_seconds: float) -> None:
        self._now = max(self._now, audio_seconds) + compute_seconds

    def wait_until(self, seconds: float) -> None:
        self._now = max(self._now, seconds)
