"""Trains a network that drafts a model's text from its encoder alone, for the decoder to verify; the model stays as it
is, and what it is drafted by is what it writes itself (`earshot train transcripts`).

Features are made once: of each recording as the model hears it, with the padding that suits it, and changed, without
any, as a Speech-LLaMA on the same encoder hears it.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import mlx.core as mx
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.audio import Samples
from engine.errors import OptionError
from engine.hear.decode.resync import DraftRemainder, TokenSpelling, spelling_of
from engine.hear.decode.tokenizer import Tokenizer
from engine.hear.whisper.encoder_draft import (
    STRIDE,
    DraftShape,
    EncoderDraft,
    own_drafts,
    save_draft,
    spoken,
)
from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.padding import SAMPLES_PER_FRAME, make_padding
from engine.metrics import align
from lab.recipes.draft.network import Network
from lab.recipes.speech.ear_features import Changed, EarFeatures
from lab.recipes.speech.torch_whisper import TorchWhisper
from lab.recipes.speech.transcripts import Transcript, TranscriptError, Transcripts
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.run import Run, RunOptions, add_run_arguments, rate_at

DRAFT_FILE = "draft.safetensors"
HELD_OUT_SPEAKERS = 24
MOST_HELD_OUT = 150
LONGEST_SECONDS = 20.0
HIDDEN_SPANS, LONGEST_SPAN = 4, 24  # of frames, in one example
SLOWEST, FASTEST = 0.85, 1.18  # an example's frames, anew each time
MOST_WORDS_A_SECOND = 6.0
SORTED_BATCHES = 40  # that are sorted by length together
SAYS = {
    "data": "transcripts (`train transcripts`)",
    "model": "what wrote them",
    "out": "features, checkpoint, draft network",
    "export": "where the network goes (default: in --out)",
    "states": "of a frame",
    "layers": "of the network",
    "pieces": "it writes with",
    "versions": "of each recording",
    "batch": "examples of a step",
    "workers": "threads that make features",
    "seed": "of all that is drawn",
}


@dataclass(frozen=True, slots=True)
class DraftOptions(RunOptions):
    """Options of a run: what to train, for how long, and where it goes.

    Attributes:
        data: a folder of the model's transcripts.
        states, layers: of the network.
        pieces: how many of the vocabulary's first tokens it writes with.
        versions: number of versions of each recording: one as the model hears it, the others changed.
    """

    model: str = "starter"
    states: int = 256
    layers: int = 4
    pieces: int = 400
    versions: int = 2
    dropout: float = 0.2
    batch: int = 24
    workers: int = 1
    warmup_steps: int = 400
    decay_share: float = 0.8

    def __post_init__(self) -> None:
        RunOptions.__post_init__(self)
        if min(self.states, self.layers, self.versions, self.batch, self.workers) < 1 or self.pieces < 256:
            raise OptionError("states, layers, versions, batch and workers must be at least 1, pieces at least 256.")


@dataclass(frozen=True, slots=True)
class Example:
    """Features of a recording, and what the model writes of it.

    Attributes:
        pieces: the same, as the network is to write it.
    """

    changed: Changed
    tokens: tuple[int, ...]
    pieces: tuple[int, ...]


class Spelling:
    """Text in the first tokens of a vocabulary."""

    def __init__(self, tokenizer: Tokenizer, pieces: int) -> None:
        import tiktoken

        ranks = {tokenizer.token_bytes(token): token for token in range(pieces)}
        pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+"
        self._encoding = tiktoken.Encoding("pieces", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})

    def __call__(self, text: str) -> tuple[int, ...]:
        """Spell a text."""
        return tuple(self._encoding.encode_ordinary(text))


def usable(transcripts: Sequence[Transcript]) -> list[Transcript]:
    """Return the transcripts that can be learnt: neither empty nor long, and no faster than people speak."""
    short = (one for one in transcripts if len(one.tokens) and one.clip.seconds <= LONGEST_SECONDS)
    return [one for one in short if len(one.words) <= MOST_WORDS_A_SECOND * one.clip.seconds + 2]


def held_out_speakers(transcripts: Sequence[Transcript]) -> set[str]:
    """Return the speakers to measure with. TranscriptError where there is one speaker or none."""
    speakers = sorted({one.clip.speaker for one in transcripts}, key=_digest)
    if len(speakers) < 2:
        raise TranscriptError("Transcripts of two speakers are needed at least, one of them to measure with.")
    return set(speakers[: min(HELD_OUT_SPEAKERS, len(speakers) // 2)])


class DraftTraining(Run):
    """A run: what a checkpoint holds, what is learnt from, and what it is measured on."""

    report_steps = 100
    slowest_average = 0.998

    def __init__(self, hearing: HearingModel, transcripts: Sequence[Transcript], options: DraftOptions) -> None:
        """Make features; begin, or go on from the checkpoint in the run's folder. TranscriptError without speech."""
        super().__init__(options)
        self.options, self.hearing = options, hearing
        self.shape = DraftShape(hearing.model.dims.n_audio_state, options.states, options.layers, pieces=options.pieces)
        self.spelling = Spelling(hearing.tokenizer, options.pieces)
        self.features = EarFeatures(options.out / "features")
        self.examples, self.held_out = self._split(transcripts)
        self.network = Network(self.shape, options.dropout).to(options.device)
        learning = dict(self.network.named_parameters())
        optimiser = torch.optim.AdamW(learning.values(), lr=options.peak_rate, betas=(0.9, 0.98), weight_decay=0.02)
        self.follow(learning, optimiser)
        self._pool: list[list[Example]] = []

    def _split(self, transcripts: Sequence[Transcript]) -> tuple[list[Example], list[Example]]:
        """Hold some speakers out; make features of all."""
        known_ones = usable(transcripts)
        apart = held_out_speakers(known_ones)
        held_out = [self._example(one, 0) for one in known_ones if one.clip.speaker in apart]
        held_out = sorted(held_out, key=lambda one: one.changed.key)[:MOST_HELD_OUT]
        versions = range(self.options.versions)
        known = [
            self._example(one, version) for version in versions for one in known_ones if one.clip.speaker not in apart
        ]
        self._make_features([*held_out, *known])
        return [one for one in known if self._fits(one)], held_out

    def _example(self, transcript: Transcript, version: int) -> Example:
        text = self.hearing.tokenizer.decode(transcript.tokens.tolist())
        return Example(Changed(transcript.clip, version), tuple(transcript.tokens.tolist()), self.spelling(text))

    def _fits(self, example: Example) -> bool:
        """Return whether there are strides enough for the pieces: one for each, and one between two that are alike."""
        pieces = example.pieces
        twice = sum(a == b for a, b in pairwise(pieces))
        return len(self.features.read(example.changed)) // STRIDE > len(pieces) + twice

    def _make_features(self, examples: Sequence[Example]) -> None:
        """Make the features that are missing: with the model's padding where a recording is as it is."""
        model, padding = self.hearing.model, make_padding(self.hearing)

        def padded(samples: Samples) -> NDArray[np.float32]:
            return np.array(padding.encode(model, samples).astype(mx.float32))[0, : len(samples) // SAMPLES_PER_FRAME]

        plain = [one.changed for one in examples if not one.changed.version]
        self.features.make(padded, plain, 1)
        self.features.make(TorchWhisper(model).eval().hear, [one.changed for one in examples], self.options.workers)

    def next(self) -> list[Example]:
        """Return the examples of the next step, which are of about one length."""
        if not self._pool:
            chance = np.random.default_rng([self.options.seed, self.step])
            size = self.options.batch
            drawn = chance.choice(len(self.examples), min(SORTED_BATCHES * size, len(self.examples)), replace=False)
            ranked = sorted(drawn.tolist(), key=lambda index: self.examples[index].changed.clip.seconds)
            batches = [ranked[first : first + size] for first in range(0, len(ranked), size)]
            self._pool = [
                [self.examples[index] for index in batches[place]] for place in chance.permutation(len(batches))
            ]
        return self._pool.pop()

    def train_step(self) -> float:
        """Learn from the examples of a step; return the mean loss of their pieces."""
        options, examples = self.options, self.next()
        features, strides = self._stacked(examples, varied=True)
        targets = [torch.tensor(one.pieces) for one in examples]
        loss = self.network.train().loss(features, strides, targets, options.in_bfloat16)
        self.network.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(options, self.step, self.share))
        return float(loss.detach())

    def _stacked(self, examples: Sequence[Example], *, varied: bool) -> tuple[Tensor, Tensor]:
        """Return features (b, t, d), padded to whole strides, and the strides (b,) of each; some faster, slower or
        hidden."""
        chance = np.random.default_rng([self.options.seed, self.step])
        found = [np.array(self.features.read(one.changed), np.float32) for one in examples]
        if varied:
            found = [
                self._varied(one, len(example.pieces), chance) for one, example in zip(found, examples, strict=True)
            ]
        strides = [-(-len(one) // STRIDE) for one in found]
        stacked = np.zeros((len(found), STRIDE * max(strides), self.shape.features), np.float32)
        for row, one in enumerate(found):
            stacked[row, : len(one)] = one
        device = self.options.device
        return torch.from_numpy(stacked).to(device), torch.tensor(strides, device=device)

    def _varied(self, features: NDArray[np.float32], pieces: int, chance: np.random.Generator) -> NDArray[np.float32]:
        """Return features (t, d) spoken faster or slower, with some frames hidden; not so fast that pieces have no
        room."""
        fewest = min(len(features), 3 * pieces + STRIDE)
        frames = max(fewest, round(len(features) / chance.uniform(SLOWEST, FASTEST)))
        places = np.linspace(0, len(features) - 1, frames)
        below = places.astype(int)
        share = (places - below)[:, None].astype(np.float32)
        moved: NDArray[np.float32] = features[below] * (1 - share)
        moved += features[np.minimum(below + 1, len(features) - 1)] * share
        for _ in range(HIDDEN_SPANS):
            first = int(chance.integers(frames))
            moved[first : first + int(chance.integers(LONGEST_SPAN))] = 0.0
        return moved

    @torch.inference_mode()
    def evaluate(self) -> None:
        """Measure the averaged network on held-out speakers, and write it."""
        network, tokenizer = copy.deepcopy(self.network).eval(), self.hearing.tokenizer
        network.load_state_dict(self.average)
        spelling = [tokenizer.token_bytes(piece) for piece in range(self.options.pieces)]
        draft = EncoderDraft(self.shape, spelling, network.arrays())
        wrong = pieces = calls = tokens = 0
        for first in range(0, len(self.held_out), self.options.batch):
            some = self.held_out[first : first + self.options.batch]
            features, strides = self._stacked(some, varied=False)
            best = network(features, strides)[0].argmax(-1).cpu().numpy()
            for one, row, count in zip(some, best, strides.tolist(), strict=True):
                path = row[:count]
                said = path[spoken(path, self.options.pieces)].tolist()
                wrong += sum(a is None or b is None or one.pieces[a] != said[b] for a, b in align(one.pieces, said))
                pieces += len(one.pieces)
                drafted = tokenizer.encode("".join(word.text for word in draft.spelled(path)))
                calls += calls_with(drafted, (*one.tokens, tokenizer.eot), spelling_of(tokenizer))
                tokens += len(one.tokens) + 1
        found = {"step": self.step, "minutes": round(self.minutes, 1), "pieces_wrong": round(wrong / pieces, 4),
                 "fewer_calls": round(tokens / calls, 3)}  # fmt: skip
        self.curve.append(found)
        self.report(f"held out: {found}")
        save_draft(draft, exported_to(self.options), self.hearing.fingerprint, self.hearing.name)


def exported_to(options: DraftOptions) -> Path:
    """Return the path of the trained network."""
    return options.export or options.out / DRAFT_FILE


def calls_with(draft: Sequence[int], tokens: Sequence[int], spelling: TokenSpelling) -> int:
    """Count the decoder's calls for tokens, the end last, where a draft is verified and offered again after that.

    The decoder's corrections of the draft would need its forwards, and save more calls.
    """
    held = 0
    while held < min(len(draft), len(tokens) - 1) and draft[held] == tokens[held]:
        held += 1
    calls, rest = 1, DraftRemainder(draft[held:], (), spelling, held)
    written = [*tokens[: held + 1]]  # the first forward also says what follows what it verified
    while len(written) < len(tokens):
        guess = rest.guess(written, len(tokens) - len(written))
        kept = 0
        while kept < len(guess) and guess[kept] == tokens[len(written) + kept]:
            kept += 1
        rest.judge(kept, ())
        written = [*tokens[: len(written) + kept + 1]]
        calls += 1
    return calls


def train(hearing: HearingModel, transcripts: Sequence[Transcript], options: DraftOptions) -> None:
    """Train until the time is up, measuring and saving on the way."""
    training = DraftTraining(hearing, transcripts, options)
    numbers = sum(each.numel() for each in training.network.parameters())
    training.report(f"{len(training.examples)} examples, {numbers:,} numbers")
    training.train()


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, DraftOptions, SAYS)
    add_run_arguments(parser, DraftOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    options = read_options(DraftOptions, args)
    hearing = load_hearing_model(options.model)
    train(hearing, Transcripts(options.data, hearing.fingerprint).read(), options)
    own = own_drafts() / f"{hearing.fingerprint}.safetensors"
    print(f"Wrote {exported_to(options)}. As {own} it is used by itself.")
