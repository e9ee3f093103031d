"""Trains the network that drafts a Whisper's text from its encoder, from a packed folder, in bfloat16.

Clips lie on the device as log-mel; each time one is drawn it is made faster or slower and noisy, and the frozen encoder
hears it again. It needs torch and numpy, nothing else: `python -m lab.recipes.packed.hearing --data PACK --out RUN
--minutes 12 --resume --device cuda`. `earshot train pack-hearing` makes the folder.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.hear.whisper.encoder_draft import STRIDE, DraftShape
from engine.metrics import align
from lab.recipes.draft.network import Network
from lab.recipes.packed.folder import read_about, read_arrays, save_safetensors
from lab.recipes.packed.sounds import changed, decoded, stacked
from lab.recipes.speech.torch_layers import Encoder
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.run import Run, RunOptions, add_run_arguments, rate_at

DRAFT_FILE = "draft.safetensors"
ENCODER = "encoder."
HIDDEN_SPANS, LONGEST_SPAN = 4, 24  # of features, in one example
SORTED_BATCHES = 20  # that are sorted by length together
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


class PackedHearing(Run):
    """A run: clips on the device, the frozen encoder, the network, and how much it writes wrong."""

    report_steps = 50
    slowest_average = 0.998

    def __init__(self, options: PackedHearingOptions) -> None:
        super().__init__(options)
        self.options, self.about, arrays = options, read_about(options.data), read_arrays(options.data)
        bounds = np.cumsum(arrays["frames"])[:-1]
        self.clips = [
            torch.from_numpy(decoded(part, float(loudest))).to(options.device)
            for part, loudest in zip(np.split(arrays["mel"], bounds), arrays["loudest"], strict=True)
        ]
        self.pieces = [
            torch.from_numpy(part.astype(np.int64))
            for part in np.split(arrays["pieces"], np.cumsum(arrays["counts"])[:-1])
        ]
        apart = arrays["held_out"].astype(bool)
        self.known, self.held_out = np.flatnonzero(~apart), np.flatnonzero(apart)
        self.encoder = self._encoder(arrays).to(options.device)
        count = len(json.loads(self.about["pieces"]))
        self.shape = DraftShape(self.encoder.conv2.out_channels, options.states, options.layers, pieces=count)
        self.network = Network(self.shape, options.dropout).to(options.device)
        learning = dict(self.network.named_parameters())
        optimiser = torch.optim.AdamW(learning.values(), lr=options.peak_rate, betas=(0.9, 0.98), weight_decay=0.02)
        self.follow(learning, optimiser)
        self._pool: list[Any] = []
        self.began, self.heard, self.wrote = time.monotonic(), 0.0, 0

    def _encoder(self, arrays: dict[str, Any]) -> Encoder:
        """Build the frozen encoder of what was packed."""
        weights = {
            name.removeprefix(ENCODER): torch.from_numpy(array.astype(np.float32))
            for name, array in arrays.items()
            if name.startswith(ENCODER)
        }
        dims: Any = SimpleNamespace(**json.loads(self.about["dims"]))
        encoder = Encoder(dims, weights.pop("positions"))
        encoder.load_state_dict(weights)
        return encoder.eval().requires_grad_(False)

    def next(self) -> list[int]:
        """Return the clips of the next step, which are of about one length."""
        if not self._pool:
            chance, size = np.random.default_rng([self.options.seed, self.step]), self.options.batch
            drawn = chance.choice(self.known, min(SORTED_BATCHES * size, len(self.known)), replace=False)
            ranked = sorted(drawn.tolist(), key=lambda clip: len(self.clips[clip]))
            batches = [ranked[first : first + size] for first in range(0, len(ranked), size)]
            self._pool = [batches[place] for place in chance.permutation(len(batches))]
        return list(self._pool.pop())

    @torch.no_grad()
    def features(self, mels: list[Tensor]) -> tuple[Tensor, Tensor]:
        """Return features (b, t, d) of log-mel, padded to whole strides, and the strides (b,) of each."""
        mel, frames = stacked(mels)
        counts = -(-frames // 2)
        mask = (torch.arange(-(-mel.shape[1] // 2), device=mel.device) < counts[:, None])[:, None, None]
        with torch.autocast(mel.device.type, torch.bfloat16, enabled=self.options.in_bfloat16):
            features = self.encoder(mel, mask).float() * mask[:, 0, 0, :, None]
        return torch.nn.functional.pad(features, (0, 0, 0, -features.shape[1] % STRIDE)), -(-counts // STRIDE)

    def train_step(self) -> float:
        """Learn from clips that are changed and partly hidden; return the loss of their pieces."""
        options, clips = self.options, self.next()
        chance = torch.Generator().manual_seed(options.seed * 1_000_003 + self.step)
        mels = [changed(self.clips[clip], 2 * _fewest(self.pieces[clip]), chance) for clip in clips]
        features, strides = self.features(mels)
        for row in features:
            for place, length in torch.randint(1 << 30, (HIDDEN_SPANS, 2), generator=chance).tolist():
                first = place % len(row)
                row[first : first + length % LONGEST_SPAN] = 0.0
        targets = [self.pieces[clip] for clip in clips]
        loss = self.network.train().loss(features, strides, targets, options.in_bfloat16)
        self.network.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(options, self.step, self.share))
        self.heard += sum(map(len, mels)) / 100
        self.wrote += sum(map(len, targets))
        return float(loss.detach())

    @torch.inference_mode()
    def evaluate(self) -> None:
        """Measure the averaged network on held-out speakers, and write it."""
        network = copy.deepcopy(self.network).eval()
        network.load_state_dict(self.average)
        wrong = pieces = 0
        for first in range(0, len(self.held_out), self.options.batch):
            some = self.held_out[first : first + self.options.batch].tolist()
            features, strides = self.features([self.clips[clip] for clip in some])
            best = network(features, strides)[0].argmax(-1).cpu()
            for clip, row, count in zip(some, best, strides.tolist(), strict=True):
                said, wanted = _collapsed(row[:count], self.shape.pieces), self.pieces[clip].tolist()
                wrong += sum(a is None or b is None or wanted[a] != said[b] for a, b in align(wanted, said))
                pieces += len(wanted)
        self.curve.append({"step": self.step, "minutes": round(self.minutes, 2), "wrong": round(wrong / pieces, 4)})
        self.report(f"held out: {wrong / pieces:.2%} of {pieces} pieces wrong at step {self.step}")
        about = {name: self.about[name] for name in ("fingerprint", "model", "pieces")}
        about["shape"] = json.dumps(asdict(self.shape))
        arrays = {name: array.astype(np.float16) for name, array in network.arrays().items()}
        path = self.options.export or self.options.out / DRAFT_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        save_safetensors(arrays, path, about)

    def summary(self) -> str:
        """Return what was learnt, and what a second run would do."""
        wrong, seconds = [each["wrong"] for each in self.curve], time.monotonic() - self.began
        return (
            f"Learnt: {wrong[0]:.1%} to {wrong[-1]:.1%} of the pieces of held-out speakers wrong in {self.step} steps, "
            f"{self.heard / seconds:,.0f} s of speech and {self.wrote / seconds:,.0f} pieces a second. "
            f"A second run, --minutes {2 * self.options.minutes:g} --resume, goes on from {self.options.out}."
        )


def _fewest(pieces: Tensor) -> int:
    """Return how many features pieces need at least: a stride for each, and one between two that are alike."""
    return STRIDE * (len(pieces) + int((pieces[1:] == pieces[:-1]).sum()) + 2)


def _collapsed(path: Tensor, nothing: int) -> list[int]:
    """Return the pieces of a path: one of those in a row, and nothing left out."""
    return [piece for piece in torch.unique_consecutive(path).tolist() if piece != nothing]


def train(options: PackedHearingOptions) -> None:
    """Train until the time is up, measuring, saving and writing on the way."""
    training = PackedHearing(options)
    seconds = sum(map(len, training.clips)) / 100
    training.report(f"{len(training.known)} clips, {len(training.held_out)} held out, {seconds:,.0f} s of speech")
    if not training.curve:
        training.evaluate()
    training.train()
    training.report(training.summary())


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
