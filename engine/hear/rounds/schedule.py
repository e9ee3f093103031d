"""When the next round is due: the step follows what a round costs, so that captions keep real time with any model.

A word waits half a step, on average, for the round that hears it, and a round of c seconds every step keeps c / step of
the machine busy. With a price on that share, sqrt(2 * price * c) is the step at which delay and work together cost
least: a cheap round comes often and still leaves the machine idle, a dear one comes as seldom as it must.
"""

from __future__ import annotations

import math

PRICE_SECONDS = 0.22
"""So much sooner must words come to be worth a machine that hears all the time. With rounds of 0.09 s the step
is 0.2 s."""

MOST_BUSY = 0.9
"""The share of the time that rounds may take at most."""

NEWEST_SHARE = 0.25
MOST_RISE = 2.0
"""A single round counts as no more than so many times the mean: it may have shared the machine with something else."""

FIRST_COST_SECONDS = 0.1
"""What a round is taken to cost before one was heard."""


def step_for(cost_seconds: float) -> float:
    """The step that suits rounds of such a cost."""
    return max(math.sqrt(2 * PRICE_SECONDS * cost_seconds), cost_seconds / MOST_BUSY)


class RoundSchedule:
    """The step between rounds, from a mean of what the last ones cost.

    Attributes:
        step_seconds: new audio between two rounds.
    """

    def __init__(self, shortest_seconds: float, *, follows_cost: bool = True) -> None:
        """Begin with what suits a quick model; with `follows_cost` off the step is always the shortest."""
        self._shortest = shortest_seconds
        self._follows_cost = follows_cost
        self._cost: float | None = None

    @property
    def step_seconds(self) -> float:
        if not self._follows_cost:
            return self._shortest
        return max(self._shortest, step_for(FIRST_COST_SECONDS if self._cost is None else self._cost))

    def take(self, cost_seconds: float) -> None:
        """Learn what one more round has cost."""
        if self._cost is None:
            self._cost = cost_seconds
        else:
            self._cost += NEWEST_SHARE * (min(cost_seconds, MOST_RISE * self._cost) - self._cost)
