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


def is_later_day(clock: Clock, then: float) -> bool:
    """Return whether a time is on a later day than the one on which a recording begins."""
    return bool(clock) and time.localtime(then)[:3] > time.localtime(clock[0][1])[:3]


def clock_hand(clock: Clock, seconds: float) -> str:
    """Return when a second of a transcript was, such as 14:05:09; "" if that is not known.

    On a later day than the first, the date stands before it.
    """
    then = time_of_day(clock, seconds)
    if then is None:
        return ""
    return time.strftime("%Y-%m-%d %H:%M:%S" if is_later_day(clock, then) else "%H:%M:%S", time.localtime(then))
