"""Trains a language model for Jacobi decoding (CLLM): blocks of its replies come to stand in fewer forwards.

First the model replies to questions of which only a part has been heard, and every block's way to where it stands is
kept. Then adapters (LoRA) learn to come from any point of such a way to its end at once, and to write no other reply
(Kou et al., arXiv:2403.00835; PredGen, A.4). All is computed in float32. Questions are those that the assistant is
taught, or those of --data.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_map, tree_unflatten

from engine.answer.prompt import AnswerPrompt
from engine.errors import EngineError, OptionError
from engine.hear.whisper.fingerprint import fingerprint_of
from engine.language.language import INSTEAD, build_language_model
from engine.language.language_model import LanguageModel
from engine.machine import backend
from engine.models.catalogue import find_model
from engine.options import AnswerOptions
from engine.recipes.assistant.dialogues import read_dialogues
from engine.recipes.consistency.loss import AUTOREGRESSIVE_WEIGHT, ConsistencyLoss, Example, draw_example
from engine.recipes.consistency.questions import (
    ConversationQuestions,
    DialogueQuestions,
    Questions,
    heard_part,
    read_conversations,
)
from engine.recipes.consistency.trajectories import JacobiReader, JacobiReply, TrajectoryFile
from engine.recipes.training.mlx_training import MlxTraining, Report, add_run_arguments, make_adam, read_options
from engine.weights.model_folder import weight_files
from engine.weights.weights import read_weights

LORA_SCALE = 2.0
WARMUP_STEPS = 20
REPORT_STEPS = 10
LEAST_RATE_SHARE = 0.1
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


@dataclass(frozen=True, slots=True)
class Measured:
    """How the model decodes held-out questions at a step.

    Attributes:
        loss: the mean of what was learnt from since the last measurement: the standing blocks' cross-entropy.
        consistency: the other part of it.
        forwards_per_block: of Jacobi decoding.
        tokens_per_forward: of whole replies, the forward that reads the prompt among them.
        unchanged: share of the replies that are the untrained model's, token by token.
    """

    step: int
    minutes: float
    loss: float | None
    consistency: float | None
    forwards_per_block: float
    tokens_per_forward: float
    unchanged: float


class ConsistencyTraining(MlxTraining[Measured]):
    """A run: what a checkpoint holds, what is learnt from, and the questions it is measured on."""

    learner_name = "adapter"
    losses_said = "loss {:.4f}  consistency {:.4f}"

    def __init__(self, trainee: Trainee, questions: Questions, options: ConsistencyOptions, report: Report) -> None:
        """Collect trajectories; begin, or go on from the checkpoint in the run's folder."""
        self.options = options
        self.trainee = trainee
        self.replies = collect(trainee, questions, options, report)
        prompt = AnswerPrompt(trainee.language, AnswerOptions(reply_tokens=options.reply_tokens))
        self._held_out = [prompt.tokens(one.history, one.user) for one in questions.held_out[: options.held_out]]
        self._untrained = self._replies()
        mx.random.seed(options.seed)
        trainee.adapt(options.rank, options.layers)
        super().__init__(options, trainee.model, make_adam(options.rate), report)
        self._loss = ConsistencyLoss(trainee.model)

    @property
    def about(self) -> str:
        options = self.options
        return f"{self.trainee.fingerprint} rank {options.rank} layers {options.layers} block {options.block}"

    def step(self) -> tuple[float, ...]:
        """Learn from a few blocks: the mean cross-entropy of their tokens, and of consistency."""
        options, random = self.options, self.random()
        examples = [draw_example(self.replies, options.block, random) for _ in range(options.batch)]
        gradients, parts = self._gradients(examples)
        return self.follow(gradients, _rate(options, self.progress.step, self.share), *parts)

    def measured(self, step: int, minutes: float, losses: Sequence[float | None]) -> Measured:
        """Measure how held-out questions are replied to."""
        loss, consistency = losses or (None, None)
        now = compare(self._replies(), self._untrained)
        return replace(now, step=step, minutes=minutes, loss=loss, consistency=consistency)

    def describe(self, entry: Measured) -> str:
        before = self.progress.curve[0]
        return (
            f"held out at step {entry.step}: forwards per block {before.forwards_per_block:.2f} before, "
            f"{entry.forwards_per_block:.2f} now; tokens per forward {before.tokens_per_forward:.2f} before, "
            f"{entry.tokens_per_forward:.2f} now; replies unchanged {entry.unchanged:.1%}"
        )

    def entry(self, said: dict[str, Any]) -> Measured:
        return Measured(**said)

    def export(self) -> None:
        """Write the model, and how it came to be, where it is to go."""
        if self.options.export is not None:
            self.write_curve(self.options.export)
            self.trainee.export(self.options.export)

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
    return ConsistencyTraining(trainee, questions, options, report).train(REPORT_STEPS).curve[-1]


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
    says = {
        "replies": "to learn from",
        "reply_tokens": "the most of a reply",
        "block": "tokens that are corrected together",
        "batch": "blocks of a step",
        "rank": "of the adapters",
        "rate": "of learning",
        "epoch_steps": "between two measurements",
        "held_out": "questions that are measured",
        "seed": "of all that is drawn",
    }
    add_run_arguments(parser, ConsistencyOptions, "of training, once replies are collected", says)
    parser.add_argument("--layers", type=int, metavar="N", help="how many of the last get adapters (default: all)")


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    options = read_options(ConsistencyOptions, args)
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
