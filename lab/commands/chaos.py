"""`earshot bench chaos`: things that go wrong in random order, and whether a word is lost."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from app.terminal.screen import progress
from engine.errors import OptionError
from lab.commands.builder import Bench, Outcome
from lab.commands.soak import add_tape_options, check_tape, outcome_of


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--faults", type=int, default=100, metavar="N", help="how many (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="another one, another order (default: %(default)s)"
    )
    parser.add_argument("--only", default="", metavar="A,B", help="only these faults; a wrong name lists them")
    add_tape_options(parser)


def _measure(options: argparse.Namespace) -> Outcome:
    from app.terminal.tables import table
    from lab.commands.endurance import chaos
    from lab.commands.endurance.trial import Plan

    check_tape(options)
    names = tuple(name.strip() for name in options.only.split(",") if name.strip())
    if unknown := [name for name in names if name not in chaos.KINDS]:
        raise OptionError(f"There is no fault {unknown[0]!r}: they are {', '.join(chaos.KINDS)}.")
    if options.faults < 1:
        raise OptionError(f"--faults must be at least 1, not {options.faults}.")
    plan = Plan(
        folder="", manifest=str(options.manifest or ""), model=options.model, speed=options.speed, names=names,
        translates=options.target,
    )  # fmt: skip
    out = chaos.left_out(plan)
    for why in dict.fromkeys(out.values()):
        print(f"Left out: {', '.join(name for name in out if out[name] == why)}: {why}.", file=sys.stderr)
    if names and not set(names) - set(out):
        raise OptionError("None of these faults can be brought about here.")
    with tempfile.TemporaryDirectory() as folder, progress() as tell:
        tally = chaos.measure(options.faults, options.seed, Path(folder), plan, tell)
    counts = Counter(tally.faults)
    record = {"seed": options.seed, "kinds": counts, "left_out": out}
    return outcome_of(tally, chaos.figures(tally), record, table(("fault", "times"), sorted(counts.items())))


BENCH = Bench(
    "chaos",
    "things that go wrong in random order, and whether a word is lost",
    "Have the window caption people who speak without an end, and meanwhile kill and stop its processes, fill the "
    "disk or turn it read-only, delete the model, unplug the microphone, end the sound server, set the clock, change "
    "settings, end recordings and kill the app; every word that was shown must be in the history once, "
    "and in order.",
    _add_options,
    _measure,
)
