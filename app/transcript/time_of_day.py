"""The times of day of a transcript's seconds. No Qt."""

from __future__ import annotations

import time
from collections.abc import Sequence

Clock = Sequence[tuple[float, float]]
"""Seconds of a transcript at which a recording begins or goes on, each with its time in seconds since 1970.

Empty where nobody knows when the recording was made.
"""


def time_of_day(clock: Clock, seconds: float) -> float | None:
    """Return when a second of a transcript was, in seconds since 1970; None if that is not known."""
    before = next((each for each in reversed(clock) if each[0] <= seconds), clock[0] if clock else None)
    return None if before is None else before[1] + seconds - before[0]


def clock_hand(clock: Clock, seconds: float) -> str:
    """Return when a second of a transcript was, such as 14:05:09; "" if that is not known."""
    then = time_of_day(clock, seconds)
    return "" if then is None else time.strftime("%H:%M:%S", time.localtime(then))
