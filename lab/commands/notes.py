"""`earshot bench notes`: what notes of meetings find, what they cost, and how much of them an update writes again."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.terminal.screen import progress
from lab.bench.tables import Column, mean, percent, ratio, records_of, rounded, table_of
from lab.commands.builder import Bench, Outcome

if TYPE_CHECKING:
    from engine.language.answering import AnyAnsweringModel
    from lab.bench.notes.measure import MeetingResult
    from lab.bench.notes.meetings import Meeting

LONG_SECONDS, LONG_EVERY = 1800.0, 120
"""Length of the joined meeting, in seconds, and number of lines between two updates of its notes."""

QUICK_EVERY, QUICK_MEETINGS = 12, 1
"""Lines between updates, and number of meetings, of a language model's quick rows."""

_EPILOG = """\
The meetings were written for this bench and stand with their right notes in lab/bench/notes/meetings; settings were
chosen on those in `choose`. A right note is found if a note of its kind rests on one of its lines. Notes are taken
every few lines, while a meeting goes on; times are processor time. "again" writes everything again at each update. Of
what is rewritten most is about lines that were said since the last update; the share "of earlier lines" is not. The
baselines note the first, or random, lines of a fifth of the meeting in each section. A note whose words are not all in
the lines that it rests on is judged in lab/bench/notes/judged.tsv; those that nobody has judged are counted apart.

examples:
  earshot bench notes --quick --json
  earshot bench notes --model FOLDER --model FOLDER
"""


@dataclass(frozen=True, slots=True)
class NotesRow:
    """One way to take notes, with its results of all meetings.

    Attributes:
        rewritten: share of the tokens or words of an update that were written; None of baselines.
        again: share of the words of an update that were written in notes of earlier lines; None where not counted.
        again_seconds: processor time of all updates if everything is written again; None where that was not measured.
    """

    name: str
    results: Sequence[MeetingResult]
    rewritten: float | None = None
    again_seconds: float | None = None
    again: float | None = None

    @property
    def seconds(self) -> float:
        """Processor time of all updates."""
        return sum(sum(each.update_seconds) for each in self.results)


def _found(row: NotesRow) -> list[bool]:
    return [hit for each in row.results for hit in each.found(("decisions", "tasks"))]


def _questions(row: NotesRow) -> list[bool]:
    return [hit for each in row.results for hit in each.found(("questions",))]


def _right(row: NotesRow) -> list[bool]:
    return [hit for each in row.results for hit in each.right(("decisions", "tasks"))]


def wilson(hits: Sequence[bool]) -> tuple[float, float]:
    """Return the interval of a share, 95% (Wilson 1927)."""
    n, z = len(hits), 1.96
    if not n:
        return 0.0, 1.0
    share, spread = sum(hits) / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def _verdicts() -> dict[str, bool]:
    """Read the judgements of notes by their text."""
    path = Path(__file__).parents[1] / "bench" / "notes" / "judged.tsv"
    rows = (row.split("\t") for row in path.read_text(encoding="utf-8").splitlines()[1:])
    return {text: verdict == "supported" for verdict, text in rows}


def _unsupported(row: NotesRow) -> int:
    verdicts = _verdicts()
    return sum(not verdicts.get(line.text, True) for each in row.results for line in each.rewritten())


def _unjudged(row: NotesRow) -> int:
    verdicts = _verdicts()
    return sum(line.text not in verdicts for each in row.results for line in each.rewritten())


_COLUMNS: tuple[Column[NotesRow], ...] = (
    Column("name", lambda row: row.name, "notes"),
    Column("meetings", lambda row: len(row.results)),
    Column("right_notes", lambda row: len(_found(row))),
    Column("recall_of_decisions_and_tasks", lambda row: rounded(mean(_found(row))), "found", percent),
    Column("recall_low", lambda row: rounded(wilson(_found(row))[0]), "from", percent),
    Column("recall_high", lambda row: rounded(wilson(_found(row))[1]), "to", percent),
    Column("precision_of_decisions_and_tasks", lambda row: rounded(mean(_right(row))), "right", percent),
    Column("recall_of_questions", lambda row: rounded(mean(_questions(row))), "questions", percent),
    Column("lines", lambda row: sum(len(each.notes.lines) for each in row.results), "lines"),
    Column("unsupported_lines", _unsupported, "unsupported"),
    Column("unjudged_lines", _unjudged, "unjudged"),
    Column("dropped_lines", lambda row: sum(each.notes.dropped for each in row.results), "dropped"),
    Column("rewritten_share", lambda row: rounded(row.rewritten), "rewritten", percent),
    Column("rewritten_of_earlier_lines", lambda row: rounded(row.again), "of earlier lines", percent),
    Column("taken_back", lambda row: rounded(_taken_back(row)), "taken back", percent),
    Column(
        "first_sentence_seconds",
        lambda row: rounded(mean(second for each in row.results for second in each.first_seconds)),
        "first, s",
    ),
    Column("update_seconds", lambda row: rounded(mean(_updates(row))), "update, s"),
    Column("speedup", lambda row: rounded(ratio(row.again_seconds, row.seconds)), "times as fast"),
)


def _updates(row: NotesRow) -> list[float]:
    return [second for each in row.results for second in each.update_seconds]


def _taken_back(row: NotesRow) -> float | None:
    """Return the words that updates took back, over those of the notes that they left."""
    return ratio(sum(each.lost_words for each in row.results), sum(each.words for each in row.results))


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", action="append", default=[], metavar="NAME|FOLDER|ADDRESS",
        help="a general language model that writes notes; may be repeated (default: none, lines are chosen)",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="models write notes of one meeting, every 12 lines")


def _measure(options: argparse.Namespace) -> Outcome:
    from engine.language.answering import load_answering_model

    with progress() as tell:
        rows = _baselines()
        for name in options.model:
            tell(f"notes by {name}")
            rows += _written(load_answering_model(name), quick=options.quick)
    record = {"figures": {"rows": records_of(_COLUMNS, rows)}}
    return Outcome(record, (table_of(_COLUMNS, rows),))


def _baselines() -> list[NotesRow]:
    """Return the rows that need no language model: of all meetings, and of a long one."""
    from lab.bench.notes.measure import UPDATE_LINES, Anew, FirstLines, RandomLines, chosen_writer, take_notes
    from lab.bench.notes.meetings import joined, meetings

    judged = meetings("judge")
    rows = [
        NotesRow("first lines", [take_notes(each, FirstLines()) for each in judged]),
        NotesRow("random lines", [take_notes(each, RandomLines(place)) for place, each in enumerate(judged)]),
    ]
    for name, those, every in (
        ("chosen", judged, UPDATE_LINES),
        ("chosen, 30 minutes", [joined(judged, LONG_SECONDS)], LONG_EVERY),
    ):
        redone = NotesRow(f"{name}, again", [take_notes(each, Anew(chosen_writer), every) for each in those])
        rows += [redone, _chosen(name, those, every, redone.seconds)]
    return [*rows, _chosen(f"chosen, 30 minutes, every {UPDATE_LINES} lines", those, UPDATE_LINES)]


def _chosen(name: str, meetings: Sequence[Meeting], every: int, again_seconds: float | None = None) -> NotesRow:
    """Return the row of chosen lines, of which each update keeps what the last one had."""
    from lab.bench.notes.measure import chosen_writer, take_notes

    kept = [take_notes(each, chosen_writer(), every) for each in meetings]
    words, new, again = (sum(getattr(each, part) for each in kept) for part in ("words", "new_words", "again_words"))
    return NotesRow(name, kept, ratio(new, words), again_seconds, ratio(again, words))


def _written(model: AnyAnsweringModel, *, quick: bool) -> list[NotesRow]:
    """Return the rows of a language model: everything written again, and the last notes as a draft."""
    from engine.notes.generative import GenerativeWriter
    from lab.bench.notes.measure import UPDATE_LINES, Anew, take_notes
    from lab.bench.notes.meetings import meetings

    every = QUICK_EVERY if quick else UPDATE_LINES
    judged = meetings("judge")[: QUICK_MEETINGS if quick else None]
    redone = [take_notes(each, Anew(lambda: GenerativeWriter(model, drafts=False)), every) for each in judged]
    results, output, accepted = [], 0, 0
    for meeting in judged:
        writer = GenerativeWriter(model)
        results.append(take_notes(meeting, writer, every))
        output += writer.stats.output
        accepted += writer.stats.accepted
    again = NotesRow(f"{model.name}, again", redone, 1.0)
    share = None if not output else 1 - accepted / output
    return [again, NotesRow(model.name, results, share, again.seconds)]


BENCH = Bench(
    "notes",
    "what notes of meetings find, and what an update costs",
    "Take notes of meetings while they go on: with chosen lines, and with language models.",
    _add_options,
    _measure,
    epilog=_EPILOG,
)
