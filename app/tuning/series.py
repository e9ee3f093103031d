"""The newest values of one figure, and what it was before the last change of a setting. No Qt."""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Callable, Sequence

Summary = Callable[[Sequence[float]], float]

RECENT = 12
"""So many values say how it is now."""

ENOUGH = 4
"""With fewer since a change, nothing is known about how it was then."""

_STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


class Series:
    """Values in the order in which they came; old ones are forgotten.

    Attributes:
        values: the newest, the oldest of them first.
        before: how it was before the last change; None where that is not known.
    """

    def __init__(self, most: int, summary: Summary = statistics.median) -> None:
        """`most` is how many values are kept; `summary` makes one of the newest."""
        self.values: deque[float] = deque(maxlen=most)
        self.before: float | None = None
        self._summary = summary
        self._since_change = 0
        self._changed = False

    @property
    def now(self) -> float | None:
        """Return the newest values since the last change in one; None before the first of them."""
        recent = list(self.values)[-min(self._since_change, RECENT) :] if self._since_change else []
        return self._summary(recent) if recent else None

    @property
    def change_at(self) -> int | None:
        """The place in `values` of the first one after the last change; None where that is no longer among them."""
        place = len(self.values) - self._since_change
        return place if self._changed and place > 0 else None

    @property
    def low(self) -> float | None:
        """The least of the values that are kept; None where there are none."""
        return min(self.values, default=None)

    @property
    def high(self) -> float | None:
        """The most of the values that are kept; None where there are none."""
        return max(self.values, default=None)

    def add(self, value: float) -> None:
        """Take a new value; one that is no number is left out."""
        if math.isfinite(value):
            self.values.append(value)
            self._since_change += 1

    def note_change(self) -> None:
        """A setting has changed: values from now on are compared with those before.

        Several changes in a row, with hardly a value between them, are one.
        """
        if self._since_change >= ENOUGH:
            self.before = self.now
        if self.values:
            self._changed = True
        self._since_change = 0


def ceiling(most: float) -> float:
    """The end of an axis that begins at 0 and holds `most`: a short number."""
    if most <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    return next(round(step * power, 9) for step in _STEPS if most <= step * power * (1 + 1e-9))
