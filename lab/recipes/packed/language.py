"""Trains a larger student translator from a packed folder, in bfloat16 with all rows on the device.

It needs torch and numpy, nothing else: `python -m lab.recipes.packed.language --data PACK --out RUN --minutes 12
--resume --device cuda`. `earshot train pack-language` makes the folder.
"""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from lab.recipes.packed.folder import export, read_arrays, read_config
from lab.recipes.packed.network import Network
from lab.recipes.packed.run import PackedRun
from lab.recipes.training.options import add_options, read_options
from lab.recipes.training.precision import make_optimisers
from lab.recipes.training.run import RunOptions, add_run_arguments, rate_at

SAYS = {
    "data": "folder of `train pack-language`",
    "out": "checkpoint and log",
    "export": "where the model goes (default: in --out)",
    "rows": "of a batch",
    "peak_rate": "of learning",
    "checkpoint_minutes": "between two checkpoints",
    "seed": "another one meets other batches",
}
HELD_OUT_BATCH = 64
IGNORE = -100


@dataclass(frozen=True, slots=True)
class PackedLanguageOptions(RunOptions):
    """Options of a run."""

    out: Path = Path("packed-language-run")
    minutes: float = 12.0
    rows: int = 256
    peak_rate: float = 3e-3
    warmup_steps: int = 100
    decay_share: float = 0.6
    compiled: bool = True
    evaluate_minutes: float = 3.0
    checkpoint_minutes: float = 2.0


def targets_of(rows: Tensor, roles: Tensor, assistant: int) -> Tensor:
    """Return what is to be predicted of rows (b, n + 1) behind each of their first n tokens: (b, n).

    Only what the assistant writes counts, its end included; roles are the tokens that begin what somebody says.
    """
    places = torch.arange(rows.shape[1], device=rows.device)
    begins = torch.where(torch.isin(rows, roles), places, 0).cummax(1).values
    written = (rows.gather(1, begins) == assistant) & (begins != places)
    return torch.where(written, rows, IGNORE)[:, 1:]


class PackedLanguage(PackedRun):
    """A run: rows on the device, the network, and how much it knows."""

    report_steps = 50
    slowest_average = 0.999

    def __init__(self, options: PackedLanguageOptions) -> None:
        super().__init__(options)
        self.options, arrays = options, read_arrays(options.data)
        self.rows, self.held_out = (
            torch.from_numpy(arrays[name].astype("int32")).to(options.device) for name in ("rows", "held_out")
        )
        self.roles = torch.tensor(arrays["roles"].tolist(), device=options.device)
        self.network = Network(read_config(options.data)).to(options.device)
        self.follow(
            dict(self.network.named_parameters()),
            *make_optimisers(self.network, options.peak_rate, options.in_bfloat16),
        )
        trunk: Any = self.network.model
        self._trunk = torch.compile(trunk) if options.compiled and options.device != "cpu" else trunk
        self._chance = torch.Generator(options.device)
        self._begun = self.step

    def loss(self, trunk: Any, head: Any, rows: Tensor) -> Tensor:
        """Return the cross-entropy of what the assistant writes in rows (b, n + 1)."""
        rows = rows.long()
        targets = targets_of(rows, self.roles, int(self.roles[-1]))
        wanted = targets != IGNORE
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=self.options.in_bfloat16):
            logits = head(trunk(rows[:, :-1])[wanted])
        return F.cross_entropy(logits.float(), targets[wanted])

    def train_step(self) -> float:
        """Learn from rows that the step's number draws; a loss is read from the device where it is reported."""
        options = self.options
        self._chance.manual_seed(options.seed * 1_000_003 + self.step)
        drawn = torch.randint(len(self.rows), (options.rows,), generator=self._chance, device=options.device)
        loss = self.loss(self._trunk, self.network.head, self.rows[drawn])
        self.network.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.take_step(rate_at(options, self.step, self.share))
        return float(loss.detach()) if self.step % self.report_steps == 0 else 0.0

    def averaged(self) -> Network:
        """Return the network with averaged weights."""
        network = copy.deepcopy(self.network)
        network.load_state_dict(self.average)
        return network.eval()

    @torch.no_grad()
    def measure(self) -> None:
        """Measure what is held out, and export the averaged network in half precision."""
        network, parts = self.averaged(), torch.split(self.held_out, HELD_OUT_BATCH)
        loss = sum(float(self.loss(network.model, network.head, part)) for part in parts) / len(parts)
        self.curve.append({"step": self.step, "minutes": round(self.minutes, 2), "loss": round(loss, 4)})
        self.report(f"held-out {loss:.4f} at step {self.step}")
        weights = {name: tensor.half().cpu().numpy() for name, tensor in network.state_dict().items()}
        export(self.options.data, weights, self.options.export or self.options.out / "model")

    def described(self) -> str:
        """Return the size of the network and of what it learns from."""
        parameters = sum(parameter.numel() for parameter in self.network.parameters())
        return f"{parameters:,} parameters, {self.rows[:, 1:].numel():,} tokens, {self.options.device}"

    def learnt(self) -> str:
        """Return how the held-out loss changed, and how fast tokens were read."""
        losses, row = [each["loss"] for each in self.curve], self.rows.shape[1] - 1
        read, here = (steps * self.options.rows * row for steps in (self.step, self.step - self._begun))
        return (
            f"held-out loss {losses[0]:.3f} to {losses[-1]:.3f} in {self.step} steps, {read:,} tokens "
            f"({read / (len(self.rows) * row):.1f} times all rows), {here / self.learning_seconds:,.0f} tokens a second"
        )


def train(options: PackedLanguageOptions) -> None:
    """Train until the time is up. EngineError where nothing was packed."""
    PackedLanguage(options).learn()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, PackedLanguageOptions, SAYS, {"peak_rate": "rate"})
    parser.add_argument("--no-compile", dest="compiled", action="store_false", help="begin sooner and learn slower")
    add_run_arguments(parser, PackedLanguageOptions)


def run(args: argparse.Namespace) -> None:
    """Train as the command line asks."""
    train(read_options(PackedLanguageOptions, args))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    add_arguments(asked)
    run(asked.parse_args())
