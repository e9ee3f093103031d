"""The newest values of one figure, and its value before the last change of a setting. No Qt."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Sequence

Summary = Callable[[Sequence[float]], float]

RECENT = 12
"""Number of values that the present value summarizes."""

ENOUGH = 4
"""Least number of values since a change for a usable summary."""

_STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


class Series:
    """Values in the order of arrival; old ones are dropped.

    Attributes:
        values: the newest values, oldest first.
        before: value before the last change; None if unknown.
    """

    def __init__(self, most: int, summary: Summary = statistics.median) -> None:
        """Keep at most `most` values; `summary` reduces the newest to one."""
        self.values: deque[float] = deque(maxlen=most)
        self.before: float | None = None
        self._summary = summary
        self._since_change = 0
        self._changed = False

    @property
    def now(self) -> float | None:
        """Summary of the newest values since the last change; None before the first of them."""
        recent = list(self.values)[-min(self._since_change, RECENT) :] if self._since_change else []
        return self._summary(recent) if recent else None

    @property
    def change_at(self) -> int | None:
        """Index in `values` of the first one after the last change; None if it has been dropped."""
        place = len(self.values) - self._since_change
        return place if self._changed and place > 0 else None

    @property
    def low(self) -> float | None:
        """Smallest stored value; None if there are none."""
        return min(self.values, default=None)

    @property
    def high(self) -> float | None:
        """Largest stored value; None if there are none."""
        return max(self.values, default=None)

    def add(self, value: float) -> None:
        """Add a value, unless it is not finite."""
        if math.isfinite(value):
            self.values.append(value)
            self._since_change += 1

    def note_change(self) -> None:
        """Note a changed setting: later values are compared with those before.

        Several changes in a row, with hardly a value between them, count as one.
        """
        if self._since_change >= ENOUGH:
            self.before = self.now
        if self.values:
            self._changed = True
        self._since_change = 0


def ceiling(most: float) -> float:
    """Return a short number that ends an axis from 0 to at least `most`."""
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(round(step * power, 9) for step in _STEPS if most <= step * power * (1 + 1e-9))
