"""Trains the network that drafts a Whisper's text from its encoder, from a packed folder, in bfloat16.

Clips lie on the device as log-mel; each time one is drawn it is made faster or slower and noisy, and the frozen encoder
hears it again. It needs torch and numpy, nothing else: `python -m lab.recipes.packed.hearing --data PACK --out RUN
--minutes 12 --resume --device cuda`. `earshot train pack-hearing` makes the folder.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.hear.whisper.encoder_draft import STRIDE, DraftShape
from engine.metrics import align
from lab.recipes.draft.network import Network
from lab.recipes.packed.folder import save_safetensors
from lab.recipes.packed.people import People
from lab.recipes.packed.run import PackedRun
from lab.recipes.packed.sounds import FRAMES_PER_SECOND, changed
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.run import RunOptions, add_run_arguments, rate_at

DRAFT_FILE = "draft.safetensors"
HIDDEN_SPANS, LONGEST_SPAN = 4, 24  # of features, in one example
SAYS = {
    "data": "folder of `train pack-hearing`",
    "out": "checkpoint and log",
    "export": "where the network goes (default: in --out)",
    "states": "of a frame",
    "layers": "of the network",
    "batch": "examples of a step",
    "peak_rate": "of learning",
    "checkpoint_minutes": "between two checkpoints",
    "seed": "of all that is drawn",
}


@dataclass(frozen=True, slots=True)
class PackedHearingOptions(RunOptions):
    """Options of a run."""

    out: Path = Path("packed-hearing-run")
    minutes: float = 12.0
    states: int = 256
    layers: int = 4
    batch: int = 96
    dropout: float = 0.2
    warmup_steps: int = 200
    decay_share: float = 0.7
    evaluate_minutes: float = 3.0
    checkpoint_minutes: float = 2.0


class PackedHearing(PackedRun):
    """A run: clips on the device, the frozen encoder, the network, and how much it writes wrong."""

    report_steps = 50
    slowest_average = 0.998

    def __init__(self, options: PackedHearingOptions) -> None:
        super().__init__(options)
        self.options = options
        self.people = People(options.data, options.device, options.in_bfloat16)
        count = len(json.loads(self.people.about["pieces"]))
        self.shape = DraftShape(self.people.encoder.conv2.out_channels, options.states, options.layers, pieces=count)
        self.network = Network(self.shape, options.dropout).to(options.device)
        learning = dict(self.network.named_parameters())
        optimiser = torch.optim.AdamW(learning.values(), lr=options.peak_rate, betas=(0.9, 0.98), weight_decay=0.02)
        self.follow(learning, optimiser)
        self._pool: list[list[int]] = []
        self._heard, self._wrote = 0.0, 0

    def train_step(self) -> float:
        """Learn from clips that are changed and partly hidden; return the loss of their pieces."""
        options, people = self.options, self.people
        self._pool = self._pool or people.batches(options.seed, self.step, options.batch)
        clips = self._pool.pop()
        chance = torch.Generator().manual_seed(options.seed * 1_000_003 + self.step)
        mels = [changed(people.mels[clip], 2 * _fewest(people.pieces[clip]), chance) for clip in clips]
        features, strides = self._strided(mels)
        for row in features:
            for place, length in torch.randint(1 << 30, (HIDDEN_SPANS, 2), generator=chance).tolist():
                first = place % len(row)
                row[first : first + length % LONGEST_SPAN] = 0.0
        targets = [people.pieces[clip] for clip in clips]
        loss = self.network.train().loss(features, strides, targets, options.in_bfloat16)
        self.network.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(options, self.step, self.share))
        self._heard += sum(map(len, mels)) / FRAMES_PER_SECOND
        self._wrote += sum(map(len, targets))
        return float(loss.detach())

    def _strided(self, mels: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Return features (b, t, d) of log-mel, and how many strides each has (b,)."""
        features, counts = self.people.features(mels, STRIDE)
        return features, -(-counts // STRIDE)

    @torch.inference_mode()
    def measure(self) -> None:
        """Measure the averaged network on held-out speakers, and write it."""
        network, people = copy.deepcopy(self.network).eval(), self.people
        network.load_state_dict(self.average)
        wrong = pieces = 0
        for first in range(0, len(people.held_out), self.options.batch):
            some = people.held_out[first : first + self.options.batch].tolist()
            features, strides = self._strided([people.mels[clip] for clip in some])
            best = network(features, strides)[0].argmax(-1).cpu()
            for clip, row, count in zip(some, best, strides.tolist(), strict=True):
                said, wanted = _collapsed(row[:count], self.shape.pieces), people.pieces[clip].tolist()
                wrong += sum(a is None or b is None or wanted[a] != said[b] for a, b in align(wanted, said))
                pieces += len(wanted)
        self.curve.append({"step": self.step, "minutes": round(self.minutes, 2), "wrong": round(wrong / pieces, 4)})
        self.report(f"held out: {wrong / pieces:.2%} of {pieces} pieces wrong at step {self.step}")
        about = {name: people.about[name] for name in ("fingerprint", "model", "pieces")}
        about["shape"] = json.dumps(asdict(self.shape))
        arrays = {name: array.astype(np.float16) for name, array in network.arrays().items()}
        path = self.options.export or self.options.out / DRAFT_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        save_safetensors(arrays, path, about)

    def described(self) -> str:
        """Return how much speech there is."""
        return self.people.described()

    def learnt(self) -> str:
        """Return how many pieces are wrong, and how fast speech was heard."""
        wrong, seconds = [each["wrong"] for each in self.curve], self.learning_seconds
        return (
            f"{wrong[0]:.1%} to {wrong[-1]:.1%} of the pieces of held-out speakers wrong in {self.step} steps, "
            f"{self._heard / seconds:,.0f} s of speech and {self._wrote / seconds:,.0f} pieces a second"
        )


def _fewest(pieces: Tensor) -> int:
    """Return how many features pieces need at least: a stride for each, and one between two that are alike."""
    return STRIDE * (len(pieces) + int((pieces[1:] == pieces[:-1]).sum()) + 2)


def _collapsed(path: Tensor, nothing: int) -> list[int]:
    """Return the pieces of a path: one of those in a row, and nothing left out."""
    return [piece for piece in torch.unique_consecutive(path).tolist() if piece != nothing]


def train(options: PackedHearingOptions) -> None:
    """Train until the time is up. EngineError where nothing was packed."""
    PackedHearing(options).learn()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, PackedHearingOptions, SAYS, {"peak_rate": "rate"})
    add_run_arguments(parser, PackedHearingOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(PackedHearingOptions, args))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    add_arguments(asked)
    run(asked.parse_args())
