"""Values of notes: what was said, and what was noted about it. Frozen; they travel between processes and to files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.events import Caption

SectionKind = Literal["summary", "decisions", "tasks", "questions", "topics"]
"""Kind of a section, which decides how its lines are found."""

Language = Literal["en", "de", "fr", "es"]
"""Languages whose commitments and decisions are recognised."""

CHOSEN = ""
"""Name of the writer that only chooses lines."""


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A line of a transcript.

    Attributes:
        number: that of its caption.
        start, end: in seconds of the recording.
        speaker: the speaker's name; "" if it is not known.
    """

    number: int
    text: str
    start: float = 0.0
    end: float = 0.0
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One line of notes.

    Attributes:
        rests_on: numbers of the transcript's lines that support it, in order.
        who: the person who does a task; "" if nobody is named.
        when: the time of a task, in the words that were said; "" if none was named.
        by_hand: a person has written or changed it; it stays when notes are made again.
    """

    text: str
    rests_on: tuple[int, ...] = ()
    who: str = ""
    when: str = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class NotesSection:
    """A section of notes, with its title."""

    kind: SectionKind
    title: str
    lines: tuple[NoteLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes of a transcript.

    Attributes:
        template: the name of the template.
        writer: name of the model that wrote them; CHOSEN if lines were only chosen.
        dropped: number of lines that a model wrote and the transcript does not support.
    """

    template: str = ""
    sections: tuple[NotesSection, ...] = ()
    writer: str = CHOSEN
    dropped: int = 0

    @property
    def lines(self) -> tuple[NoteLine, ...]:
        """All lines of all sections."""
        return tuple(line for section in self.sections for line in section.lines)

    def section(self, kind: SectionKind) -> tuple[NoteLine, ...]:
        """Return the lines of all sections of a kind."""
        return tuple(line for section in self.sections if section.kind == kind for line in section.lines)


def lines_of(captions: Iterable[Caption]) -> list[SaidLine]:
    """Return the lines of captions that say something, in the order in which they were said."""
    said = (each for each in captions if not each.is_gap and any(map(str.isalnum, each.text)))
    return [SaidLine(each.id, each.text, each.start, each.end, each.speaker) for each in sorted(said, key=_start)]


def _start(caption: Caption) -> float:
    return caption.start


def kept_by_hand(new: Notes, old: Notes | None) -> Notes:
    """Return new notes with the lines that a person wrote or changed in the old ones.

    A new line gives way to one of the person's that rests on the same lines of the transcript. A section that the new
    notes lack stays for the person's lines.
    """
    sections = list(new.sections)
    for section in old.sections if old is not None else ():
        own = tuple(line for line in section.lines if line.by_hand)
        if own:
            home = _home(section, sections)
            taken = {line.rests_on for line in own if line.rests_on}
            rest = (line for line in sections[home].lines if line.rests_on not in taken)
            sections[home] = replace(sections[home], lines=_in_order((*own, *rest)))
    return replace(new, sections=tuple(sections))


def _home(section: NotesSection, sections: list[NotesSection]) -> int:
    """Return where the lines of a section go: to that of its title, else of its kind, else to a new one at the end."""
    alike = [place for place, each in enumerate(sections) if each.kind == section.kind]
    if not alike:
        sections.append(replace(section, lines=()))
        return len(sections) - 1
    return next((place for place in alike if sections[place].title == section.title), alike[0])


def made_again(old: Notes, part: Notes, numbers: Iterable[int]) -> Notes:
    """Return old notes in which the lines that rest on a part of the transcript are those of its new notes."""
    within = frozenset(numbers)

    def keeps(line: NoteLine) -> bool:
        return line.by_hand or not line.rests_on or not within.issuperset(line.rests_on)

    sections = []
    for section in old.sections:
        stay = tuple(filter(keeps, section.lines))
        taken = {line.rests_on for line in stay}
        new = tuple(line for line in part.section(section.kind) if line.rests_on not in taken)
        sections.append(replace(section, lines=_in_order((*stay, *new))))
    return replace(old, sections=tuple(sections), writer=part.writer)


def followed_by(first: Notes | None, later: Notes, numbers: Mapping[int, int]) -> Notes:
    """Return notes with later ones behind them; the later ones' lines of the transcript have new numbers.

    `numbers` are these by the old ones.
    """
    sections = list(first.sections) if first is not None else []
    for section in later.sections:
        lines = (
            replace(line, rests_on=tuple(numbers[each] for each in line.rests_on if each in numbers))
            for line in section.lines
        )
        home = _home(section, sections)
        sections[home] = replace(sections[home], lines=(*sections[home].lines, *lines))
    return replace(first or later, sections=tuple(sections))


def _in_order(lines: Iterable[NoteLine]) -> tuple[NoteLine, ...]:
    """Return lines in the order of the transcript; those that rest on nothing come last."""
    return tuple(sorted(lines, key=lambda line: (not line.rests_on, line.rests_on[:1])))
