"""Meetings with their right notes: dialogues that were written for this bench, as text in `meetings`.

Of a meeting's file each line is one that was said, `0:12 Anna: …`, below a title and an empty line. Beside it stand the
right notes, one a line: their kind, the numbers of the lines that each may rest on, and what it should say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from engine.events import Caption, Word
from engine.notes.records import SaidLine, SectionKind

FOLDER = Path(__file__).parent / "meetings"
Half = Literal["choose", "judge"]
"""Meetings by which settings were chosen, and those that are judged."""

PAUSE_SECONDS = 3.0
"""Time between meetings that are joined, and after the last line of each."""

_KINDS: dict[str, SectionKind] = {"decision": "decisions", "task": "tasks", "question": "questions"}
_SAID = re.compile(r"(\d+):(\d\d) ([^:]+): (.+)")
_RIGHT = re.compile(r"(\w+) ([\d ]+): (.+)")


@dataclass(frozen=True, slots=True)
class RightNote:
    """A note that should be there.

    Attributes:
        numbers: lines on any of which it may rest.
    """

    kind: SectionKind
    numbers: frozenset[int]
    text: str


@dataclass(frozen=True, slots=True)
class Meeting:
    """A meeting: its title, its language, what was said, and its right notes."""

    name: str
    title: str
    language: str
    lines: tuple[SaidLine, ...]
    right: tuple[RightNote, ...]

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.lines[-1].end


def meetings(half: Half = "judge") -> list[Meeting]:
    """Read all meetings of a half, in the order of their names."""
    assert half in get_args(Half)
    return [_read(path) for path in sorted((FOLDER / half).glob("*.txt")) if not path.stem.endswith(".notes")]


def joined(parts: list[Meeting], seconds: float) -> Meeting:
    """Join meetings, again and again in this order, until they last this long; lines and right notes are renumbered.

    Of a meeting that comes again the speakers are others, so that no right note is another's.
    """
    lines: list[SaidLine] = []
    right: list[RightNote] = []
    for turn in range(1000):
        for part in parts:
            shift, begun = len(lines), lines[-1].end + PAUSE_SECONDS if lines else 0.0
            lines += [
                replace(
                    each,
                    number=each.number + shift,
                    start=each.start + begun,
                    end=each.end + begun,
                    speaker=each.speaker if not turn else f"{each.speaker} {turn + 1}",
                )
                for each in part.lines
            ]
            right += [
                replace(each, numbers=frozenset(number + shift for number in each.numbers)) for each in part.right
            ]
            if lines[-1].end >= seconds:
                return Meeting("joined", "Joined meetings", "en", tuple(lines), tuple(right))
    raise ValueError("The meetings are empty.")


def captions_of(meeting: Meeting) -> Iterator[Caption]:
    """Yield the lines of a meeting as final captions, whose words have even times."""
    for line in meeting.lines:
        texts = line.text.split()
        step = (line.end - line.start) / len(texts)
        words = tuple(
            Word(f" {text}", line.start + place * step, line.start + (place + 1) * step)
            for place, text in enumerate(texts)
        )
        heard = line.end
        yield Caption(
            line.number, 1, line.start, line.end, words, (), True, heard, heard, meeting.language, line.speaker
        )


def _read(path: Path) -> Meeting:
    title, _, *rows = path.read_text(encoding="utf-8").splitlines()
    found = [match for row in rows if (match := _SAID.fullmatch(row))]
    assert len(found) == len(rows), f"{path} has a line that is none"
    starts = [float(each[1]) * 60 + float(each[2]) for each in found]
    ends = [*starts[1:], starts[-1] + PAUSE_SECONDS]
    said = zip(found, starts, ends, strict=True)
    lines = tuple(SaidLine(number, each[4], start, end, each[3]) for number, (each, start, end) in enumerate(said, 1))
    notes = path.with_name(f"{path.stem}.notes.txt").read_text(encoding="utf-8").splitlines()
    right = tuple(map(_right, notes))
    assert all(note.numbers <= {line.number for line in lines} for note in right), f"{path} has no such lines"
    return Meeting(path.stem, title[:-5], title[-3:-1], lines, right)


def _right(row: str) -> RightNote:
    match = _RIGHT.fullmatch(row)
    assert match is not None, f"no right note: {row}"
    return RightNote(_KINDS[match[1]], frozenset(map(int, match[2].split())), match[3])
