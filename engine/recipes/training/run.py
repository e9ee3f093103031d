"""A run of training, whatever it trains and computes with: its clock, its loop, and what is said of it on the way."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Protocol

from engine.errors import OptionError

Report = Callable[[str], None]


class RunLength(Protocol):
    """Options of every run.

    Attributes:
        minutes, steps: how long it is to be; steps, where they are given, so that it can be repeated exactly.
    """

    @property
    def out(self) -> Path: ...
    @property
    def resume(self) -> bool: ...
    @property
    def minutes(self) -> float: ...
    @property
    def steps(self) -> int | None: ...
    @property
    def seed(self) -> int: ...


class Run(ABC):
    """A run. A recipe says what is learnt at a step, what is measured, and what a checkpoint holds.

    Attributes:
        step, minutes: how far it is.
        report_steps: between two lines about it.
        evaluate_minutes, checkpoint_minutes: between two measurements, and two checkpoints.
    """

    report_steps: ClassVar[int] = 20
    evaluate_minutes = math.inf
    checkpoint_minutes = 1.0

    def __init__(self, length: RunLength, report: Report = print) -> None:
        self.step, self.minutes = 0, 0.0
        self.report = report
        self._length = length

    @property
    def share(self) -> float:
        """Return how much of the run is done."""
        steps = self._length.steps
        return self.minutes / self._length.minutes if steps is None else self.step / steps

    @abstractmethod
    def learn(self) -> str:
        """Learn from a few examples and count the step; return what is said of it."""

    @abstractmethod
    def evaluate(self) -> None:
        """Measure what has been learnt, and export it."""

    @abstractmethod
    def save(self) -> None:
        """Write the checkpoint."""

    def is_due(self, since_minutes: float) -> bool:
        """Tell whether to measure now, when that was done last at some time of the run."""
        return self.minutes - since_minutes >= self.evaluate_minutes

    def train(self) -> None:
        """Train to the end, measuring and saving on the way."""
        started = time.monotonic() - 60 * self.minutes
        evaluated = saved = self.minutes
        while self.share < 1.0:
            said = self.learn()
            self.minutes = (time.monotonic() - started) / 60
            if self.step % self.report_steps == 0:
                self.report(f"{min(1.0, self.share):4.0%}  step {self.step}, {self.minutes:.1f} minutes  {said}")
            if self.share < 1.0 and self.is_due(evaluated):
                evaluated = self.minutes
                self.evaluate()
            if self.share < 1.0 and self.minutes - saved >= self.checkpoint_minutes:
                saved = self.minutes
                self.save()
        self.evaluate()
        self.save()


def check_run(length: RunLength, *at_least_one: str) -> None:
    """Raise OptionError where a run would have no length, or one of these options is below 1."""
    if not length.minutes > 0 or (length.steps is not None and length.steps < 1):
        raise OptionError(f"minutes and steps must be positive, not {length.minutes!r} and {length.steps!r}.")
    for name in at_least_one:
        if getattr(length, name) < 1:
            raise OptionError(f"{name} must be at least 1, not {getattr(length, name)!r}.")
