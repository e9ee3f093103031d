"""What the recipes that train with torch share: options, rates, optimisers, the run, its checkpoint and its log."""

from __future__ import annotations

import argparse
import copy
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from engine.errors import OptionError
from engine.recipes.starter_batches import STAGES, Batch, Composer, Corpus, Stage, TargetMaker
from engine.recipes.starter_corpus import start_making
from engine.recipes.starter_evaluation import HeldOutSpeech
from engine.recipes.starter_text import check_texts

CHECKPOINT = "checkpoint.pt"
REPORT_STEPS = 50  # between two lines of the log


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


@dataclass(frozen=True, slots=True)
class SpeechRunOptions(RunOptions):
    """The options of a run over the corpus of speech.

    Attributes:
        workers: threads that each take a part of a batch; 1 for a GPU.
        batch_seconds: of audio in a batch.
        pool_examples: sorted by length together, so that batches need little padding.
    """

    workers: int = 2
    batch_seconds: float = 110.0
    pool_examples: int = 512


Options = TypeVar("Options", bound=RunOptions)
SpeechOptions = TypeVar("SpeechOptions", bound=SpeechRunOptions)
Model = TypeVar("Model", bound=nn.Module)
Losses = TypeVar("Losses")


def rate_at(options: RunOptions, step: int, progress: float) -> float:
    """Warm up by steps, stay, then fall in a line to the end of the run."""
    falling = min(1.0, max(0.0, 1.0 - progress) / options.decay_share)
    return options.peak_rate * min(1.0, (step + 1) / options.warmup_steps) * max(falling, 0.01)


def make_optimisers(model: nn.Module, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for all else."""
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        inner = (".layers." in name or ".blocks." in name) and parameter.ndim == 2
        (matrices if inner else rest).append(parameter)
    return [
        *(
            torch.optim.Muon(half, lr=rate, weight_decay=0.02, adjust_lr_fn="match_rms_adamw")
            for half in (matrices[0::2], matrices[1::2])  # two, so that two workers share it
        ),
        torch.optim.AdamW(rest, lr=rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]


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


class SpeechTraining(ABC, Generic[SpeechOptions, Model, Losses]):
    """The state of a run over the corpus of speech: everything a checkpoint holds.

    A recipe says what its loss is, which weights learn at a time, and how it measures what was learnt.
    """

    def __init__(
        self,
        options: SpeechOptions,
        targets: TargetMaker,
        make_model: Callable[[], Model],
        saved: dict[str, Any] | None,
        stages: tuple[Stage, ...] = STAGES,
    ) -> None:
        self.options = options
        torch.manual_seed(options.seed)
        self.corpus = Corpus(options.out / "corpus", targets)
        self.composer = Composer(self.corpus, targets, options.seed, options.batch_seconds, stages)
        self.model = make_model()
        self.model.to(options.device)
        self.optimisers = make_optimisers(self.model, options.peak_rate)
        self.average = {name: p.detach().clone() for name, p in self.model.named_parameters()}
        self.step, self.seen, self.minutes = 0, 0, 0.0
        self.pool_number, self.pool_progress, self.next_batch = -1, 0.0, 0
        self.pool: list[list[int]] = []
        self.curve: list[dict[str, Any]] = []
        # One core each: threads that wait for each other once a step, not at every
        # operation, lose little where other programs take a part of the processor.
        self._workers = ThreadPoolExecutor(options.workers, initializer=torch.set_num_threads, initargs=(1,))
        if saved:
            self._restore(saved)

    @abstractmethod
    def losses(self, batch: Batch) -> tuple[Tensor, Losses]:
        """The loss of a batch, and its parts without their history, to be read."""

    @abstractmethod
    def choose_learning(self) -> None:
        """Let those weights learn that should from now on; asked before every step."""

    @abstractmethod
    def describe(self, parts: Losses) -> str:
        """What the log says of the parts of a loss."""

    @abstractmethod
    def hold_out(self) -> HeldOutSpeech:
        """The speech that the run is measured on."""

    @abstractmethod
    def evaluate(self, held_out: HeldOutSpeech) -> None:
        """Measure the averaged model on held-out speech, add that to the curve, and export it."""

    def peculiar(self) -> dict[str, Any]:
        """What a checkpoint of this recipe holds beside what all hold."""
        return {}

    @property
    def progress(self) -> float:
        """The share of the run that is done."""
        if self.options.steps is not None:
            return self.step / self.options.steps
        return self.minutes / self.options.minutes

    def next(self) -> list[int]:
        """Give the seeds of the next batch, planning a new pool when the last one is used up."""
        if self.next_batch >= len(self.pool):
            self.corpus.refresh()
            self.pool_number += 1
            self.pool_progress, self.next_batch = self.progress, 0
            self.pool = self.composer.pool(self.pool_number, self.pool_progress, self.options.pool_examples)
        self.next_batch += 1
        return self.pool[self.next_batch - 1]

    def train_step(self, seeds: list[int]) -> Losses:
        """Learn from one batch: each worker measures a part of it."""
        rate = rate_at(self.options, self.step, self.progress)
        for group in (group for optimiser in self.optimisers for group in optimiser.param_groups):
            group["lr"] = rate
        self.choose_learning()
        learning = self._learning()
        count = min(self.options.workers, len(seeds))
        parts = list(self._workers.map(self._measure, [seeds[start::count] for start in range(count)]))
        gradients = list(parts[0][1])
        for _, others in parts[1:]:
            torch._foreach_add_(gradients, others)
        torch._foreach_mul_(gradients, 1.0 / count)
        for parameter, gradient in zip(learning, gradients, strict=True):
            parameter.grad = gradient
        if torch.nn.utils.clip_grad_norm_(learning, 1.0).isfinite():  # one broken batch must not cost the run
            list(self._workers.map(lambda optimiser: optimiser.step(), self.optimisers))
        self.step += 1
        self.seen += len(seeds)
        self._update_average()
        return parts[0][0]

    def _measure(self, seeds: list[int]) -> tuple[Losses, tuple[Tensor, ...]]:
        """Make a part of a batch; give its losses and the gradient of each parameter that learns."""
        total, parts = self.losses(self.composer.batch(seeds, self.pool_progress).to(self.options.device))
        return parts, torch.autograd.grad(total, self._learning(), materialize_grads=True)

    def _learning(self) -> list[nn.Parameter]:
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    def _update_average(self) -> None:
        weight = 1.0 - min(0.995, (1 + self.step) / (10 + self.step))
        names = list(self.average)
        parameters = dict(self.model.named_parameters())
        torch._foreach_lerp_([self.average[n] for n in names], [parameters[n].detach() for n in names], weight)

    def averaged_model(self) -> Model:
        """A copy of the model, on the CPU, with averaged weights."""
        model = copy.deepcopy(self.model).to("cpu")
        model.load_state_dict(self.average)
        return model.eval()

    def save(self) -> None:
        """Write the checkpoint."""
        state = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "shards": self.corpus.shards,
            "pool": (self.pool_number, self.pool_progress, self.next_batch),
            "counters": (self.step, self.seen, self.minutes),
            "curve": self.curve,
        }
        save_checkpoint(self.options, state | self.peculiar())

    def _restore(self, saved: dict[str, Any]) -> None:
        self.model.load_state_dict(saved["model"])
        self.average = saved["average"]
        for optimiser, state in zip(self.optimisers, saved["optimisers"], strict=True):
            optimiser.load_state_dict(state)
        self.step, self.seen, self.minutes = saved["counters"]
        self.curve = saved["curve"]
        self.pool_number, self.pool_progress, self.next_batch = saved["pool"]
        self.corpus.refresh(saved["shards"])
        if self.pool_number >= 0:
            self.pool = self.composer.pool(self.pool_number, self.pool_progress, self.options.pool_examples)


def train_to_end(training: SpeechTraining[Any, Any, Any]) -> None:
    """Train until the time is up, evaluating and saving on the way."""
    options, held_out = training.options, training.hold_out()
    started, before = time.monotonic(), training.minutes
    saved = training.minutes
    evaluated = training.curve[-1]["minutes"] if training.curve else 0.0
    log(options, f"parameters {sum(p.numel() for p in training.model.parameters()):,}")
    while training.progress < 1.0:
        parts = training.train_step(training.next())
        training.minutes = before + (time.monotonic() - started) / 60
        if training.step % REPORT_STEPS == 0:
            at = f"step {training.step} seen {training.seen} minutes {training.minutes:.1f}"
            log(options, f"{at} {training.describe(parts)}")
        if training.minutes - evaluated >= options.evaluate_minutes:
            evaluated = training.minutes
            training.evaluate(held_out)
        if training.minutes - saved >= options.checkpoint_minutes:
            saved = training.minutes
            training.save()
    training.evaluate(held_out)
    training.save()


def train_on_speech(options: SpeechOptions, make: Callable[[SpeechOptions], SpeechTraining[Any, Any, Any]]) -> None:
    """Train to the end while the corpus is being made. EngineError where data is missing."""
    check_texts(options.data)
    maker = start_making(options.data, options.out / "corpus")
    try:
        train_to_end(make(options))
    finally:
        maker.terminate()


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
    if issubclass(options, SpeechRunOptions):
        parser.add_argument(
            "--batch-seconds",
            type=float,
            default=defaults["batch_seconds"],
            help="audio in a batch (default: %(default)g)",
        )


def read_options(options: type[Options], args: argparse.Namespace) -> Options:
    """The options of a command line. OptionError where they are out of range."""
    names = {field.name for field in fields(options)}
    return options(**{name: value for name, value in vars(args).items() if name in names})
