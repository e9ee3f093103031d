"""`earshot bench`: how well and how fast this machine hears, translates and answers, measured."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from app.terminal.commands.bench import (
    assistant,
    barge_in,
    captions,
    clip,
    conversation,
    dialogues,
    hush_word,
    multitoken,
    translation,
)
from app.terminal.commands.caption import add_model_option

NAME = "bench"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its benches."""
    parser = commands.add_parser(
        NAME,
        help="measure captions, translation, the assistant and the window",
        description="Measure what Earshot does on this machine.",
        allow_abbrev=False,
    )
    benches = parser.add_subparsers(metavar="BENCH", required=True, dest="bench", parser_class=type(parser))
    captions.add_to(benches)
    clip.add_to(benches)
    translation.add_to(benches)
    assistant.add_to(benches)
    conversation.add_to(benches)
    barge_in.add_to(benches)
    dialogues.add_to(benches)
    hush_word.add_to(benches)
    multitoken.add_to(benches)
    _add_window(benches)
    parser.set_defaults(parser=parser)


def _add_window(benches: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    window = benches.add_parser(
        "window",
        help="how soon the window is there, whether it ever stalls, and what it takes",
        description="Start the window, leave it alone for a while, play the demo in it and watch it from inside; then "
        "have it show an hour of captions as fast as it goes.",
        allow_abbrev=False,
    )
    window.add_argument(
        "--quick",
        action="store_true",
        help="seconds of the demo and minutes of the hour; the assistant's engine stays out of it",
    )
    window.add_argument("--json", action="store_true", help="print one JSON line instead of a table")
    add_model_option(window)
    window.set_defaults(run=run_window, parser=window)


def run_window(options: argparse.Namespace) -> int:
    """Measure the window and print its figures."""
    from app.terminal.commands.bench.window.figures import measure, measure_hour
    from engine.bench.tables import table

    measured = asdict(measure(options.model, quick=options.quick)) | asdict(measure_hour(quick=options.quick))
    if options.json:
        print(json.dumps({"bench": "window", "model": options.model, "figures": measured}))
    else:
        print(
            table(("figure", "measured"), [(name.replace("_", " "), value) for name, value in measured.items()]), end=""
        )
    return 0
