"""The schedule of rounds: the step follows the cost of a round, so that captions keep real time with any model.

A word waits half a step, on average, for its round, and a round of c seconds every step keeps c / step of the machine
busy. With a price on that share, the total cost of delay and work is smallest at the step sqrt(2 * price * c): a cheap
round comes often and still leaves the machine idle, an expensive one comes as rarely as it must.
"""

from __future__ import annotations

import math

PRICE_SECONDS = 0.22
"""Price of a fully busy machine, in seconds of delay. With rounds of 0.09 s the step is 0.2 s."""

MOST_BUSY = 0.9
"""Largest share of the time that rounds may take."""

NEWEST_SHARE = 0.25
MOST_RISE = 2.0
"""Largest weight of a single round, as a multiple of the mean: other programs may have slowed it down."""

FIRST_COST_SECONDS = 0.1
"""Assumed cost of a round before the first one."""


def step_for(cost_seconds: float) -> float:
    """Return the step for rounds of this cost."""
    return max(math.sqrt(2 * PRICE_SECONDS * cost_seconds), cost_seconds / MOST_BUSY)


class RoundSchedule:
    """The step between rounds, from a running mean of their cost.

    Attributes:
        step_seconds: new audio between two rounds.
    """

    def __init__(self, shortest_seconds: float, *, follows_cost: bool = True) -> None:
        """Start with the step of a fast model; without `follows_cost` the step is always the shortest."""
        self._shortest = shortest_seconds
        self._follows_cost = follows_cost
        self._cost: float | None = None

    @property
    def step_seconds(self) -> float:
        if not self._follows_cost:
            return self._shortest
        return max(self._shortest, step_for(FIRST_COST_SECONDS if self._cost is None else self._cost))

    def add_cost(self, cost_seconds: float) -> None:
        """Record the cost of a round."""
        if self._cost is None:
            self._cost = cost_seconds
        else:
            self._cost += NEWEST_SHARE * (min(cost_seconds, MOST_RISE * self._cost) - self._cost)
