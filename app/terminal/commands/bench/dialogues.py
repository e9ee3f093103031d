"""`earshot bench dialogues`: how many questions the starter assistant answers rightly that it was never taught."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.terminal.commands.bench.builder import MODEL, Bench, Outcome, check_least, figures_table, progress

if TYPE_CHECKING:
    from engine.bench.assistant.dialogues import Asked

_EPILOG = """\
One question in eight of the dialogues in assets/dialogues is kept from training. Each is asked by itself, and its
answer is right if its first sentence is that of the intent's own answer, letter by letter. "family": the intents are
rows of one table, such as countries and their capitals. Ways to ask that were written later, and look for unusual
words, are a test by themselves (--later).

examples:
  earshot bench dialogues
  earshot bench dialogues --spelling typed --json
  earshot bench dialogues --model FOLDER --limit 200
"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="starter-assistant", metavar="NAME|FOLDER", help=MODEL)
    parser.add_argument(
        "--spelling", default="written", metavar="NAME",
        help="written (default), or typed: in small letters and without marks",
    )  # fmt: skip
    parser.add_argument("--later", action="store_true", help="ask those of the ways to ask that were written later")
    parser.add_argument("--limit", type=int, metavar="N", help="only N of the questions, of all kinds (default: all)")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.bench.assistant import dialogues
    from engine.language.language_model import load_language_model
    from engine.recipes.assistant.dialogues import read_dialogues

    check_least(options, "limit")
    dialogues.check_spelling(options.spelling)
    questions = dialogues.questions(read_dialogues(), options.limit, later=options.later)
    answer = dialogues.answering(load_language_model(options.model))
    asked: list[Asked] = []
    with progress() as tell:
        for each in dialogues.ask_all(answer, questions, options.spelling):
            asked.append(each)
            tell(f"question {len(asked)} of {len(questions)}")
    figures = dialogues.figures(asked)
    record = {"model": options.model, "spelling": options.spelling, "later": options.later, "questions": len(asked)}
    record |= {"groups": dialogues.groups(asked), "wrong": dialogues.wrong(asked), "figures": figures}
    return Outcome(record, (dialogues.group_table(asked), dialogues.worst(asked), figures_table(figures)))


BENCH = Bench(
    "dialogues",
    "how many unseen questions the starter assistant answers rightly",
    "Ask every question of the assistant's dialogues that was kept from its training.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
