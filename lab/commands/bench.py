"""`earshot bench`: how well and how fast this machine hears, translates and answers, measured."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.terminal.commands.caption import add_model_option
from lab.commands import (
    assistant,
    barge_in,
    captions,
    chaos,
    conversation,
    dialogues,
    hush_word,
    interpreter,
    kernels,
    load,
    lost_words,
    mistakes,
    multitoken,
    notes,
    pipeline,
    questions,
    report,
    share,
    soak,
    speakers,
    translation,
    vocabulary,
    voices,
)
from lab.commands.builder import Bench, Outcome, figures_table

NAME = "bench"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its benches."""
    parser = commands.add_parser(
        NAME,
        help="measure captions, translation, the assistant and the window",
        description="Measure what Earshot does on this machine.",
    )
    benches = parser.add_subparsers(metavar="BENCH", required=True, dest="bench", parser_class=type(parser))
    for bench in _BENCHES:
        bench.add_to(benches)
    report.add_to(benches)


def _add_window_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--quick",
        action="store_true",
        help="seconds of the demo and minutes of the hour; the assistant's engine stays out of it",
    )
    add_model_option(parser)


def _measure_window(options: argparse.Namespace) -> Outcome:
    from lab.commands.window.figures import measure, measure_hour

    measured = asdict(measure(options.model, quick=options.quick)) | asdict(measure_hour(quick=options.quick))
    return Outcome({"model": options.model, "figures": measured}, (figures_table(measured),))


_WINDOW = Bench(
    "window",
    "how soon the window is there, whether it ever stalls, and what it takes",
    "Start the window, leave it alone for a while, play the demo in it and watch it from inside; then have it show an "
    "hour of captions as fast as it goes.",
    _add_window_options,
    _measure_window,
)
_OTHERS = (
    captions, mistakes, lost_words, vocabulary, translation, interpreter, assistant, conversation, barge_in, dialogues,
    questions, hush_word, multitoken, kernels, notes, pipeline, soak, chaos, load, speakers, share, voices,
)  # fmt: skip
_BENCHES = (*(each.BENCH for each in _OTHERS), _WINDOW)
