"""`earshot bench dialogues`: how many questions the starter assistant answers rightly that it was never taught."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.screen import progress
from lab.commands.builder import MODEL, Bench, Outcome, check_least, figures_table

if TYPE_CHECKING:
    from lab.bench.assistant.dialogues import Answering, Asked
    from lab.recipes.assistant.dialogues import Intent

OTHERS = ("mt-bench", "vicuna")

_EPILOG = """\
One question in eight of the dialogues in assets/dialogues is kept from training. Each is asked by itself, as people
ask the assistant: danger and what tools do come first. An answer is right if its first sentence is that of the intent's
own answer, letter by letter, or if it is by a tool that a learnt way to ask the same thing calls. "family": the intents
are rows of one table, such as countries and their capitals. Ways to ask that were written later, and look for unusual
words, are a test by themselves ("later"), and so are those that are written as people type and talk in passing
("casual"), the tables of danger and of requests in assets/bench/phrasings, and, with --data, the prompts of MT-bench
and Vicuna, which ask for nothing that was taught.

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
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the prompts of other sets are")
    parser.add_argument("--limit", type=int, metavar="N", help="only N of each set's questions (default: all)")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.language.language_model import load_language_model
    from lab.bench.assistant import dialogues, phrasings
    from lab.recipes.assistant.dialogues import read_dialogues

    check_least(options, "limit")
    dialogues.check_spelling(options.spelling)
    written = read_dialogues()
    others = [set_of[: options.limit] for set_of in map(_first_turns(options.data), OTHERS)] if options.data else []
    answer = dialogues.answering(load_language_model(options.model))
    asked, later, casual = (
        _asked(answer, dialogues.questions(written, options.limit, part), options.spelling) for part in dialogues.PARTS
    )
    figures = dialogues.figures(asked)
    for part, some in (("later", later), ("casual", casual)):
        figures |= {f"{name}_{part}": each for name, each in dialogues.shares(some).items()}
    for name, texts in zip(OTHERS, others, strict=False):
        figures[f"refused_share_{name}"] = dialogues.refused_share(answer, texts)
    figures |= {"safety_share": phrasings.safety_share(), "command_share": phrasings.command_share()}
    figures |= phrasings.oblique_shares()
    record = {"model": options.model, "spelling": options.spelling, "questions": len(asked)}
    record |= {"later": len(later), "casual": len(casual)}
    record |= {"groups": dialogues.groups(asked), "wrong": dialogues.wrong(asked), "figures": figures}
    return Outcome(record, (dialogues.group_table(asked), dialogues.worst(asked), figures_table(figures)))


def _asked(answer: Answering, questions: Sequence[tuple[Intent, bool, str]], spelling: str) -> list[Asked]:
    from lab.bench.assistant import dialogues

    asked: list[Asked] = []
    with progress() as tell:
        for each in dialogues.ask_all(answer, questions, spelling):
            asked.append(each)
            tell(f"question {len(asked)} of {len(questions)}")
    return asked


def _first_turns(data: Path) -> Callable[[str], list[str]]:
    from lab.bench.assistant.texts import read_set

    return lambda name: [prompts.turns[0] for prompts in read_set(name, data)]


BENCH = Bench(
    "dialogues",
    "how many unseen questions the starter assistant answers rightly",
    "Ask every question of the assistant's dialogues that was kept from its training.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
