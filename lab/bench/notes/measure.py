"""Costs and finds of notes of meetings, while the meetings go on, in several ways."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Literal

from engine.answer.tools.wording import folded
from engine.notes.extractive import ExtractiveWriter
from engine.notes.generative import GenerativeWriter
from engine.notes.ground import supported
from engine.notes.records import CHOSEN, NoteLine, Notes, NotesSection, SaidLine, SectionKind
from engine.notes.template import NotesTemplate, load_template
from engine.notes.writer import NoteSteps, NotesWriter
from lab.bench.notes.meetings import Meeting

UPDATE_LINES = 5
"""Number of lines that are said between two updates."""

SECTIONS: tuple[SectionKind, ...] = ("decisions", "tasks")
"""Sections whose recall is counted, and the size of the baselines' sections."""

SHARE = 5
"""Lines of a meeting for each line of a section of the baselines."""

Way = Literal["first", "random", "chosen", "chosen-again", "drafted", "again"]


class FirstLines:
    """A baseline: the first lines, in every section."""

    def write(self, lines: Sequence[SaidLine], template: NotesTemplate) -> NoteSteps:
        """Write notes; see NotesWriter."""
        yield
        return _notes_of(lines[: _size(lines)], template)


class RandomLines:
    """A baseline: other random lines in each section, by a seed."""

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def write(self, lines: Sequence[SaidLine], template: NotesTemplate) -> NoteSteps:
        """Write notes; see NotesWriter."""
        yield
        draw = random.Random(self._seed)
        sections = []
        for section in template.sections:
            drawn = sorted(draw.sample(range(len(lines)), _size(lines)))
            noted = tuple(NoteLine(lines[place].text, (lines[place].number,)) for place in drawn)
            sections.append(NotesSection(section.kind, section.title, noted))
        return Notes(template.name, tuple(sections), CHOSEN)


def _size(lines: Sequence[SaidLine]) -> int:
    return max(1, len(lines) // SHARE)


def _notes_of(lines: Iterable[SaidLine], template: NotesTemplate) -> Notes:
    noted = tuple(NoteLine(line.text, (line.number,)) for line in lines)
    sections = (NotesSection(each.kind, each.title, noted) for each in template.sections)
    return Notes(template.name, tuple(sections), CHOSEN)


class Anew:
    """Writes with another writer each time, so that nothing is reused."""

    def __init__(self, make: Callable[[], NotesWriter]) -> None:
        self._make = make

    def write(self, lines: Sequence[SaidLine], template: NotesTemplate) -> NoteSteps:
        """Write notes; see NotesWriter."""
        return self._make().write(lines, template)


@dataclass(slots=True)
class MeetingResult:
    """The notes of one meeting in one way.

    Attributes:
        notes: the last ones.
        update_seconds: processor time of each update.
        first_seconds: processor time of each update until its first section is complete.
        words: of all updates' notes but the first; new_words: those of them that the last notes did not have.
        again_words: those of the new words that stand in notes of what had been said before the last ones.
        lost_words: of the last notes, which the new ones have not.
    """

    meeting: Meeting
    notes: Notes = field(default_factory=Notes)
    update_seconds: list[float] = field(default_factory=list)
    first_seconds: list[float] = field(default_factory=list)
    words: int = 0
    new_words: int = 0
    again_words: int = 0
    lost_words: int = 0

    def found(self, kinds: Sequence[SectionKind]) -> list[bool]:
        """Return for each right note of these kinds whether one of the notes rests on its lines."""
        return [
            any(right.numbers.intersection(line.rests_on) for line in self.notes.section(right.kind))
            for right in self.meeting.right
            if right.kind in kinds
        ]

    def right(self, kinds: Sequence[SectionKind]) -> list[bool]:
        """Return for each note of these kinds whether it rests on the lines of a right one."""
        return [
            any(right.kind == kind and right.numbers.intersection(line.rests_on) for right in self.meeting.right)
            for kind in kinds
            for line in self.notes.section(kind)
        ]

    def rewritten(self) -> list[NoteLine]:
        """Return the notes that are not the words of the lines that they rest on, so that somebody must judge them."""
        said = {line.number: line.text for line in self.meeting.lines}
        lines = (line for section in self.notes.sections if section.kind != "topics" for line in section.lines)
        return [line for line in lines if not _is_said(line, said)]


def _is_said(line: NoteLine, said: dict[int, str]) -> bool:
    """Return whether a note has no word that its lines have not."""
    words = set(folded(" ".join(said.get(number, "") for number in line.rests_on)).split())
    return all(word in words or word == "–" for word in folded(line.text).split())


def take_notes(meeting: Meeting, writer: NotesWriter, every: int = UPDATE_LINES) -> MeetingResult:
    """Write notes of a meeting while it goes on, every few lines."""
    result, template = MeetingResult(meeting), load_template("meeting", meeting.language)
    count, said = len(meeting.lines), 0
    for end in dict.fromkeys((*range(every, count, every), count)):
        lines = meeting.lines[:end]
        before = result.notes
        began = time.process_time()
        notes, first = _timed(writer, lines, template)
        result.update_seconds.append(time.process_time() - began)
        result.first_seconds.append(first - began)
        result.notes = supported(notes, lines)
        if before.sections:
            _compare(result, before, said)
        said = lines[-1].number
    return result


def _timed(writer: NotesWriter, lines: Sequence[SaidLine], template: NotesTemplate) -> tuple[Notes, float]:
    """Return notes, and the processor time at which their first section was complete."""
    steps = writer.write(lines, template)
    first: float | None = None
    if isinstance(writer, GenerativeWriter):
        writer.sections_written = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            notes: Notes = end.value
            return notes, time.process_time() if first is None else first
        if first is None and isinstance(writer, GenerativeWriter) and writer.sections_written:
            first = time.process_time()


def _compare(result: MeetingResult, last: Notes, said: int) -> None:
    """Count the words that notes have in common with the last ones, in their order; these end with line `said`."""
    before = [word for line in last.lines for word in line.text.split()]
    lines = [line for line in result.notes.lines for _ in line.text.split()]
    now = [word for line in result.notes.lines for word in line.text.split()]
    blocks = SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
    same = {place for block in blocks for place in range(block.b, block.b + block.size)}
    new = [line for place, line in enumerate(lines) if place not in same]
    result.words += len(now)
    result.new_words += len(new)
    result.again_words += sum(max(line.rests_on) <= said for line in new)
    result.lost_words += len(before) - len(same)


def chosen_writer() -> NotesWriter:
    """Return the writer that only chooses lines."""
    return ExtractiveWriter()
