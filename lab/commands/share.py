"""`earshot bench share`: how soon others read what is said, and what they cost."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from engine.errors import OptionError
from lab.commands.builder import Bench, Outcome, check_least, figures_table

MOST_READERS = 100


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--readers", type=int, default=20, metavar="N", help="connections (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=int, default=60, metavar="N", help="of captions at their own pace (default: %(default)s)"
    )
    parser.add_argument("--quick", action="store_true", help="six minutes in place of the hour")


def _measure(options: argparse.Namespace) -> Outcome:
    from lab.bench.share.measure import measure

    check_least(options, "readers", "seconds")
    if options.readers > MOST_READERS:
        raise OptionError(f"--readers must be at most {MOST_READERS}, not {options.readers}.")
    figures = asdict(measure(options.readers, options.seconds, hour=0.1 if options.quick else 1.0))
    return Outcome({"figures": figures}, (figures_table(figures),))


BENCH = Bench(
    "share",
    "the page for others to read: how soon it is read, and what its readers cost",
    "Show captions and their translation to readers in another process, at the pace of speech; then show an hour of "
    "captions as fast as it goes.",
    _add_options,
    _measure,
)
