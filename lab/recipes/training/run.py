"""A run of training, whatever it trains: its options, its loop, its optimisers, its checkpoint and its log."""

from __future__ import annotations

import argparse
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor

from engine.errors import ModelError, OptionError
from lab.recipes.training.options import add_options
from lab.recipes.training.precision import is_fast_at_bfloat16

CHECKPOINT = "checkpoint.pt"
SAYS = {
    "resume": "go on from the checkpoint in --out",
    "minutes": "length of the whole run",
    "steps": "length in steps instead: exactly repeatable",
    "bfloat16": "compute in float32 throughout, as on a processor without bfloat16",
}
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run: what to train from, for how long, and where it goes.

    Attributes:
        steps: progress by steps instead of minutes, so that a run can be repeated exactly.
        decay_share: how much of the run, at its end, the rate falls in.
        bfloat16: allowed, where the device is fast at it.
        evaluate_minutes, checkpoint_minutes: between two measurements, and two checkpoints.
    """

    data: Path
    out: Path
    export: Path | None = None
    resume: bool = False
    minutes: float = 90.0
    steps: int | None = None
    device: str = "cpu"
    peak_rate: float = 2e-3
    warmup_steps: int = 200
    decay_share: float = 0.5
    seed: int = 1
    bfloat16: bool = True
    evaluate_minutes: float = 10.0
    checkpoint_minutes: float = 3.0

    def __post_init__(self) -> None:
        if not self.minutes > 0 or (self.steps is not None and self.steps < 1):
            raise OptionError(f"minutes and steps must be positive, not {self.minutes!r} and {self.steps!r}.")

    @property
    def in_bfloat16(self) -> bool:
        """Return whether products are computed in bfloat16: where that is allowed, and the device is fast at it."""
        return self.bfloat16 and is_fast_at_bfloat16(self.device)


def rate_at(options: RunOptions, step: int, progress: float) -> float:
    """Warm up by steps, stay, then fall in a line to the end of the run."""
    falling = min(1.0, max(0.0, 1.0 - progress) / options.decay_share)
    return options.peak_rate * min(1.0, (step + 1) / options.warmup_steps) * max(falling, 0.01)


class Run(ABC):
    """A run. A recipe says what is learnt at a step, what is measured, and what else a checkpoint holds.

    Attributes:
        step, minutes: how far it is.
        report_steps: between two lines about it.
        curve: what was measured on the way.
        saved: what the checkpoint holds that it goes on from; None at the beginning of a run.
        average: the mean of what learns over time, by name.
        slowest_average: how much of that mean stays at a step, at most; None where none is made.
    """

    report_steps: ClassVar[int] = 20
    slowest_average: ClassVar[float | None] = None

    def __init__(self, length: RunOptions, report: Report | None = None) -> None:
        """Begin, or read the checkpoint to go on from. ModelError where that is an earlier Earshot's."""
        self.step, self.minutes = 0, 0.0
        self.report = report or self._log
        self.curve: list[dict[str, Any]] = []
        self.average: dict[str, Tensor] = {}
        self._length, self._checkpoint = length, length.out / CHECKPOINT
        self.saved: dict[str, Any] | None = None
        if length.resume and self._checkpoint.is_file():
            self.saved = torch.load(self._checkpoint, weights_only=True, map_location="cpu")
            if "learning" not in self.saved:
                raise ModelError(f"The checkpoint {self._checkpoint} is an earlier Earshot's. Train without --resume.")
        length.out.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(length.seed)

    @abstractmethod
    def train_step(self) -> float:
        """Learn from a few examples and count the step; return the loss."""

    @abstractmethod
    def evaluate(self) -> None:
        """Measure what has been learnt, and export it."""

    def kept(self) -> dict[str, Any]:
        """Return what else a checkpoint holds."""
        return {}

    @property
    def share(self) -> float:
        """Return how much of the run is done."""
        steps = self._length.steps
        return self.minutes / self._length.minutes if steps is None else self.step / steps

    def train(self) -> None:
        """Train to the end, measuring and saving on the way."""
        started = time.monotonic() - 60 * self.minutes
        evaluated = saved = self.minutes
        while self.share < 1.0:
            loss = self.train_step()
            self.minutes = (time.monotonic() - started) / 60
            if self.step % self.report_steps == 0:
                done = min(1.0, self.share)
                self.report(f"{done:4.0%}  step {self.step}, {self.minutes:.1f} minutes  loss {loss:.4f}")
            if self.share < 1.0 and self.minutes - evaluated >= self._length.evaluate_minutes:
                evaluated = self.minutes
                self.evaluate()
            if self.share < 1.0 and self.minutes - saved >= self._length.checkpoint_minutes:
                saved = self.minutes
                self.save()
        self.evaluate()
        self.save()

    def follow(self, learning: Mapping[str, Tensor], *optimisers: torch.optim.Optimizer) -> None:
        """Register what learns, and by which optimisers; go on from the checkpoint, if there is one.

        A group of an optimiser may have a "share" of the rate; else it has all of it.
        """
        self._learning, self._optimisers = dict(learning), optimisers
        if self.slowest_average is not None:
            self.average = {name: tensor.detach().clone() for name, tensor in learning.items()}
        if self.saved is None:
            return
        with torch.no_grad():
            for name, tensor in self._learning.items():
                tensor.copy_(self.saved["learning"][name])
        self.average = {name: each.to(self._learning[name].device) for name, each in self.saved["average"].items()}
        for optimiser, state in zip(optimisers, self.saved["optimisers"], strict=True):
            optimiser.load_state_dict(state)
        self.step, self.minutes = self.saved["counters"]
        self.curve = self.saved["curve"]

    def take_step(self, rate: float) -> None:
        """Go against the gradients, at a rate, and count the step."""
        for group in (group for optimiser in self._optimisers for group in optimiser.param_groups):
            group["lr"] = rate * group.get("share", 1.0)
        learning = list(self._learning.values())
        if torch.nn.utils.clip_grad_norm_(learning, 1.0).isfinite():  # one broken example must not cost the run
            for optimiser in self._optimisers:
                optimiser.step()
        self.step += 1
        if self.slowest_average is not None:
            weight = 1.0 - min(self.slowest_average, (1 + self.step) / (10 + self.step))
            torch._foreach_lerp_(
                [self.average[name] for name in self._learning], [t.detach() for t in learning], weight
            )

    def save(self) -> None:
        """Write the checkpoint; the last one stays until the new one is whole."""
        state = {
            "learning": {name: tensor.detach() for name, tensor in self._learning.items()},
            "average": self.average,
            "optimisers": [optimiser.state_dict() for optimiser in self._optimisers],
            "counters": (self.step, self.minutes),
            "curve": self.curve,
            **self.kept(),
        }
        partial = self._checkpoint.with_name("checkpoint.partial")
        torch.save(state, partial)
        partial.replace(self._checkpoint)

    def _log(self, line: str) -> None:
        """Print a line and keep it beside the checkpoint."""
        print(line, flush=True)
        with self._checkpoint.with_name("log.txt").open("a", encoding="utf-8") as file:
            file.write(f"{time.strftime('%H:%M:%S', time.gmtime())} {line}\n")


def add_run_arguments(parser: argparse.ArgumentParser, options: type[RunOptions]) -> None:
    """Add the options that all these recipes have to a command."""
    add_options(parser, options, SAYS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
