"""`earshot bench load`: a meeting of hours in one transcript among thousands of sessions, and what using it takes."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from engine.errors import OptionError
from lab.commands.builder import Bench, Outcome, figures_table

QUICK_LINES, QUICK_SESSIONS = 2000, 500


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lines", type=int, default=20_000, metavar="N", help="of the meeting (default: %(default)s)")
    parser.add_argument("--sessions", type=int, default=10_000, metavar="N", help="beside it (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_LINES} lines and {QUICK_SESSIONS} sessions")


def _measure(options: argparse.Namespace) -> Outcome:
    from lab.commands.window.load import measure_load

    lines, sessions = (QUICK_LINES, QUICK_SESSIONS) if options.quick else (options.lines, options.sessions)
    if lines < 10 or sessions < 1:
        raise OptionError("--lines must be at least 10, --sessions at least 1.")
    figures = asdict(measure_load(lines, sessions))
    return Outcome({"figures": figures}, (figures_table(figures),))


BENCH = Bench(
    "load",
    "a long meeting among thousands of sessions: what each step of using it computes",
    "Fill a history with one meeting of many lines and with many sessions, open it in the window, scroll, search and "
    "export it, and have a live caption grow below as many lines; of each kind of step, print the longest that the "
    "window computed between two turns of its event loop.",
    _add_options,
    _measure,
)
