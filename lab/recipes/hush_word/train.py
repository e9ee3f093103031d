"""Trains a hush word for a Whisper model: a short sound that tells it that speech has ended (WhisperFlow), and kept
keys and values that stand for the silence which would fill the rest of its window.

The model stays as it is. Audio of many lengths is followed by the word and by nothing else; the word's samples and the
kept keys and values follow the gradient of how far the model's predictions then are from those that it makes of the
same audio with its full window. So the model is its own teacher (`earshot train transcripts`), on recordings of people
that nobody needs to have written down. The paper trains the word's samples alone, on written texts, and gives neither
learning rate nor start nor limits; ours are those of the options below.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.errors import EngineError, OptionError
from engine.events import Word
from engine.hear.whisper.hush import (
    LONGEST_SECONDS,
    LOUDEST,
    SHORTEST_SECONDS,
    HushWord,
    own_hush_words,
    save_hush_word,
)
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.padding import make_padding
from lab.recipes.hush_word.student import Student
from lab.recipes.speech.cut_off import CutOff, cut_off
from lab.recipes.speech.padding_errors import errors_after, errors_when_cut
from lab.recipes.speech.transcripts import MOST_TOKENS_PER_SECOND, Transcript, Transcripts
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.run import Report, Run, RunOptions

HUSH_FILE = "hush_word.safetensors"
COMPARED = ("full", "none", "zeros:1", "silence_cache", "hush")
HELD_OUT_SHARE = 0.1  # of the speakers, who are never learnt from
MOST_HELD_OUT = 80
WARMUP_STEPS = 20
LAST_RATE_SHARE = 0.05
SAYS = {
    "data": "what the model itself says (`train transcripts`)",
    "model": "what wrote it",
    "out": "checkpoint and hush word",
    "resume": "go on from the checkpoint in --out",
    "minutes": "of the whole run",
    "steps": "length in steps instead: exactly repeatable",
    "seconds": "of the word",
    "kept": "keys and values kept in each layer; 0 for the word alone",
    "batch": "examples of a step",
    "workers": "threads",
    "seed": "of all that is drawn",
}


class HushWordError(EngineError):
    """Transcripts that no hush word can be trained on."""


@dataclass(frozen=True, slots=True)
class HushWordOptions(RunOptions):
    """Options of a run: what to train, for how long, and where it goes.

    Attributes:
        seconds: length of the word.
        kept: how many keys and values are kept around the audio in every layer; 0 trains the word alone, as published.
        batch: examples of one step; they differ in length, so each is measured alone.
        end_weight: of the end of the text in the loss: to stop is what the silence taught.
        sound_rate, kept_rate: peak learning rates of the word's samples and of keys and values.
    """

    model: str = "starter"
    seconds: float = 0.5
    kept: int = 32
    minutes: float = 30.0
    batch: int = 4
    end_weight: float = 4.0
    sound_rate: float = 1e-3
    kept_rate: float = 1e-2
    workers: int = 2
    evaluate_minutes: float = math.inf
    checkpoint_minutes: float = 1.0

    def __post_init__(self) -> None:
        RunOptions.__post_init__(self)
        if min(self.batch, self.workers, self.end_weight) < 1:
            raise OptionError("batch, workers and end_weight must be at least 1.")
        if not SHORTEST_SECONDS <= self.seconds <= LONGEST_SECONDS:
            raise OptionError(f"seconds must be between {SHORTEST_SECONDS:g} and {LONGEST_SECONDS:g}.")
        if not 0 <= self.kept <= 256:
            raise OptionError(f"kept must be between 0 and 256, not {self.kept!r}.")


def usable(transcripts: Sequence[Transcript]) -> list[Transcript]:
    """Leave out clips of which the model said nothing, or fell into a loop."""
    return [one for one in transcripts if 0 < len(one.tokens) < MOST_TOKENS_PER_SECOND * one.clip.seconds and one.words]


def split(transcripts: Sequence[Transcript]) -> tuple[list[Transcript], list[Transcript]]:
    """Hold out some speakers, chosen by their names: what they say, and the rest. HushWordError where either is empty.

    Of the speakers that would be held out, those who say more than a fifth of everything are not.
    """
    spoken: dict[str, int] = {}
    for one in transcripts:
        spoken[one.clip.speaker] = spoken.get(one.clip.speaker, 0) + 1
    ranked = sorted(spoken, key=lambda name: hashlib.sha256(name.encode()).digest())
    ranked = [name for name in ranked if spoken[name] <= len(transcripts) / 5] or ranked
    apart = set(ranked[: max(1, round(HELD_OUT_SHARE * len(ranked)))])
    held_out = [one for one in transcripts if one.clip.speaker in apart]
    rest = [one for one in transcripts if one.clip.speaker not in apart]
    if not held_out or not rest:
        raise HushWordError("Transcripts of two speakers are needed at least, one of them to measure with.")
    return random.Random(0).sample(held_out, len(held_out)), rest


class HushWordTraining(Run):
    """A run: what it learns from, and what it is measured on."""

    def __init__(
        self, hearing: HearingModel, transcripts: Sequence[Transcript], options: HushWordOptions, report: Report = print
    ) -> None:
        """Begin, or go on from the checkpoint in the run's folder. Raises HushWordError where nothing fits."""
        super().__init__(options, report)
        self.hearing, self.options = hearing, options
        self.held_out, self._rest = split(usable(transcripts))
        self.student = Student(hearing, options.seconds, options.kept, self._rest[:8]).to(options.device)
        self._check_saved()
        groups: list[dict[str, Any]] = [{"params": [self.student.tail], "share": options.sound_rate}]
        if options.kept:
            groups.append({"params": self.student.kept(), "share": options.kept_rate})
        self.follow(self.student.learnt(), torch.optim.Adam(groups, betas=(0.9, 0.99)))
        self._workers = ThreadPoolExecutor(options.workers, initializer=torch.set_num_threads, initargs=(1,))

    def train_step(self) -> float:
        """Learn from a few examples; the mean loss of their tokens.

        Every token counts the same: in a mean of the examples' means, the ends of long ones would hardly count.
        """
        options = self.options
        generator = random.Random(f"{options.seed} {self.step}")  # so that a resumed run draws the same
        drawn = [generator.choice(self._rest) for _ in range(options.batch)]
        parts = list(
            self._workers.map(self._slope, [drawn[first :: options.workers] for first in range(options.workers)])
        )
        weight = sum(part[1] for part in parts)
        for index, parameter in enumerate(self.student.learning()):
            parameter.grad = torch.stack([part[2][index] for part in parts if part[2]]).sum(0) / weight
        self.take_step(_rate_share(self.step, self.share))
        with torch.no_grad():
            self.student.tail.clamp_(-LOUDEST, LOUDEST)
        return sum(part[0] for part in parts) / weight

    def _slope(self, drawn: Sequence[Transcript]) -> tuple[float, float, tuple[Tensor, ...]]:
        """Sum the loss of some examples: it, how many tokens it counts, and its gradient."""
        if not drawn:
            return 0.0, 0.0, ()
        losses, weights = zip(*(self.student.loss(one, self.options.end_weight) for one in drawn), strict=True)
        total = torch.stack(losses).sum()
        return total.item(), sum(weights), torch.autograd.grad(total, self.student.learning())

    def evaluate(self) -> None:
        """Measure the word beside what it competes with, and write it to the run's folder."""
        self.word = self.finished()
        save_hush_word(self.word, self.options.out / HUSH_FILE)

    def kept(self) -> dict[str, Any]:
        """Return the fingerprint of the model that the word is for."""
        return {"fingerprint": self.hearing.fingerprint}

    def _check_saved(self) -> None:
        if self.saved is None:
            return
        shapes = {name: tensor.shape for name, tensor in self.student.learnt().items()}
        if self.saved["fingerprint"] != self.hearing.fingerprint:
            raise HushWordError("The checkpoint is of another model. Train without --resume, or in another folder.")
        if {name: tensor.shape for name, tensor in self.saved["learning"].items()} != shapes:
            raise HushWordError("The checkpoint is of another length. Train without --resume, or in another folder.")

    def finished(self) -> HushWord:
        """Return the word, with the table of what the model gets wrong after it and after what it competes with."""
        hearing = self.hearing
        word = HushWord(hearing.fingerprint, hearing.name, *self.student.as_arrays())
        clips = [one.clip for one in self.held_out if one.clip.text][:MOST_HELD_OUT]
        said = [(clip.listen(), clip.text, clip.language) for clip in clips]
        cut = [part for one in self.held_out[:MOST_HELD_OUT] for part in _cut_off(one)]
        errors, when_cut, work = {}, {}, {}
        for option in COMPARED:
            padding = make_padding(hearing, option, word)
            errors[option] = errors_after(hearing, padding, said).rate
            when_cut[option] = errors_when_cut(hearing, padding, cut).rate
            work[option] = sum(padding.macs(hearing.model.dims, len(samples)) for samples, _, _ in said) / 1e9
            self.report(
                f"{option:13} {errors[option]:6.1%} of the words wrong, {when_cut[option]:6.1%} if cut off, "
                f"{work[option]:8.1f} GMACs of encoding"
            )
        return replace(word, word_errors=errors, cut_errors=when_cut, gmacs=work)


def _cut_off(one: Transcript) -> Iterator[CutOff]:
    """Cut a clip off; what its model wrote of all of it is what is said."""
    words = [Word(text, start, end) for text, start, end in one.words]
    return cut_off(one.clip.listen(), words, one.clip.language, f"{one.clip.file.name} {one.clip.start}")


def train(
    hearing: HearingModel, transcripts: Sequence[Transcript], options: HushWordOptions, report: Report = print
) -> HushWord:
    """Train a hush word to the end and write it to the run's folder."""
    training = HushWordTraining(hearing, transcripts, options, report)
    training.train()
    return training.word


def _rate_share(step: int, share: float) -> float:
    """Warm up, then fall along a cosine."""
    falling = LAST_RATE_SHARE + (1 - LAST_RATE_SHARE) * 0.5 * (1 + np.cos(np.pi * min(1.0, share)))
    return float(min(1.0, (step + 1) / WARMUP_STEPS) * falling)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, HushWordOptions, SAYS)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--no-install", dest="install", action="store_false", help="leave the hush word in --out alone")


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks, and put the hush word where Earshot finds it."""
    options = read_options(HushWordOptions, args)
    hearing = load_hearing_model(options.model)
    transcripts = Transcripts(options.data, hearing.fingerprint).read()
    word = train(hearing, transcripts, options, lambda line: print(line, flush=True))
    print(f"Wrote {options.out / HUSH_FILE}.")
    if args.install:
        path = save_hush_word(word, own_hush_words() / f"{hearing.fingerprint}.safetensors")
        print(f"Wrote {path}: 'padding hush' uses it for {hearing.name} from now on.")
