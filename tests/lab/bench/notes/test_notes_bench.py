"""The bench of notes: its meetings, and what it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.notes.records import NoteLine, Notes, NotesSection, SaidLine
from engine.notes.template import NotesTemplate
from engine.notes.writer import NoteSteps
from lab.bench.notes.measure import FirstLines, MeetingResult, RandomLines, take_notes
from lab.bench.notes.meetings import joined, meetings
from lab.commands.notes import wilson


def test_there_are_meetings_enough() -> None:
    judged = meetings("judge")
    assert len(judged) >= 4
    assert sum(len(each.lines) for each in judged) >= 100
    assert {each.language for each in judged} == {"en", "de"}
    assert not {each.name for each in judged} & {each.name for each in meetings("choose")}


def test_joined_meetings_last_as_long_as_they_should_and_keep_their_right_notes() -> None:
    parts = meetings("judge")
    long = joined(parts, 1800.0)
    assert long.seconds >= 1800.0
    assert [line.number for line in long.lines] == list(range(1, len(long.lines) + 1))
    first, count = parts[0], len(parts[0].lines)
    again = next(note for note in long.right if min(note.numbers) > sum(len(each.lines) for each in parts))
    assert again.text == first.right[0].text
    shift = sum(len(each.lines) for each in parts)
    assert {number - shift for number in again.numbers} == first.right[0].numbers
    assert long.lines[shift + count - 1].text == first.lines[-1].text


def test_a_right_note_is_found_by_a_note_of_its_kind_on_its_lines() -> None:
    (meeting, *_) = meetings("judge")
    decision = next(note for note in meeting.right if note.kind == "decisions")
    numbers = tuple(sorted(decision.numbers))
    line = NoteLine("It was decided.", numbers)
    right = MeetingResult(meeting, Notes("meeting", (NotesSection("decisions", "Decisions", (line,)),)))
    other = MeetingResult(meeting, Notes("meeting", (NotesSection("tasks", "Tasks", (line,)),)))
    assert sum(right.found(("decisions",))) >= 1
    assert sum(other.found(("decisions",))) == 0
    assert right.right(("decisions",)) == [True]
    assert right.rewritten() == [line]


def test_baselines_note_a_fifth_of_the_lines() -> None:
    (meeting, *_) = meetings("judge")
    for writer in (FirstLines(), RandomLines(1)):
        result = take_notes(meeting, writer)
        assert len(result.notes.section("tasks")) == len(meeting.lines) // 5
        assert result.rewritten() == []
        assert len(result.update_seconds) == -(-len(meeting.lines) // 5)


def test_words_about_new_lines_are_told_from_those_that_are_written_again() -> None:
    (meeting, *_) = meetings("judge")

    class Counting:
        """Writes one note of each line, and of the first line another one at every call."""

        ways = iter(("early", "late"))

        def write(self, lines: Sequence[SaidLine], template: NotesTemplate) -> NoteSteps:
            yield
            texts = [f"{lines[0].text} {next(self.ways)}", *(line.text for line in lines[1:])]
            noted = (NoteLine(text, (line.number,)) for text, line in zip(texts, lines, strict=True))
            return Notes("meeting", (NotesSection("tasks", "Tasks", tuple(noted)),))

    every = len(meeting.lines) // 2
    result = take_notes(replace(meeting, lines=meeting.lines[: 2 * every]), Counting(), every)
    said = sum(len(line.text.split()) for line in meeting.lines[every : 2 * every])
    assert (result.new_words, result.again_words, result.lost_words) == (said + 1, 1, 1)


@pytest.mark.parametrize(("hits", "share"), [([True] * 9 + [False], 0.9), ([False] * 4, 0.0)])
def test_an_interval_is_about_the_share(hits: list[bool], share: float) -> None:
    low, high = wilson(hits)
    assert 0.0 <= low <= share <= high <= 1.0
