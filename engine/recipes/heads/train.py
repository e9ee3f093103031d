"""Trains heads that look ahead for a model that stays as it is: they learn to foresee what it is going to write.

The model hears speech and writes it down, greedily; its heads learn from its own transcripts, so that no labels are
needed (head-only self-distillation, as for Medusa-1, arXiv:2401.10774, and Whisper-Medusa). Transcripts and states are
made once and kept in the run's folder; training then runs the heads alone.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optimizers
import numpy as np
from mlx.utils import tree_map
from numpy.typing import NDArray

from engine.errors import OptionError
from engine.hear.speech_llama.load import SpeechLlamaModel
from engine.hear.whisper.heads import Heads, Kind, load_heads, make_heads, own_heads, save_heads
from engine.hear.whisper.load import HearingModel
from engine.options import MOST_TOKENS_AHEAD
from engine.recipes.heads.lessons import Lessons, collect
from engine.recipes.heads.loss import Batch, HeadsLoss, Kept, make_batch
from engine.recipes.heads.teacher import HeadsError, Lesson, Teacher, teacher_of
from engine.recipes.speech.speech_source import Speech, find_speech
from engine.recipes.training.mlx_training import BETAS, MlxRun
from engine.recipes.training.options import add_options, read_options
from engine.recipes.training.run import Report, check_run

HEADS_FILE = "heads.safetensors"
WARMUP_STEPS = 50
FALLING_FROM, LEAST_RATE_SHARE = 0.4, 0.02  # of the run; of the peak
SMALL_VOCABULARY = 4096  # of which no shortlist is made
SAYS = {
    "out": "transcripts, checkpoint, heads, curve",
    "export": "where the heads go (default: in --out)",
    "start": "heads to begin with, of the model as it was before",
    "kind": "of heads",
    "resume": "go on from the checkpoint in --out",
    "minutes": "of training, after the transcripts",
    "steps": "length in steps instead: exactly repeatable",
    "ahead": "tokens predicted at once, the next one included",
    "lessons": "transcripts to learn from",
    "shortlist": "tokens that the heads may say, of a large vocabulary",
    "batch": "transcripts of a step",
    "longest_seconds": "of what is heard",
    "rate": "of learning",
    "guide": "weight of learning where to listen",
    "epoch_steps": "between two measurements",
    "seed": "of all that is drawn",
}


@dataclass(frozen=True, slots=True)
class HeadsOptions:
    """Options of a run: what to train, for how long, and where it goes.

    Attributes:
        ahead: K, how many tokens are to be predicted at once, the next one included.
        lessons: transcripts to learn from.
        shortlist: how many tokens the heads may say at most, the most frequent ones of the transcripts.
        longest_seconds: of what is heard.
        steps: length in steps instead of minutes, so that a run can be repeated exactly.
        batch: transcripts of a step.
        guide: weight of the loss by which a block learns where to listen.
        epoch_steps: between two measurements on held-out speech, each of which is a checkpoint.
        start: heads to begin with: those of a model of this shape, as this one was before it learnt more.
    """

    out: Path
    export: Path | None = None
    start: Path | None = None
    resume: bool = False
    kind: Kind = "block"
    ahead: int = 4
    minutes: float = 30.0
    steps: int | None = None
    lessons: int = 20_000
    shortlist: int = 6000
    longest_seconds: float = 12.0
    batch: int = 32
    rate: float = 2e-3
    guide: float = 0.3
    epoch_steps: int = 200
    seed: int = 1

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise OptionError(f"kind must be one of {', '.join(get_args(Kind))}, not {self.kind!r}.")
        if not 2 <= self.ahead <= MOST_TOKENS_AHEAD:
            raise OptionError(f"ahead must be between 2 and {MOST_TOKENS_AHEAD}, not {self.ahead!r}.")
        check_run(self, "lessons", "shortlist", "batch", "epoch_steps")
        if not (0 < self.rate < 1 and self.guide >= 0 and 1 <= self.longest_seconds <= 28):
            raise OptionError("rate must be between 0 and 1, guide at least 0, longest_seconds between 1 and 28.")


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measurement of how well held-out transcripts are foreseen at a step.

    Attributes:
        loss: the mean of the steps since the last measurement; None before the first.
        right: for each head, the share of its tokens that are right where all before them are given.
        tokens_per_forward: of verification (top-m, M = 1), the end included: how many times fewer forwards it takes
            than decoding token by token.
    """

    step: int
    minutes: float
    loss: float | None
    right: tuple[float, ...]
    tokens_per_forward: float


class HeadsTraining(MlxRun):
    """A run: what is learnt from, and the speech it is measured on."""

    def __init__(self, teacher: Teacher, speech: Speech, options: HeadsOptions, report: Report = print) -> None:
        """Have the transcripts made, then begin, or go on from the checkpoint in the run's folder.

        Raises:
            HeadsError: the model writes nothing of the speech.
            ModelError: the folder is another run's.
        """
        self.teacher = teacher
        self.options = options
        self.lessons = self._collected(speech, report)
        self.held_out = [lesson for lesson in map(teacher.lesson, speech.held_out()) if lesson is not None]
        if not any(len(lesson.tokens) > 1 for lesson in self.held_out):
            raise HeadsError(f"The model {teacher.hearing.name} writes nothing of the held-out speech.")
        mx.random.seed(options.seed)
        self.heads = self._first_heads()
        self.heads.update(tree_map(lambda array: array.astype(mx.float32), self.heads.parameters()))
        optimizer = optimizers.AdamW(learning_rate=options.rate, betas=BETAS, bias_correction=True)
        about = f"heads {teacher.hearing.fingerprint} {self.heads.shape}"
        super().__init__(options, self.heads, optimizer, about, report)
        mx.eval(self.heads.constants())
        self._loss = HeadsLoss(self.heads, teacher, options.guide)
        self._gradient = nn.value_and_grad(self.heads, self._loss)

    def learn(self) -> str:
        """Learn from a few transcripts."""
        return f"loss {self.train_step():.4f}"

    def train_step(self) -> float:
        """Learn from a few transcripts; return the mean loss of their tokens."""
        options, random = self.options, self.random()
        chosen = [self.lessons[random.randrange(options.lessons)] for _ in range(options.batch)]
        loss, gradients = self._gradient(self._batch(chosen))
        self.take_step(gradients, options.rate * _rate_share(self.step, self.share), float(loss))
        return float(loss)

    def is_due(self, since_minutes: float) -> bool:
        """Tell whether a measurement is due: they are counted in steps."""
        return self.step % self.options.epoch_steps == 0

    def evaluate(self) -> None:
        """Measure, write a checkpoint, and export."""
        self.measure()

    def measure(self) -> Measurement:
        """Measure how held-out transcripts are foreseen; write a checkpoint and the heads."""
        kept = Kept(self.options.ahead)
        for first in range(0, len(self.held_out), self.options.batch):
            kept += self._loss.kept(self._batch(self.held_out[first : first + self.options.batch]))
        right = tuple(round(share, 4) for share in kept.right)
        per_forward = round(kept.tokens_per_forward, 4)
        entry = Measurement(self.step, round(self.minutes, 2), self.take_loss(), right, per_forward)
        self.curve.append(asdict(entry))
        self.save()
        said = {"step": str(entry.step), "tokens_per_forward": str(per_forward)}
        save_heads(self.heads, exported_to(self.options), self.teacher.hearing, **said)
        shares = ", ".join(f"{share:.1%}" for share in right)
        self.report(f"held out at step {entry.step}: heads right {shares}; tokens per forward {per_forward:.3f}")
        return entry

    def _collected(self, speech: Speech, report: Report) -> Lessons:
        options, hearing = self.options, self.teacher.hearing
        kind = "listening" if options.kind == "block" else "states"
        lessons = Lessons(
            options.out / "lessons", f"{hearing.fingerprint} {kind} {options.longest_seconds:g} {options.seed}"
        )
        collect(lessons, self.teacher, speech, options.lessons, options.seed, report)
        return lessons

    def _first_heads(self) -> Heads:
        """New heads, or those to begin with. OptionError where these are not what was asked for."""
        options, hearing = self.options, self.teacher.hearing
        if options.start is None:
            return make_heads(options.kind, options.ahead, hearing.model, draft_tokens=self._shortlist())
        before = load_heads(options.start, hearing, of_another=True)
        if (before.kind, before.ahead) != (options.kind, options.ahead):
            raise OptionError(
                f"{options.start} holds {before.kind} heads for {before.ahead} tokens: "
                f"they need --kind {before.kind} --ahead {before.ahead}."
            )
        heads = make_heads(options.kind, options.ahead, hearing.model, draft_tokens=before.draft_tokens)
        heads.update(before.parameters())
        return heads

    def _shortlist(self) -> NDArray[np.int64] | None:
        """The most frequent tokens of the transcripts, in their order; None where the vocabulary is small."""
        if self.teacher.hearing.tokenizer.n_vocab <= SMALL_VOCABULARY:
            return None
        counts: Counter[int] = Counter()
        for tokens in self.lessons.tokens():
            counts.update(tokens.tolist())
        return np.array(sorted(token for token, _ in counts.most_common(self.options.shortlist)), np.int64)

    def _batch(self, lessons: Sequence[Lesson]) -> Batch:
        return make_batch(lessons, self.options.ahead, self.heads.draft_tokens)


def exported_to(options: HeadsOptions) -> Path:
    """The file of the trained heads."""
    return options.export or options.out / HEADS_FILE


def train(teacher: Teacher, speech: Speech, options: HeadsOptions, report: Report = print) -> Heads:
    """Train to the end, measuring and writing the heads on the way."""
    training = HeadsTraining(teacher, speech, options, report)
    if not training.curve:
        training.evaluate()
    training.train()
    return training.heads


def _rate_share(step: int, share: float) -> float:
    """Warm up, stay, then fall in a line."""
    falling = min(1.0, (1.0 - share) / (1.0 - FALLING_FROM))
    return min(1.0, (step + 1) / WARMUP_STEPS) * max(LEAST_RATE_SHARE, falling)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--model", default="starter", metavar="NAME|FOLDER", help="(default: %(default)s)")
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="PATH",
        help="a folder of the model's transcripts (`train transcripts`), or a manifest of recordings",
    )
    parser.add_argument(
        "--padding", metavar="P", help="what it hears with meanwhile (default: what it hears with best)"
    )
    add_options(parser, HeadsOptions, SAYS)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    from engine.loading.ready import load_any_hearing

    options = read_options(HeadsOptions, args)
    hearing: HearingModel | SpeechLlamaModel = load_any_hearing(args.model)
    speech = find_speech(args.data, hearing.languages, hearing.fingerprint, options.longest_seconds)
    train(teacher_of(hearing, options.kind, args.padding), speech, options, lambda line: print(line, flush=True))
    own = own_heads() / f"{hearing.fingerprint}.safetensors"
    print(f"Wrote {exported_to(options)}. As {own} it is used by itself.")
