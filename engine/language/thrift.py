"""The number of guessed tokens that are worth reading at once, learnt from what a model's forwards cost.

On a GPU a block of tokens takes hardly longer than one, and every guess is worth reading. A processor that runs a model
in few bits takes most of a forward for each token: there a guess that fails costs nearly what it might have saved.

A guessed token that holds saves a forward of one token. It holds with the chance that guesses had so far: behind a new
prompt, behind tokens that held, and behind one that did not. So guesses are read as far as they save more than they
cost.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from statistics import median
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.clock import Timer

After = Literal["prompt", "held", "failed"]

KEPT_TIMES = 9
"""Number of the newest forwards of a size whose median is what it costs: other programs disturb some of them."""

MEMORY = 64
"""Number of guesses after which an older one counts little."""

FIRST_CHANCES: dict[After, float] = {"prompt": 0.5, "held": 0.9, "failed": 0.3}
"""Chances before any guess was seen, which count as much as FIRST_COUNT guesses."""

FIRST_COUNT = 4.0


class Thrift:
    """Costs of a model's forwards, and chances of guessed tokens. One thread at a time may use it.

    Attributes:
        timer: the stopwatch by which forwards are timed.
    """

    def __init__(self, timer: Timer = time.perf_counter) -> None:
        self.timer = timer
        self._times: dict[int, deque[tuple[int, float]]] = {}
        self._seen: dict[After, tuple[float, float]] = {
            after: (chance * FIRST_COUNT, FIRST_COUNT) for after, chance in FIRST_CHANCES.items()
        }

    def note(self, tokens: int, seconds: float) -> None:
        """Note what a forward of this many tokens cost."""
        size = (tokens - 1).bit_length()  # those of 1, 2, up to 4, up to 8 tokens, and so on
        self._times.setdefault(size, deque(maxlen=KEPT_TIMES)).append((tokens, seconds))

    def learn(self, after: After, kept: int, guessed: int) -> After:
        """Note how many of some guessed tokens held; return what the next one stands behind."""
        for place in range(min(kept + 1, guessed)):
            held, count = self._seen[after]
            share = 1 - 1 / MEMORY
            self._seen[after] = held * share + (place < kept), count * share + 1
            after = "held" if place < kept else "failed"
        return after

    def worth(self, guessed: int, after: After, beside: int = 1) -> int:
        """Return how many of some guessed tokens to read beside those that are read anyway; all of them if unknown."""
        known = self._known()
        if len(known) < 2 or known[0][0] != 1:
            return guessed
        single, plain = known[0][1], _cost(known, beside)
        best, most, saved = 0, 0.0, 0.0
        chance = self._chance(after)
        for count in range(1, guessed + 1):
            saved += chance * single
            chance *= self._chance("held")
            gain = saved - (_cost(known, beside + count) - plain)
            if gain > most:
                best, most = count, gain
        return best

    def _chance(self, after: After) -> float:
        held, count = self._seen[after]
        return held / count

    def _known(self) -> list[tuple[float, float]]:
        """Return mean sizes and usual costs of the forwards so far, by size."""
        return [
            (sum(tokens for tokens, _ in each) / len(each), median(seconds for _, seconds in each))
            for _, each in sorted(self._times.items())
        ]


def _cost(known: list[tuple[float, float]], tokens: int) -> float:
    """Return what a forward costs, on the line between the sizes around it, or beyond the largest."""
    place = min(max(1, bisect_left(known, (tokens, 0.0))), len(known) - 1)
    (fewer, less), (more, cost) = known[place - 1], known[place]
    return less + (cost - less) * (tokens - fewer) / (more - fewer)
