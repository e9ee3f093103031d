"""`earshot bench questions`: what the assistant answers to questions that nobody was taught."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.terminal.screen import progress
from lab.commands.builder import MODEL, Bench, Outcome, check_least, figures_table

_EPILOG = """\
lab/questions holds four sets of 130 questions in 13 conversations, others to choose settings by, and answers that were
judged by a person's or a model's reading. An answer has a verdict if it is the judged one, letter by letter; the others
are listed as not judged, and --out writes all of them for a judge.

examples:
  earshot bench questions
  earshot bench questions --set choosing --model FILE.gguf --out answers.tsv
  earshot bench questions --model FILE.gguf --judged answers.tsv --json
"""

SETS = ("fourth", "third", "second", "first", "choosing")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="starter-assistant", metavar="NAME|FOLDER|FILE", help=MODEL)
    parser.add_argument("--judged", type=Path, metavar="FILE", help="judged answers (default: all in lab/questions)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the answers to this file")
    parser.add_argument(
        "--set", choices=SETS, default=SETS[0], help="the 130 that came last, earlier ones, or those to choose by"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N questions (default: all)")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.assistant.assistant import AssistantSession
    from engine.process.loading import load_assistant
    from lab.bench.assistant import fresh_questions as fresh

    check_least(options, "limit")
    files = [options.judged] if options.judged else sorted(fresh.FOLDER.glob("judged.*.tsv"))
    verdicts = [verdict for file in files for verdict in fresh.read_answers(file)]
    questions = fresh.fresh_questions(options.set, options.limit)
    session = AssistantSession(None, load_assistant(options.model)[1], None, region="GB", app=True)
    session.warm_up()
    answers: list[fresh.FreshAnswer] = []
    with progress() as tell:
        for answer in fresh.ask_all(session, questions):
            answers += fresh.judged([answer], verdicts)
            if options.out:  # each time: a run takes long, and may be interrupted
                fresh.write_answers(options.out, answers)
            tell(f"question {len(answers)} of {len(questions)}")
    session.close()
    figures = fresh.figures(answers)
    record = {"model": options.model, "answers": list(map(asdict, answers)), "figures": figures}
    return Outcome(record, (fresh.in_full(answers), fresh.by_kind(answers), figures_table(figures)))


BENCH = Bench(
    "questions",
    "what the assistant answers to questions that nobody was taught",
    "Ask the assistant 130 questions in conversations, and count the verdicts of a judge.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
