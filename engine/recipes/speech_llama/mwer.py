"""Trains a Speech-LLaMA to make fewer word errors in what its search finds (minimum word error rate); resumable.

Source: "Faster Speech-LLaMA Inference with Multi-token Prediction" (arXiv:2409.08148, equations 6, 11 and 12). The
model's own search, with the heads that look ahead, gives the N best hypotheses of an utterance; those with fewer word
errors than the others become likelier, the others less likely. A little of the cross-entropy of what was said keeps
it a language model. The ear stays as it is. The paper gives neither the weight of the cross-entropy nor the optimizer;
the weight here is that of arXiv:1712.01818, where the loss comes from.

It wants a trained model, and speech on which that model still errs: the paper found it of use on recordings in
several languages, and none on LibriSpeech.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_map

from engine.errors import EngineError, OptionError
from engine.hear.speech_llama.load import load_speech_llama
from engine.hear.whisper.mel import MAX_SECONDS
from engine.metrics import WordErrors, word_errors
from engine.options import MOST_TOKENS_AHEAD
from engine.recipes.speech.speech_source import Heard, Speech, find_speech
from engine.recipes.speech_llama.mwer_loss import Hypothesis
from engine.recipes.speech_llama.mwer_trainee import Trainee
from engine.recipes.training.mlx_training import (
    MlxTraining,
    Progress,
    Report,
    add_run_arguments,
    check_positive,
    check_run,
    make_adam,
    read_options,
)

WARMUP_STEPS = 20
REPORT_STEPS = 5


class MwerError(EngineError):
    """Speech that nothing can be learnt from."""


@dataclass(frozen=True, slots=True)
class MwerOptions:
    """How the model searches, how long it is trained, and where it goes.

    Attributes:
        export: where the best model goes; None: `model` in `out`.
        steps: progress by steps instead of minutes, so that a run can be repeated exactly.
        rate: of learning.
        beam: how many hypotheses are compared.
        tokens_ahead, threshold: of the search; see DecodeOptions.
        utterances: of a step; they differ in length, so each is measured alone.
        cross_entropy: what it counts beside the expected word errors.
        head_weight: what the heads after the first count in it (alpha of equation 11).
        epoch_steps: between two measurements on held-out speech, each of which is a checkpoint.
    """

    out: Path
    export: Path | None = None
    resume: bool = False
    minutes: float = 30.0
    steps: int | None = None
    rate: float = 5e-5
    beam: int = 4
    tokens_ahead: int = 4
    threshold: float = 0.8
    utterances: int = 8
    cross_entropy: float = 0.01
    head_weight: float = 0.2
    epoch_steps: int = 25
    seed: int = 1

    def __post_init__(self) -> None:
        check_run(self)
        if not (self.rate > 0 and math.isfinite(self.rate)):
            raise OptionError(f"rate must be positive, not {self.rate!r}.")
        if self.beam < 2:
            raise OptionError(
                f"beam must be at least 2, not {self.beam!r}: of one hypothesis there is nothing to learn."
            )
        if not 2 <= self.tokens_ahead <= MOST_TOKENS_AHEAD:
            raise OptionError(f"tokens_ahead must be between 2 and {MOST_TOKENS_AHEAD}, not {self.tokens_ahead!r}.")
        if not 0 < self.threshold <= 1:
            raise OptionError(f"threshold must be above 0 and at most 1, not {self.threshold!r}.")
        check_positive(self, "utterances", "epoch_steps")
        for name in ("cross_entropy", "head_weight"):
            if not getattr(self, name) >= 0:
                raise OptionError(f"{name} must not be negative, not {getattr(self, name)!r}.")


@dataclass(frozen=True, slots=True)
class Measured:
    """How the model hears held-out speech at a step.

    Attributes:
        loss: the mean of the expected word errors learnt from since the last measurement.
        expected: word errors expected of all hypotheses, over the words said.
        wer: of the best hypotheses.
    """

    step: int
    minutes: float
    loss: float | None
    expected: float
    wer: float


def improved(curve: Sequence[Measured]) -> bool:
    """Whether the last measurement is the best of all, and not the first, which is of the model as it came."""
    *before, last = curve
    return bool(before) and last.expected < min(entry.expected for entry in before)


def helped(curve: Sequence[Measured]) -> bool:
    """Whether any measurement was better than the first."""
    return min(entry.expected for entry in curve) < curve[0].expected


class MwerTraining(MlxTraining[Measured]):
    """A run: what a checkpoint holds, and the speech that it learns from and is measured on."""

    losses_said = "expected word errors {:.3f}"

    def __init__(self, trainee: Trainee, speech: Speech, options: MwerOptions, report: Report = print) -> None:
        """Begin, or go on from the checkpoint in the run's folder. MwerError where no held-out speech fits."""
        self.trainee = trainee
        self.options = options
        self._speech = speech
        self.held_out = [spoken for spoken in speech.held_out() if trainee.fits(spoken)]
        if not self.held_out:
            raise MwerError("No held-out speech fits the model: utterances of up to 30 s with words are needed.")
        super().__init__(options, trainee.writer, make_adam(options.rate), report)
        self._weights = [1.0] + (trainee.writer.ahead - 1) * [options.head_weight]
        self._gradients = nn.value_and_grad(trainee.writer, self._weighed)

    @property
    def about(self) -> str:
        return f"mwer {self.trainee.loaded.fingerprint}"

    def step(self) -> tuple[float, ...]:
        """Learn from a few utterances: the word errors that were expected of them, a mean."""
        options = self.options
        total: Any = None
        errors = 0.0
        for spoken in self._draw(self.random()):
            frames = self.trainee.frames(spoken)
            hypotheses = [one for one, _ in self.trainee.hypotheses(spoken, frames, options)]
            (_, expected), gradients = self._gradients(frames, self.trainee.reference(spoken), hypotheses)
            total = gradients if total is None else tree_map(mx.add, total, gradients)
            mx.eval(total, expected)
            errors += float(expected) / options.utterances
        mean = tree_map(lambda gradient: gradient / options.utterances, total)
        return self.follow(mean, options.rate * min(1.0, (self.progress.step + 1) / WARMUP_STEPS), errors)

    def measured(self, step: int, minutes: float, losses: Sequence[float | None]) -> Measured:
        """Measure how held-out speech is heard."""
        expected, best = 0.0, WordErrors()
        for spoken in self.held_out:
            found = self.trainee.hypotheses(spoken, self.trainee.frames(spoken), self.options)
            shares = np.exp(np.array([logprob for _, logprob in found]) - max(logprob for _, logprob in found))
            expected += float(shares @ [one.errors for one, _ in found] / shares.sum())
            best += word_errors(spoken.text, self.trainee.tokenizer.decode(found[0][0].tokens), spoken.language)
        (loss,) = losses or (None,)
        return Measured(step, minutes, loss, round(expected / max(1, best.reference_words), 5), round(best.rate, 5))

    def describe(self, entry: Measured) -> str:
        before = self.progress.curve[0]
        return (
            f"held out at step {entry.step}: expected word errors {before.expected:.2%} before, {entry.expected:.2%} "
            f"now; of the best hypotheses {before.wer:.2%} before, {entry.wer:.2%} now"
        )

    def entry(self, said: dict[str, Any]) -> Measured:
        return Measured(**said)

    def export(self) -> None:
        """Write the model where it is the best yet."""
        if improved(self.progress.curve):
            self.trainee.export(exported_to(self.options))

    def _weighed(
        self, frames: mx.array, reference: Sequence[int], hypotheses: Sequence[Hypothesis]
    ) -> tuple[mx.array, mx.array]:
        expected, written = self.trainee.writer.losses(frames, reference, hypotheses, self._weights)
        return expected + self.options.cross_entropy * written, expected

    def _draw(self, random: Random) -> list[Heard]:
        drawn: list[Heard] = []
        for _ in range(100 * self.options.utterances):
            spoken = self._speech.draw(random)
            if self.trainee.fits(spoken):
                drawn.append(spoken)
            if len(drawn) == self.options.utterances:
                return drawn
        raise MwerError("Hardly any utterance fits the model: they must have words and last up to 30 s.")


def exported_to(options: MwerOptions) -> Path:
    """The folder of the trained model."""
    return options.export or options.out / "model"


def train(trainee: Trainee, speech: Speech, options: MwerOptions, report: Report = print) -> Progress[Measured]:
    """Train to the end, measuring and exporting on the way."""
    return MwerTraining(trainee, speech, options, report).train(REPORT_STEPS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--model", required=True, metavar="NAME|FOLDER", help="the model that learns")
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="MANIFEST",
        help="JSON lines of recordings: file, seconds, text; maybe lang, speaker",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="checkpoint, curve.json, and the model")
    parser.add_argument("--export", type=Path, metavar="DIR", help="where the model goes instead (default: OUT/model)")
    says = {
        "rate": "of learning",
        "beam": "hypotheses that are compared",
        "tokens_ahead": "tokens that the search predicts at once",
        "threshold": "how sure the heads must be in the search",
        "utterances": "of a step",
        "cross_entropy": "what it counts beside the expected word errors",
        "epoch_steps": "between two measurements",
        "seed": "of all that is drawn",
    }
    add_run_arguments(parser, MwerOptions, "of the whole run", says)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    options = read_options(MwerOptions, args)
    trainee = Trainee(load_speech_llama(args.model))
    made = exported_to(options)
    if made.resolve() == trainee.loaded.folder.resolve():
        raise OptionError(f"export must be another folder than the model's own, {made}.")
    speech = find_speech(args.data, trainee.loaded.languages, trainee.loaded.fingerprint, MAX_SECONDS)
    progress = train(trainee, speech, options, lambda line: print(line, flush=True))
    print(f"Wrote {made}." if helped(progress.curve) else "The model was best as it came: nothing was exported.")
