"""Trains a language model for Jacobi decoding (CLLM): blocks of its replies come to stand in fewer forwards.

First the model replies to questions of which only a part has been heard, and every block's way to where it stands is
kept. Then adapters (LoRA) learn to come from any point of such a way to its end at once, and to write no other reply
(Kou et al., arXiv:2403.00835; PredGen, A.4). All is computed in float32. Questions are those that the assistant is
taught, or those of --data.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx import optimizers
from mlx.utils import tree_map, tree_unflatten

from engine import backend
from engine.answer.prompt import AnswerPrompt
from engine.errors import EngineError, OptionError
from engine.language_model import LanguageModel
from engine.models.catalogue import find_model
from engine.models.language import INSTEAD, build_language_model
from engine.models.layout import weight_files
from engine.models.load import fingerprint_of
from engine.models.weights import read_weights
from engine.options import AnswerOptions
from engine.recipes.consistency_checkpoint import Measured, Progress, load_progress, save_progress
from engine.recipes.consistency_loss import AUTOREGRESSIVE_WEIGHT, ConsistencyLoss, Example, draw_example
from engine.recipes.consistency_questions import (
    ConversationQuestions,
    DialogueQuestions,
    Questions,
    heard_part,
    read_conversations,
)
from engine.recipes.dialogues import read_dialogues
from engine.recipes.jacobi_trajectories import JacobiReader, JacobiReply, TrajectoryFile

Report = Callable[[str], None]
CURVE_FILE = "curve.json"
LORA_SCALE = 2.0
WARMUP_STEPS = 20
LEAST_RATE_SHARE = 0.1
BETAS = [0.9, 0.98]
LARGEST_NORM = 1.0
COPIED = (
    "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja", "chat_template.json",
    "generation_config.json",
)  # fmt: skip


class ConsistencyError(EngineError):
    """A model that cannot be trained on its own replies."""


@dataclass(frozen=True, slots=True)
class ConsistencyOptions:
    """How long to train, how, and where it goes.

    Attributes:
        out: the run's folder: trajectories, checkpoint, curve.json.
        export: where the model goes at every measurement, as a folder that Earshot and mlx-lm load.
        minutes: of training, without the collecting of trajectories.
        steps: progress by steps instead of minutes, so that a run can be repeated exactly.
        replies: how many are collected to learn from.
        reply_tokens: the most of a reply.
        block: tokens that are corrected together.
        batch: blocks of one step.
        rank: of the adapters.
        layers: how many of the last layers get adapters; None is all.
        epoch_steps: between two measurements on held-out questions, each of which is a checkpoint.
        held_out: how many questions are measured.
    """

    out: Path
    export: Path | None = None
    resume: bool = False
    minutes: float = 30.0
    steps: int | None = None
    replies: int = 1500
    reply_tokens: int = 64
    block: int = 10
    batch: int = 8
    rate: float = 1e-3
    rank: int = 32
    layers: int | None = None
    epoch_steps: int = 100
    held_out: int = 50
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.minutes > 0 or not self.rate > 0:
            raise OptionError(f"minutes and rate must be positive, not {self.minutes!r} and {self.rate!r}.")
        for name in ("steps", "replies", "reply_tokens", "batch", "rank", "layers", "epoch_steps", "held_out"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name} must be at least 1, not {value!r}.")
        if not 2 <= self.block <= 64:
            raise OptionError(f"block must be between 2 and 64, not {self.block!r}.")


class Trainee:
    """A model that gets adapters: it decodes with them as soon as they have learnt something."""

    def __init__(self, name_or_folder: str | Path) -> None:
        """Load it, in float32. ModelError says what is wrong with it."""
        backend.prepare()
        name, self.folder = find_model(name_or_folder, "language")
        self.fingerprint = fingerprint_of(self.folder)
        self.model, self.config = build_language_model(self.folder)
        self.model.set_dtype(mx.float32)
        mx.eval(self.model.parameters())
        self.language = LanguageModel(name, self.folder, self.model, self.config)

    def adapt(self, rank: int, layers: int | None) -> None:
        """Put adapters that change nothing yet beside the matrices of the last layers."""
        from mlx_lm.tuner.utils import linear_to_lora_layers  # takes seconds: --help does without

        most = len(self.model.layers)
        settings = {"rank": rank, "scale": LORA_SCALE, "dropout": 0.0}
        linear_to_lora_layers(self.model, most if layers is None else min(layers, most), settings)

    def fused(self) -> nn.Module:
        """A copy with the adapters in its matrices, in the type that the model is stored in."""
        copy, _ = build_language_model(self.folder)
        copy.set_dtype(mx.float32)
        layers = [(name, layer.fuse()) for name, layer in self.model.named_modules() if hasattr(layer, "fuse")]
        copy.update_modules(tree_unflatten(layers))
        stored = {array.dtype for array in read_weights(weight_files(self.folder, INSTEAD)).values()}
        copy.set_dtype(next(dtype for dtype in stored if mx.issubdtype(dtype, mx.floating)))
        return copy

    def export(self, folder: Path) -> None:
        """Write the model as a folder of mlx-lm's layout."""
        from mlx_lm.utils import save_config, save_model

        save_model(folder, self.fused(), donate_model=True)
        save_config(dict(self.config), folder / "config.json")
        for name in COPIED:
            if (self.folder / name).is_file():
                shutil.copyfile(self.folder / name, folder / name)


def collect(trainee: Trainee, questions: Questions, options: ConsistencyOptions, report: Report) -> list[JacobiReply]:
    """Let the model reply to questions of which a part has been heard; replies that have blocks.

    ConsistencyError where it hardly ever says anything.
    """
    about = {name: getattr(options, name) for name in ("block", "reply_tokens", "seed")}
    about |= {"model": trainee.fingerprint, "questions": questions.digest}
    file = TrajectoryFile(options.out, about)
    replies = file.begin(options.resume)
    reader = JacobiReader(trainee.language, options.block, options.reply_tokens)
    prompt = AnswerPrompt(trainee.language, AnswerOptions(reply_tokens=options.reply_tokens))
    for number in range(len(replies), options.replies):
        random = Random(f"{options.seed} {number}")
        question = questions.draw(random)
        heard = heard_part(question.user, trainee.language, random)
        replies.append(reader.reply(prompt.tokens(question.history, heard)))
        file.add(replies[-1])
        if len(replies) % 100 == 0 or len(replies) == options.replies:
            report(f"collected {len(replies)} of {options.replies} replies")
    found = [reply for reply in replies[: options.replies] if reply.blocks]
    if not found:
        raise ConsistencyError(f"The model {trainee.language.name} says nothing to these questions.")
    return found


class ConsistencyTraining:
    """A run: what a checkpoint holds, what is learnt from, and the questions it is measured on."""

    def __init__(self, trainee: Trainee, questions: Questions, options: ConsistencyOptions, report: Report) -> None:
        """Collect trajectories; begin, or go on from the checkpoint in the run's folder."""
        self.options = options
        self.trainee = trainee
        self._report = report
        self.replies = collect(trainee, questions, options, report)
        prompt = AnswerPrompt(trainee.language, AnswerOptions(reply_tokens=options.reply_tokens))
        self._held_out = [prompt.tokens(one.history, one.user) for one in questions.held_out[: options.held_out]]
        self._untrained = self._replies()
        mx.random.seed(options.seed)
        trainee.adapt(options.rank, options.layers)
        self._optimizer = optimizers.Adam(learning_rate=options.rate, betas=BETAS, bias_correction=True)
        self.progress = Progress()
        if options.resume:
            self._restore()
        mx.eval(trainee.model.parameters())
        self._loss = ConsistencyLoss(trainee.model)
        self._recent: list[tuple[float, float]] = []
        self._started = time.monotonic() - 60 * self.progress.minutes

    @property
    def share(self) -> float:
        """How much of the run is done."""
        done = self.progress
        return done.step / self.options.steps if self.options.steps else done.minutes / self.options.minutes

    def step(self) -> tuple[float, float]:
        """Learn from a few blocks: the mean cross-entropy of their tokens, and of consistency."""
        options, model = self.options, self.trainee.model
        random = Random(f"{options.seed} step {self.progress.step}")  # so that a resumed run draws the same
        examples = [draw_example(self.replies, options.block, random) for _ in range(options.batch)]
        gradients, parts = self._gradients(examples)
        gradients, norm = optimizers.clip_grad_norm(gradients, LARGEST_NORM)
        if mx.isfinite(norm).item():  # one broken batch must not cost the run
            self._optimizer.learning_rate = _rate(options, self.progress.step, self.share)
            self._optimizer.update(model, gradients)
        mx.eval(model.trainable_parameters(), self._optimizer.state)
        self.progress.step += 1
        self.progress.minutes = (time.monotonic() - self._started) / 60
        self._recent.append(parts)
        return self._recent[-1]

    def measure(self) -> Measured:
        """Measure how held-out questions are replied to, write a checkpoint, and export the model."""
        replies = self._replies()
        measured = compare(replies, self._untrained)
        if self._recent:
            loss, consistency = (sum(part) / len(part) for part in zip(*self._recent, strict=True))
            measured = replace(measured, loss=round(loss, 4), consistency=round(consistency, 4))
            self._recent = []
        measured = replace(measured, step=self.progress.step, minutes=round(self.progress.minutes, 2))
        self.progress.curve.append(measured)
        self._report(_described(measured, self.progress.curve[0]))
        self.progress.minutes = (time.monotonic() - self._started) / 60
        self._save()
        return measured

    def _gradients(self, examples: Sequence[Example]) -> tuple[Any, tuple[float, float]]:
        """The gradients of the adapters, and the mean losses of the examples' tokens; every token counts the same."""
        tokens = sum(len(example.standing) for example in examples)
        reached = max(1, sum(len(example.reached) for example in examples))
        total: Any = None
        parts = [0.0, 0.0]

        def weighed(example: Example) -> tuple[mx.array, tuple[mx.array, mx.array]]:
            written, consistent = self._loss(example)
            written, consistent = written / tokens, consistent / reached
            return AUTOREGRESSIVE_WEIGHT * written + consistent, (written, consistent)

        measure = nn.value_and_grad(self.trainee.model, weighed)
        for example in examples:
            (_, (written, consistent)), gradients = measure(example)
            total = gradients if total is None else tree_map(mx.add, total, gradients)
            mx.eval(total, written, consistent)
            parts = [parts[0] + float(written), parts[1] + float(consistent)]
        return total, (parts[0], parts[1])

    def _replies(self) -> list[JacobiReply]:
        reader = JacobiReader(self.trainee.language, self.options.block, self.options.reply_tokens)
        return [reader.reply(prompt) for prompt in self._held_out]

    @property
    def _about(self) -> str:
        options = self.options
        return f"{self.trainee.fingerprint} rank {options.rank} layers {options.layers} block {options.block}"

    def _save(self) -> None:
        out, export = self.options.out, self.options.export
        adapter = self.trainee.model.trainable_parameters()
        save_progress(self.progress, adapter, self._optimizer.state, out, self._about)
        for folder in [out] if export is None else [out, export]:
            folder.mkdir(parents=True, exist_ok=True)
            curve = [asdict(entry) for entry in self.progress.curve]
            (folder / CURVE_FILE).write_text(json.dumps(curve, indent=1) + "\n", encoding="utf-8")
        if export is not None:
            self.trainee.export(export)

    def _restore(self) -> None:
        saved = load_progress(self.options.out, self._about)
        if saved is not None:
            self.progress, adapter, self._optimizer.state = saved
            self.trainee.model.update(adapter)


def compare(replies: Sequence[JacobiReply], before: Sequence[JacobiReply]) -> Measured:
    """What decoding cost, and how many of the replies are as they were before."""
    blocks = [block for reply in replies for block in reply.blocks]
    same = [now.tokens == then.tokens for now, then in zip(replies, before, strict=True)]
    return Measured(
        step=0,
        minutes=0.0,
        loss=None,
        consistency=None,
        forwards_per_block=round(sum(len(block.points) for block in blocks) / max(1, len(blocks)), 3),
        tokens_per_forward=round(sum(len(one.tokens) for one in replies) / sum(one.forwards for one in replies), 3),
        unchanged=round(sum(same) / len(same), 4),
    )


def train(trainee: Trainee, questions: Questions, options: ConsistencyOptions, report: Report = print) -> Measured:
    """Train to the end: how held-out questions are replied to then."""
    training = ConsistencyTraining(trainee, questions, options, report)
    if not training.progress.curve:
        training.measure()
    while training.share < 1.0:
        written, consistent = training.step()
        step = training.progress.step
        if step % 10 == 0:
            report(f"{min(1.0, training.share):4.0%}  step {step}  loss {written:.4f}  consistency {consistent:.4f}")
        if step % options.epoch_steps == 0 and training.share < 1.0:
            training.measure()
    if training.progress.curve[-1].step < training.progress.step:
        training.measure()
    return training.progress.curve[-1]


def _described(now: Measured, before: Measured) -> str:
    return (
        f"held out at step {now.step}: forwards per block {before.forwards_per_block:.2f} before, "
        f"{now.forwards_per_block:.2f} now; tokens per forward {before.tokens_per_forward:.2f} before, "
        f"{now.tokens_per_forward:.2f} now; replies unchanged {now.unchanged:.1%}"
    )


def _rate(options: ConsistencyOptions, step: int, share: float) -> float:
    """Warm up, then fall in a line."""
    falling = 1 - (1 - LEAST_RATE_SHARE) * min(1.0, share)
    return options.rate * min(1.0, (step + 1) / WARMUP_STEPS) * falling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--model", default="starter-assistant", metavar="NAME|FOLDER", help="(default: %(default)s)")
    parser.add_argument(
        "--data", type=Path, metavar="FILE", help="JSON lines of conversations: messages, each a role and content"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="trajectories, checkpoint, curve.json")
    parser.add_argument("--export", type=Path, metavar="DIR", help="where the model goes")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument(
        "--minutes",
        type=float,
        default=30.0,
        metavar="M",
        help="of training, once replies are collected (default: %(default)g)",
    )
    parser.add_argument("--steps", type=int, metavar="N", help="length in steps instead: exactly repeatable")
    for name, says in (
        ("replies", "to learn from"),
        ("reply_tokens", "the most of a reply"),
        ("block", "tokens that are corrected together"),
        ("batch", "blocks of a step"),
        ("rank", "of the adapters"),
        ("epoch_steps", "between two measurements"),
        ("held_out", "questions that are measured"),
        ("seed", "of all that is drawn"),
    ):
        default = ConsistencyOptions.__dataclass_fields__[name].default
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=int, default=default, metavar="N", help=f"{says} (default: %(default)s)"
        )
    parser.add_argument("--layers", type=int, metavar="N", help="how many of the last get adapters (default: all)")
    parser.add_argument("--rate", type=float, default=1e-3, metavar="R", help="of learning (default: %(default)g)")


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    names = {field.name for field in fields(ConsistencyOptions)}
    options = ConsistencyOptions(**{name: value for name, value in vars(args).items() if name in names})
    questions: Questions
    questions = (
        ConversationQuestions(read_conversations(args.data)) if args.data else DialogueQuestions(read_dialogues())
    )
    trainee = Trainee(args.model)
    if options.export and options.export.resolve() == trainee.folder.resolve():
        raise OptionError(f"export must be another folder than the model's own, {trainee.folder}.")
    train(trainee, questions, options, lambda line: print(line, flush=True))
    if options.export:
        print(f"Wrote {options.export}.")
