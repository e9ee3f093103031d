"""What the recipes that train in MLX share: the clock and the curve of a run, its steps, checkpoint and options."""

from __future__ import annotations

import argparse
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from random import Random
from typing import Any, Generic, Protocol, TypeVar

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers

from engine.errors import OptionError
from engine.recipes.training.checkpoint import damaged, load_checkpoint, save_checkpoint

Report = Callable[[str], None]
CURVE_FILE = "curve.json"
BETAS = [0.9, 0.98]
LARGEST_NORM = 1.0


class RunOptions(Protocol):
    """What every run is told.

    Attributes:
        minutes, steps: how long it is to be; steps, where they are given, so that it can be repeated exactly.
        epoch_steps: between two measurements, each of which is a checkpoint.
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
    def epoch_steps(self) -> int: ...
    @property
    def seed(self) -> int: ...


class Measurement(Protocol):
    """One entry of the curve: a frozen dataclass of plain values."""

    @property
    def step(self) -> int: ...


Entry = TypeVar("Entry", bound=Measurement)


@dataclass(slots=True)
class Progress(Generic[Entry]):
    """How far a run is."""

    step: int = 0
    minutes: float = 0.0
    curve: list[Entry] = field(default_factory=list)


class MlxTraining(ABC, Generic[Entry]):
    """A run: what a checkpoint holds. A recipe says what is learnt at a step and what is measured.

    Attributes:
        learner: the module whose trainable parameters learn.
        learner_name: what they are called in the checkpoint.
        losses_said: how the losses of a step are reported.
    """

    learner_name = "model"
    losses_said = "loss {:.4f}"

    def __init__(
        self, options: RunOptions, learner: nn.Module, optimizer: optimizers.Optimizer, report: Report = print
    ) -> None:
        """Begin, or go on from the checkpoint in the run's folder. ModelError where that is another's."""
        self.learner = learner
        self.progress: Progress[Entry] = Progress()
        self._run = options
        self._optimizer = optimizer
        self._report = report
        self._recent: list[tuple[float, ...]] = []
        if options.resume:
            self._restore()
        mx.eval(learner.parameters())
        self._started = time.monotonic() - 60 * self.progress.minutes

    @property
    @abstractmethod
    def about(self) -> str:
        """The model and what else must be the same for a run to go on."""

    @abstractmethod
    def step(self) -> tuple[float, ...]:
        """Learn from a few examples; the losses, as `follow` gives them."""

    @abstractmethod
    def measured(self, step: int, minutes: float, losses: Sequence[float | None]) -> Entry:
        """Measure the model as it is; `losses` are the means since the last measurement, none before the first."""

    @abstractmethod
    def describe(self, entry: Entry) -> str:
        """What is reported of a measurement."""

    @abstractmethod
    def entry(self, said: dict[str, Any]) -> Entry:
        """A measurement as the checkpoint holds it; TypeError or KeyError where it is none."""

    def export(self) -> None:
        """Write what was trained, after every measurement."""

    @property
    def share(self) -> float:
        """How much of the run is done."""
        done, options = self.progress, self._run
        return done.step / options.steps if options.steps else done.minutes / options.minutes

    def random(self) -> Random:
        """What the examples of this step are drawn with: a resumed run draws the same."""
        return Random(f"{self._run.seed} step {self.progress.step}")

    def follow(self, gradients: Any, rate: float, *losses: float) -> tuple[float, ...]:
        """Take a step against gradients, at a rate, and count it; the losses."""
        gradients, norm = optimizers.clip_grad_norm(gradients, LARGEST_NORM)
        if mx.isfinite(norm).item():  # one broken example must not cost the run
            self._optimizer.learning_rate = rate
            self._optimizer.update(self.learner, gradients)
        mx.eval(self.learner.trainable_parameters(), self._optimizer.state)
        self.progress.step += 1
        self.progress.minutes = (time.monotonic() - self._started) / 60
        self._recent.append(losses)
        return losses

    def measure(self) -> Entry:
        """Measure, write a checkpoint, and export."""
        losses = [round(sum(part) / len(part), 4) for part in zip(*self._recent, strict=True)]
        self._recent = []
        entry = self.measured(self.progress.step, round(self.progress.minutes, 2), losses)
        self.progress.curve.append(entry)
        self._report(self.describe(entry))
        self.progress.minutes = (time.monotonic() - self._started) / 60
        self._save()
        self.export()
        return entry

    def train(self, report_steps: int) -> Progress[Entry]:
        """Train to the end, measuring on the way."""
        progress = self.progress
        if not progress.curve:
            self.measure()
        while self.share < 1.0:
            losses = self.step()
            if progress.step % report_steps == 0:
                said = self.losses_said.format(*losses)
                self._report(f"{min(1.0, self.share):4.0%}  step {progress.step}  {said}")
            if progress.step % self._run.epoch_steps == 0 and self.share < 1.0:
                self.measure()
        if progress.curve[-1].step < progress.step:
            self.measure()
        return progress

    def write_curve(self, folder: Path) -> None:
        """Write all measurements as JSON."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / CURVE_FILE).write_text(json.dumps(self._curve(), indent=1) + "\n", encoding="utf-8")

    def _curve(self) -> list[dict[str, Any]]:
        entries: list[Any] = list(self.progress.curve)
        return [asdict(entry) for entry in entries]

    def _save(self) -> None:
        said = {"step": self.progress.step, "minutes": self.progress.minutes, "curve": self._curve()}
        trees = {self.learner_name: self.learner.trainable_parameters(), "optimizer": self._optimizer.state}
        save_checkpoint(self._run.out, self.about, said, **trees)
        self.write_curve(self._run.out)

    def _restore(self) -> None:
        saved = load_checkpoint(self._run.out, self.about)
        if saved is None:
            return
        try:
            curve = [self.entry(said) for said in saved.said["curve"]]
            self.progress = Progress(int(saved.said["step"]), float(saved.said["minutes"]), curve)
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(self._run.out, error) from error
        self.learner.update(saved.tree(self.learner_name))
        self._optimizer.state = saved.tree("optimizer")


def check_run(options: RunOptions) -> None:
    """OptionError where a run would have no length."""
    if not options.minutes > 0 or (options.steps is not None and options.steps < 1):
        raise OptionError(f"minutes and steps must be positive, not {options.minutes!r} and {options.steps!r}.")


def check_positive(options: RunOptions, *names: str) -> None:
    """OptionError where one of these options is below 1."""
    for name in names:
        if getattr(options, name) < 1:
            raise OptionError(f"{name} must be at least 1, not {getattr(options, name)!r}.")


def add_run_arguments(
    parser: argparse.ArgumentParser, options: type[Any], minutes_are: str, says: dict[str, str]
) -> None:
    """Add the options that all these recipes have to a command, and those numbers of which `says` tells the meaning."""
    known = {option.name: option for option in fields(options)}
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument(
        "--minutes",
        type=float,
        default=known["minutes"].default,
        metavar="M",
        help=f"{minutes_are} (default: %(default)g)",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="length in steps instead: exactly repeatable")
    for name, meaning in says.items():
        default = known[name].default
        whole = isinstance(default, int)
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=int if whole else float,
            default=default,
            metavar="N" if whole else "X",
            help=f"{meaning} (default: %(default)s)",
        )
