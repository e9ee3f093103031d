"""Notes as text, as paragraphs of a Word document, and as JSON. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.history.export.word_file import TextRun
from app.look.text_layout import one_line
from engine.answer.tools.outcomes import write_moment
from engine.notes.records import NoteLine, Notes

JSON_VERSION = 1
_HEADING_HALF_POINTS = 26
MOST_TIMES = 3
"""Most times behind a note."""


def times_of(line: NoteLine, starts: Mapping[int, float]) -> str:
    """Return when the lines were said that a note rests on: the first few, or the first of a topic."""
    moments = [write_moment(starts[number]) for number in line.rests_on if number in starts]
    distinct = list(dict.fromkeys(moments))
    return ", ".join(distinct if len(distinct) <= MOST_TIMES else distinct[:1])


def task_note(line: NoteLine) -> str:
    """Return the person and the time of a task, such as "Anna, by Friday"; "" if neither is known."""
    return ", ".join(filter(None, (one_line(line.who), one_line(line.when))))


def markdown_entries(
    notes: Notes, starts: Mapping[int, float], escape: Callable[[str], str], level: int = 2
) -> list[str]:
    """Return notes as blocks of Markdown: a heading and a list for each section that has lines."""
    entries = []
    for section in notes.sections:
        if section.lines:
            rows = [_markdown_line(line, starts, escape) for line in section.lines]
            entries += [f"{'#' * level} {escape(one_line(section.title))}", "\n".join(rows)]
    return entries


def _markdown_line(line: NoteLine, starts: Mapping[int, float], escape: Callable[[str], str]) -> str:
    who, times = task_note(line), times_of(line, starts)
    return f"- {f'**{escape(who)}:** ' if who else ''}{escape(one_line(line.text))}{f' ({times})' if times else ''}"


def notes_text(notes: Notes, starts: Mapping[int, float]) -> str:
    """Return notes as plain text, with an empty line behind each section."""
    blocks = []
    for section in notes.sections:
        rows = ["- " + "".join(run.text for run in _runs(line, starts)) for line in section.lines]
        blocks += ["\n".join([one_line(section.title), *rows]) + "\n\n"] if rows else []
    return "".join(blocks)


def paragraphs(notes: Notes, starts: Mapping[int, float]) -> list[list[TextRun]]:
    """Return notes as paragraphs of a Word document."""
    found: list[list[TextRun]] = []
    for section in notes.sections:
        if section.lines:
            found.append([TextRun(one_line(section.title), bold=True, half_points=_HEADING_HALF_POINTS)])
        found += [[TextRun("• "), *_runs(line, starts)] for line in section.lines]
    return found


def _runs(line: NoteLine, starts: Mapping[int, float]) -> list[TextRun]:
    """Return a line with the person before it, and the times behind it."""
    who, times = task_note(line), times_of(line, starts)
    before = [TextRun(f"{who}: ", bold=True)] if who else []
    return [*before, TextRun(one_line(line.text)), *([TextRun(f" ({times})", italic=True)] if times else [])]


def record_of(notes: Notes, starts: Mapping[int, float]) -> dict[str, object]:
    """Return notes for JSON: each line with the captions that it rests on, and when those began."""
    return {
        "version": JSON_VERSION,
        "template": notes.template,
        "writer": notes.writer or None,
        "dropped": notes.dropped,
        "sections": [
            {
                "kind": section.kind,
                "title": section.title,
                "lines": [_line_record(line, starts) for line in section.lines],
            }
            for section in notes.sections
        ],
    }


def _line_record(line: NoteLine, starts: Mapping[int, float]) -> dict[str, object]:
    numbers: Sequence[int] = line.rests_on
    return {
        "text": line.text,
        **({"who": line.who} if line.who else {}),
        **({"when": line.when} if line.when else {}),
        **({"by_hand": True} if line.by_hand else {}),
        "lines": list(numbers),
        "seconds": [round(starts[number], 3) for number in numbers if number in starts],
    }
