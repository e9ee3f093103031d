"""`earshot bench soak`: hours of captions, translation and answers in the window, and what grows meanwhile."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.commands.caption import add_model_option
from app.terminal.interruption import Interruption
from app.terminal.screen import progress
from engine.errors import FileError, OptionError
from lab.commands.builder import Bench, Outcome, figures_table

if TYPE_CHECKING:
    from app.terminal.tables import Cell
    from lab.commands.endurance.campaign import Moment, Tally

MOST_HOURS = 100.0


def add_tape_options(parser: argparse.ArgumentParser) -> None:
    """Add what is heard, how fast and with which model."""
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="play so much faster than time (default: %(default)g)"
    )
    parser.add_argument(
        "--manifest",
        type=Path,
        default=None,
        metavar="FILE",
        help="recordings to play over and over (default: the demo)",
    )
    parser.add_argument(
        "--to", dest="target", default="de", metavar="CODE", help="translate into this language (default: %(default)s)"
    )
    add_model_option(parser)


def check_tape(options: argparse.Namespace) -> None:
    """Raise OptionError or FileError where the options of `add_tape_options` cannot be."""
    if not 0.05 <= options.speed <= 50:
        raise OptionError(f"--speed must be between 0.05 and 50, not {options.speed:g}.")
    if options.manifest is not None and not options.manifest.is_file():
        raise FileError(f"There is no file {options.manifest}.")


def outcome_of(tally: Tally, figures: Mapping[str, Cell], record: Mapping[str, object], *tables: str) -> Outcome:
    """Sum up trials: what is known of them, their figures, and what went wrong with a line each."""
    wrong = {"problems": tally.problems, "slips": [str(slip) for slip in tally.slips]}
    lines = (f"{line}\n" for part in wrong.values() for line in part)
    return Outcome({**record, **wrong, "figures": figures}, (figures_table(figures), *tables, *lines))


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hours", type=float, default=8.0, metavar="N", help="of speech, or so (default: %(default)g)")
    add_tape_options(parser)


def _measure(options: argparse.Namespace) -> Outcome:
    from lab.commands.endurance import soak
    from lab.commands.endurance.trial import Plan

    check_tape(options)
    if not 0 < options.hours <= MOST_HOURS:
        raise OptionError(f"--hours must be above 0 and at most {MOST_HOURS:g}, not {options.hours:g}.")
    plan = Plan(
        folder="", manifest=str(options.manifest or ""), model=options.model, speed=options.speed, asks=True,
        seconds=3600 * options.hours / options.speed, translates=options.target,
    )  # fmt: skip
    stop = threading.Event()
    with tempfile.TemporaryDirectory() as folder, progress() as tell, Interruption(stop):
        tally = soak.measure(plan, Path(folder), tell, partial(_note, speed=options.speed), stop)
    figures = soak.figures(tally, options.speed)
    return outcome_of(tally, figures, {"model": options.model, "moments": tally.moments})


def _note(moment: Moment, speed: float) -> None:
    """Print what there is as it comes: what a run of hours has seen is known however it ends."""
    from lab.commands.endurance import soak

    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")  # what shows how far it is stands there
    print(soak.in_words(moment, speed), file=sys.stderr, flush=True)


BENCH = Bench(
    "soak",
    "hours at a stretch: what grows, and whether the last is as fast as the first",
    "Have the window caption people who speak without an end, translate them and answer a question every two minutes; "
    "every minute of speech count memory, threads, open files, the history's size and how late words are, and say so "
    "on standard error. Ctrl-C ends it early: what it has seen is printed all the same.",
    _add_options,
    _measure,
)
