"""How often an engine process that crashed is started again by itself."""

from __future__ import annotations

from collections import deque

MOST_CRASHES = 3
WITHIN_SECONDS = 60.0


class Restarts:
    """Counts crashes: three within a minute, or three with nothing achieved in between, are enough."""

    def __init__(self) -> None:
        self._crashes: deque[float] = deque(maxlen=MOST_CRASHES)
        self._in_vain = 0

    def went_well(self) -> None:
        """The engine has done what it is for."""
        self._in_vain = 0

    def begin_anew(self) -> None:
        """Somebody asked for another attempt: what was is forgotten."""
        self._crashes.clear()
        self._in_vain = 0

    def may_restart(self, now: float) -> bool:
        """It has crashed at `now`, in seconds of time.monotonic(): whether to start it again without asking."""
        self._crashes.append(now)
        self._in_vain += 1
        often = len(self._crashes) == MOST_CRASHES and now - self._crashes[0] < WITHIN_SECONDS
        return not often and self._in_vain < MOST_CRASHES
