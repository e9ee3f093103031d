"""Trains a hush word for a Whisper model: half a second of sound that tells it that speech has ended (WhisperFlow).

The model stays as it is. Audio of many lengths is followed by the word and by nothing else, and the word's samples
follow the gradient of the transcript's cross-entropy, through the encoder and the log-mel. The paper gives neither
learning rate nor start nor limits; ours are those of the options below.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from numpy.typing import NDArray

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import EngineError, OptionError
from engine.hear.hush import HUSH_SAMPLES, LOUDEST, HushWord, own_hush_words, save_hush_word
from engine.hear.mel import log_mel
from engine.hear.padding import SAMPLES_PER_FRAME, make_padding
from engine.models.load import HearingModel, load_hearing_model
from engine.recipes.hush_checkpoint import Progress, load_progress, save_progress
from engine.recipes.padding_errors import errors_after

Report = Callable[[str], None]
HUSH_FILE = "hush_word.safetensors"
INITIAL_LEVEL = 0.003  # a start at 0.01 is heard as noise: its held-out loss began higher and stayed higher
BETAS, EPSILON = (0.9, 0.999), 1e-8
HELD_OUT_SHARE = 10  # one recording in so many is never trained on
MOST_HELD_OUT = 24
MARGIN_SECONDS = 0.05  # of the pauses around a crop, at most


class HushWordError(EngineError):
    """Data that no hush word can be trained on."""


@dataclass(frozen=True, slots=True)
class HushWordOptions:
    """What to train on, for how long, and where it goes.

    Attributes:
        steps: progress by steps instead of minutes, so that a run can be repeated exactly.
        accumulation: examples of one step; they differ in length, so each is measured alone.
        epoch_steps: between two measurements on held-out recordings, each of which is a checkpoint.
        best: how many of the best measured words are averaged.
        shortest_seconds, longest_seconds: of the crops.
        timestamps: share of the examples with timestamp tokens instead of <|notimestamps|>.
    """

    out: Path
    resume: bool = False
    minutes: float = 30.0
    steps: int | None = None
    accumulation: int = 8
    epoch_steps: int = 20
    best: int = 3
    peak_rate: float = 1e-3
    last_rate: float = 1e-4
    shortest_seconds: float = 1.0
    longest_seconds: float = 25.0
    timestamps: float = 0.5
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.minutes > 0 or (self.steps is not None and self.steps < 1):
            raise OptionError(f"minutes and steps must be positive, not {self.minutes!r} and {self.steps!r}.")
        for name in ("accumulation", "epoch_steps", "best"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1, not {getattr(self, name)!r}.")
        if not 0 <= self.timestamps <= 1:
            raise OptionError(f"timestamps must be between 0 and 1, not {self.timestamps!r}.")
        if not 0 < self.shortest_seconds <= self.longest_seconds:
            raise OptionError("shortest_seconds must be positive and no more than longest_seconds.")


@dataclass(frozen=True, slots=True)
class Recording:
    """Something said, and when each word of text.split() is said where that is known, in seconds."""

    text: str
    language: str = "en"
    words: tuple[tuple[float, float], ...] = ()
    file: Path | None = None
    samples: Samples | None = None

    def listen(self) -> Samples:
        """Its samples (n,) at 16 kHz."""
        if self.samples is not None:
            return self.samples
        from engine.audio.source import read_audio

        assert self.file is not None
        return read_audio(self.file)


@dataclass(frozen=True, slots=True)
class Example:
    """Samples (n,), what is said in them, the tokens that open a transcript, and those that should follow."""

    samples: Samples
    text: str
    language: str
    opening: tuple[int, ...]
    transcript: tuple[int, ...]


def read_recordings(manifest: Path, languages: Sequence[str]) -> list[Recording]:
    """Read a manifest: JSON lines with file and text, and maybe lang and words ([start, end] of each, in seconds).

    HushWordError where it cannot be read or names nothing in these languages.
    """
    try:
        lines = manifest.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise HushWordError(f"Cannot read the manifest {manifest}: {reason}.") from error
    recordings = [_recording(manifest, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    known = [recording for recording in recordings if recording.language in languages]
    if not known:
        raise HushWordError(f"The manifest {manifest} names no recording in {', '.join(languages)}.")
    return known


def _recording(manifest: Path, number: int, line: str) -> Recording:
    try:
        record = json.loads(line)
        text = str(record["text"])
        words = tuple((float(start), float(end)) for start, end in record.get("words", ()))
        if words and len(words) != len(text.split()):
            raise ValueError(f"{len(words)} times for {len(text.split())} words")
        # Capitals alone, as LibriSpeech has them, are nothing that a model would write.
        text = text.lower() if text.isupper() else text
        return Recording(text, str(record.get("lang", "en")), words, manifest.parent / str(record["file"]))
    except (ValueError, KeyError, TypeError) as error:
        raise HushWordError(f"Line {number} of {manifest} must be a JSON object with a file and a text.") from error


def make_example(
    hearing: HearingModel, recording: Recording, options: HushWordOptions, generator: random.Random
) -> Example | None:
    """Cut an example out of a recording, or take it whole where its words have no times; None if it does not fit."""
    samples, text = crop(recording, options, generator)
    room = hearing.model.dims.n_audio_ctx * SAMPLES_PER_FRAME - HUSH_SAMPLES
    if not text or len(samples) > min(room, options.longest_seconds * SAMPLE_RATE_HZ):
        return None
    tokenizer = hearing.tokenizer
    timed = generator.random() < options.timestamps
    tokens = tokenizer.encode(" " + text)
    if timed:
        end = tokenizer.timestamp_begin + len(samples) // SAMPLES_PER_FRAME
        tokens = [tokenizer.timestamp_begin, *tokens, end]
    opening = tokenizer.sot_sequence(recording.language, timed)
    if len(opening) + len(tokens) >= hearing.model.dims.n_text_ctx:
        return None
    return Example(samples, text, recording.language, opening, (*tokens, tokenizer.eot))


def crop(recording: Recording, options: HushWordOptions, generator: random.Random) -> tuple[Samples, str]:
    """A stretch of random length that begins and ends in a pause, and the words in it; all of it without times."""
    samples = recording.listen()
    if not recording.words:
        return samples, recording.text.strip()
    words, text = recording.words, recording.text.split()
    seconds = len(samples) / SAMPLE_RATE_HZ
    wanted = generator.uniform(options.shortest_seconds, min(options.longest_seconds, max(seconds, 1e-3)))
    latest = max(0.0, words[-1][1] - wanted)
    first = generator.choice([0, *(index for index, (start, _) in enumerate(words) if 0 < start <= latest)])
    inside = [index for index in range(first, len(words)) if words[index][1] - words[first][0] <= wanted]
    last = inside[-1] if inside else first
    before = words[first - 1][1] if first else 0.0
    after = words[last + 1][0] if last + 1 < len(words) else seconds
    begin = max(words[first][0] - MARGIN_SECONDS, (before + words[first][0]) / 2)
    end = min(words[last][1] + MARGIN_SECONDS, (after + words[last][1]) / 2)
    cut = samples[round(begin * SAMPLE_RATE_HZ) : math.ceil(end * SAMPLE_RATE_HZ)]
    return cut, " ".join(text[first : last + 1])


def transcript_loss(hearing: HearingModel, example: Example, tail: mx.array) -> mx.array:
    """Summed cross-entropy of a transcript's tokens, each given those before it, of audio followed by tail (n,)."""
    model = hearing.model
    window = model.dims.n_audio_ctx * SAMPLES_PER_FRAME
    samples = mx.concatenate([mx.array(example.samples), tail])[:window]
    cross = model.cross_cache(model.encode(log_mel(samples, model.dims.n_mels)))
    tokens = (*example.opening, *example.transcript)
    first = len(example.opening) - 1  # its row predicts the first token of the transcript
    logits, _ = model.decode(
        mx.array([tokens[:-1]]), cross, model.new_cache(), rows=list(range(first, len(tokens) - 1))
    )
    return nn.losses.cross_entropy(logits[0], mx.array(example.transcript)).sum()


class HushWordTraining:
    """A run: what a checkpoint holds, and the recordings it is measured on."""

    def __init__(self, hearing: HearingModel, recordings: Sequence[Recording], options: HushWordOptions) -> None:
        """Begin, or go on from the checkpoint in the run's folder. Raises HushWordError where nothing fits."""
        self.hearing = hearing
        self.options = options
        held_out, self._recordings = split(recordings)
        measured = (make_example(hearing, one, options, random.Random(one.text)) for one in held_out)
        self.held_out = [example for example in measured if example is not None][:MOST_HELD_OUT]
        if not self.held_out or not self._recordings:
            raise HushWordError(
                f"No recording fits: utterances of {options.shortest_seconds:g} to {options.longest_seconds:g} s are "
                "needed, or longer ones whose words have times; two at least, one of them to measure with."
            )
        saved = load_progress(options.out, hearing.fingerprint) if options.resume else None
        self.progress = saved or Progress.begin(_initial(options.seed))
        self._measure = mx.value_and_grad(lambda tail, example: transcript_loss(hearing, example, tail))
        self._started = time.monotonic() - 60 * self.progress.minutes

    @property
    def share(self) -> float:
        """How much of the run is done."""
        done = self.progress
        return done.step / self.options.steps if self.options.steps else done.minutes / self.options.minutes

    def step(self) -> float:
        """Learn from a few examples, one after another; the mean loss of their tokens.

        Every token counts the same: in a mean of the examples' means, the ends of long ones would hardly count.
        """
        options, progress = self.options, self.progress
        generator = random.Random(f"{options.seed} {progress.step}")  # so that a resumed run draws the same
        gradient = np.zeros(HUSH_SAMPLES, np.float32)
        total = 0.0
        word = mx.array(progress.word)
        examples = self._draw(generator)
        tokens = sum(len(example.transcript) for example in examples)
        for example in examples:
            loss, slope = self._measure(word, example)
            mx.eval(loss, slope)
            gradient += np.array(slope.astype(mx.float32)) / tokens
            total += float(loss) / tokens
        if np.isfinite(gradient).all():  # one broken example must not cost the run
            progress.follow(gradient, _rate(options, self.share), BETAS, EPSILON, LOUDEST)
        progress.step += 1
        progress.minutes = (time.monotonic() - self._started) / 60
        return total

    def _draw(self, generator: random.Random) -> list[Example]:
        examples: list[Example] = []
        for _ in range(100 * self.options.accumulation):
            example = make_example(self.hearing, generator.choice(self._recordings), self.options, generator)
            examples += [] if example is None else [example]
            if len(examples) == self.options.accumulation:
                return examples
        raise HushWordError("Hardly any recording is short enough to train on; give shorter ones, or word times.")

    def held_out_loss(self, tail: Samples) -> float:
        """Mean loss of the held-out examples' tokens, each example followed by tail (n,)."""
        total = 0.0
        for example in self.held_out:
            total += float(transcript_loss(self.hearing, example, mx.array(tail)))
        return total / sum(len(example.transcript) for example in self.held_out)

    def measure(self) -> float:
        """Measure the word as it is now, remember it if it is one of the best, and write a checkpoint."""
        loss = self.held_out_loss(self.progress.word)
        self.progress.remember(loss, self.options.best)
        self.progress.minutes = (time.monotonic() - self._started) / 60
        save_progress(self.progress, self.options.out, self.hearing.fingerprint)
        return loss

    def finished(self) -> HushWord:
        """The average of the best words, with what is measured after it and after the paddings it competes with."""
        hearing = self.hearing
        word = HushWord(self.progress.average(), hearing.fingerprint, hearing.name, {})
        clips = [(one.samples, one.text, one.language) for one in self.held_out]
        losses, errors = {}, {}
        for option in ("none", "full", "hush"):
            padding = make_padding(hearing, option, word)
            losses[option] = self.held_out_loss(padding.tail)
            errors[option] = errors_after(hearing, padding, clips).rate
        return replace(word, losses=losses, word_errors=errors)


def train(
    hearing: HearingModel, recordings: Sequence[Recording], options: HushWordOptions, report: Report = print
) -> HushWord:
    """Train a hush word to the end and write it to the run's folder."""
    training = HushWordTraining(hearing, recordings, options)
    while training.share < 1.0:
        loss = training.step()
        line = f"hush word {min(1.0, training.share):4.0%}  step {training.progress.step}  loss {loss:.4f}"
        if training.progress.step % options.epoch_steps == 0 or training.share >= 1.0:
            line += f"  held out {training.measure():.4f}"
        report(line)
    if not training.progress.best_losses:
        training.measure()
    word = training.finished()
    save_hush_word(word, options.out / HUSH_FILE)
    return word


def split(recordings: Sequence[Recording]) -> tuple[list[Recording], list[Recording]]:
    """Held-out recordings, chosen by what is said in them, and the rest."""
    ranked = sorted(recordings, key=lambda one: hashlib.sha256(one.text.encode()).digest())
    count = max(1, min(2 * MOST_HELD_OUT, len(ranked) // HELD_OUT_SHARE))
    texts = {one.text for one in ranked[:count]}
    return ranked[:count], [one for one in recordings if one.text not in texts]


def _initial(seed: int) -> NDArray[np.float32]:
    drawn = INITIAL_LEVEL * np.random.default_rng(seed).standard_normal(HUSH_SAMPLES, dtype=np.float32)
    word: NDArray[np.float32] = np.clip(drawn, -LOUDEST, LOUDEST)
    return word


def _rate(options: HushWordOptions, share: float) -> float:
    half_wave = 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
    return options.last_rate + (options.peak_rate - options.last_rate) * half_wave


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--model", default="starter", metavar="NAME|FOLDER", help="(default: %(default)s)")
    parser.add_argument("--data", type=Path, required=True, metavar="MANIFEST", help="JSON lines: file, text, lang")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="checkpoint and hush word")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument(
        "--minutes", type=float, default=30.0, metavar="M", help="of the whole run (default: %(default)g)"
    )
    parser.add_argument("--steps", type=int, metavar="N", help="length in steps instead: exactly repeatable")
    parser.add_argument(
        "--timestamps", type=float, default=0.5, metavar="S", help="share with them (default: %(default)g)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--no-install", dest="install", action="store_false", help="leave the hush word in --out alone")


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks, and put the hush word where Earshot finds it."""
    names = {field.name for field in fields(HushWordOptions)}
    options = HushWordOptions(**{name: value for name, value in vars(args).items() if name in names})
    hearing = load_hearing_model(args.model)
    word = train(hearing, read_recordings(args.data, hearing.languages), options, lambda line: print(line, flush=True))
    print("held-out loss: " + ", ".join(f"{name} {loss:.4f}" for name, loss in word.losses.items()))
    print("held-out word errors: " + ", ".join(f"{name} {rate:.1%}" for name, rate in word.word_errors.items()))
    print(f"Wrote {options.out / HUSH_FILE}.")
    if args.install:
        path = save_hush_word(word, own_hush_words() / f"{hearing.fingerprint}.safetensors")
        print(f"Wrote {path}: 'padding hush' uses it for {hearing.name} from now on.")
