"""A run from a packed folder: it measures before and after, tells how fast it learns, and ends with what it learnt."""

from __future__ import annotations

import time
from abc import abstractmethod

import torch

from lab.recipes.training.run import Run, RunOptions


class PackedRun(Run):
    """A run that ends with a line about it.

    Attributes:
        length: its options.
    """

    def __init__(self, length: RunOptions) -> None:
        super().__init__(length)
        self.length = length
        self._began, self._measuring = time.monotonic(), 0.0

    @abstractmethod
    def described(self) -> str:
        """Return what is learnt from."""

    @abstractmethod
    def measure(self) -> None:
        """Measure what has been learnt, and export it."""

    @abstractmethod
    def learnt(self) -> str:
        """Return what has been learnt, in half a sentence."""

    def evaluate(self) -> None:
        """Measure, and keep count of the time of it."""
        if self.length.device == "cuda":
            torch.cuda.synchronize()
        begun = time.monotonic()
        self.measure()
        self._measuring += time.monotonic() - begun

    @property
    def learning_seconds(self) -> float:
        """Return how long this process has learnt, without what it measured."""
        return max(1e-9, time.monotonic() - self._began - self._measuring)

    def learn(self) -> None:
        """Train until the time is up, measuring, saving and exporting on the way."""
        self.report(self.described())
        if not self.curve:
            self.evaluate()
        self._began, self._measuring = time.monotonic(), 0.0
        self.train()
        again = f"--minutes {2 * self.length.minutes:g} --resume"
        self.report(f"Learnt: {self.learnt()}. A second run, {again}, goes on from {self.length.out}.")
