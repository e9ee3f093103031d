"""A run that trains in MLX: its steps, its checkpoint and its curve."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers

from engine.recipes.training.checkpoint import damaged, load_checkpoint, save_checkpoint
from engine.recipes.training.run import Report, Run, RunLength

CURVE_FILE = "curve.json"
BETAS = [0.9, 0.98]
LARGEST_NORM = 1.0


class MlxRun(Run):
    """A run in MLX.

    Attributes:
        learner: the module whose trainable parameters learn.
        curve: what was measured on the way.
    """

    def __init__(
        self,
        length: RunLength,
        learner: nn.Module,
        optimizer: optimizers.Optimizer,
        about: str,
        report: Report = print,
    ) -> None:
        """Begin, or go on from the checkpoint in the run's folder. ModelError where that is another's.

        about: the model and what else must be the same for a run to go on.
        """
        super().__init__(length, report)
        self.learner = learner
        self.curve: list[dict[str, Any]] = []
        self._out, self._seed = length.out, length.seed
        self._optimizer, self._about = optimizer, about
        self._recent: list[float] = []
        if length.resume:
            self._restore()
        mx.eval(learner.parameters())

    def random(self) -> Random:
        """Return the chance that examples of this step are drawn with: a resumed run draws the same."""
        return Random(f"{self._seed} step {self.step}")

    def take_step(self, gradients: Any, rate: float, loss: float) -> None:
        """Go against gradients, at a rate, and count the step."""
        gradients, norm = optimizers.clip_grad_norm(gradients, LARGEST_NORM)
        if mx.isfinite(norm).item():  # one broken example must not cost the run
            self._optimizer.learning_rate = rate
            self._optimizer.update(self.learner, gradients)
        mx.eval(self.learner.trainable_parameters(), self._optimizer.state)
        self.step += 1
        self._recent.append(loss)

    def take_loss(self) -> float | None:
        """Take the mean loss of the steps since this was asked last; None of none."""
        recent, self._recent = self._recent, []
        return round(sum(recent) / len(recent), 4) if recent else None

    def save(self) -> None:
        """Write the checkpoint, and the curve beside it."""
        said = {"step": self.step, "minutes": self.minutes, "curve": self.curve}
        trees = {"model": self.learner.trainable_parameters(), "optimizer": self._optimizer.state}
        save_checkpoint(self._out, self._about, said, **trees)
        write_curve(self._out, self.curve)

    def _restore(self) -> None:
        saved = load_checkpoint(self._out, self._about)
        if saved is None:
            return
        try:
            self.step, self.minutes = int(saved.said["step"]), float(saved.said["minutes"])
            self.curve = [dict(entry) for entry in saved.said["curve"]]
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(self._out, error) from error
        self.learner.update(saved.tree("model"))
        self._optimizer.state = saved.tree("optimizer")


def write_curve(folder: Path, curve: Sequence[dict[str, Any]]) -> None:
    """Write all measurements as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CURVE_FILE).write_text(json.dumps(curve, indent=1) + "\n", encoding="utf-8")
