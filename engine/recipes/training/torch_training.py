"""What the recipes that train with torch share: options, rates, optimisers, the run, its checkpoint and its log."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from engine.errors import OptionError

CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What to train from, for how long, and where it goes.

    Attributes:
        steps: progress by steps instead of minutes, so that a run can be repeated exactly.
        decay_share: how much of the run, at its end, the rate falls in.
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
        if self.minutes <= 0 or (self.steps is not None and self.steps < 1):
            raise OptionError("minutes and steps must be positive.")


def rate_at(options: RunOptions, step: int, progress: float) -> float:
    """Warm up by steps, stay, then fall in a line to the end of the run."""
    falling = min(1.0, max(0.0, 1.0 - progress) / options.decay_share)
    return options.peak_rate * min(1.0, (step + 1) / options.warmup_steps) * max(falling, 0.01)


def load_checkpoint(options: RunOptions) -> dict[str, Any] | None:
    """What a run that is to go on has saved, if it has."""
    path = options.out / CHECKPOINT
    return torch.load(path, weights_only=True) if options.resume and path.exists() else None


def save_checkpoint(options: RunOptions, state: dict[str, Any]) -> None:
    """Write the checkpoint; the last one stays until the new one is whole."""
    options.out.mkdir(parents=True, exist_ok=True)
    partial = options.out / "checkpoint.partial"
    torch.save(state, partial)
    os.replace(partial, options.out / CHECKPOINT)


def log(options: RunOptions, line: str) -> None:
    """Print a line and keep it beside the checkpoint."""
    print(line, flush=True)
    with (options.out / "log.txt").open("a", encoding="utf-8") as file:
        file.write(f"{time.strftime('%H:%M:%S', time.gmtime())} {line}\n")


def add_run_arguments(parser: argparse.ArgumentParser, options: type[RunOptions]) -> None:
    """Add the options that all these recipes have to a command."""
    defaults = {field.name: field.default for field in fields(options)}
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument(
        "--minutes", type=float, default=defaults["minutes"], help="length of the whole run (default: %(default)g)"
    )
    parser.add_argument("--steps", type=int, help="length in steps instead: exactly repeatable")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--no-bfloat16", dest="bfloat16", action="store_false", help="compute in float32 throughout")
