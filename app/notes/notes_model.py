"""Notes as rows of a list: the headings of sections, and their lines, which can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.look.text_layout import breakable, one_line
from engine.answer.tools.outcomes import write_moment
from engine.notes.records import NoteLine, Notes, NotesSection

AnyIndex = QModelIndex | QPersistentModelIndex


class NotesRole(IntEnum):
    """Roles of a row beside Qt's own."""

    IS_HEADING = Qt.ItemDataRole.UserRole + 1
    WORDS = Qt.ItemDataRole.UserRole + 2
    TIME = Qt.ItemDataRole.UserRole + 3


@dataclass(frozen=True, slots=True)
class NotesRow:
    """A row: the heading of a section, or one of its lines.

    Attributes:
        place: of the line in its section; None of a heading.
    """

    section: int
    place: int | None = None


class NotesModel(QAbstractListModel):
    """Rows of Notes.

    Attributes:
        notes: those that are shown; None if there are none.

    Signals:
        edited: the Notes, after a person has changed them.
    """

    edited = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.notes: Notes | None = None
        self._starts: Mapping[int, float] = {}
        self._rows: tuple[NotesRow, ...] = ()

    def show_notes(self, notes: Notes | None, starts: Mapping[int, float]) -> None:
        """Show notes; `starts` are the seconds of the lines that they rest on."""
        if notes == self.notes and starts == self._starts:
            return
        self.beginResetModel()
        self.notes, self._starts = notes, dict(starts)
        self._rows = _rows_of(notes)
        self.endResetModel()

    def line_at(self, index: AnyIndex) -> NoteLine | None:
        """Return the line of a row; None of a heading."""
        row = self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None
        if row is None or row.place is None or self.notes is None:
            return None
        return self.notes.sections[row.section].lines[row.place]

    def add_line(self, index: AnyIndex, text: str) -> int:
        """Add a person's line at the end of a row's section; return its row."""
        section = self._rows[index.row()].section
        lines = self._section(section).lines
        self._change(section, (*lines, NoteLine(text, by_hand=True)))
        return self._rows.index(NotesRow(section, len(lines)))

    def remove_line(self, index: AnyIndex) -> None:
        """Remove the line of a row."""
        row = self._rows[index.row()]
        lines = self._section(row.section).lines
        self._change(row.section, tuple(line for place, line in enumerate(lines) if place != row.place))

    # --- Qt's interface ---

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, line = self._rows[index.row()], self.line_at(index)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._heading(row) if line is None else f"{self._time(line)} {_words(line)}".strip()
            case NotesRole.WORDS:
                return self._heading(row) if line is None else _words(line)
            case NotesRole.TIME:
                return "" if line is None else self._time(line)
            case NotesRole.IS_HEADING:
                return line is None
            case Qt.ItemDataRole.EditRole:
                return line.text if line is not None else None
        return None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if self.line_at(index) is None:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row, line = self._rows[index.row()], self.line_at(index)
        text = one_line(str(value))
        if line is None or row.place is None or not text or text == line.text:
            return False
        lines = list(self._section(row.section).lines)
        lines[row.place] = replace(line, text=text, by_hand=True)
        self._change(row.section, tuple(lines))
        return True

    def _section(self, number: int) -> NotesSection:
        assert self.notes is not None
        return self.notes.sections[number]

    def _change(self, number: int, lines: tuple[NoteLine, ...]) -> None:
        assert self.notes is not None
        sections = list(self.notes.sections)
        sections[number] = replace(sections[number], lines=lines)
        self.show_notes(replace(self.notes, sections=tuple(sections)), self._starts)
        self.edited.emit(self.notes)

    def _heading(self, row: NotesRow) -> str:
        return one_line(self._section(row.section).title)

    def _time(self, line: NoteLine) -> str:
        """Return when the first line was said that a note rests on; "" if nobody knows."""
        first = next((self._starts[number] for number in line.rests_on if number in self._starts), None)
        return write_moment(first) if first is not None else ""


def _words(line: NoteLine) -> str:
    """Return a line's text behind who does it, and when."""
    about = ", ".join(filter(None, (one_line(line.who), one_line(line.when))))
    return breakable(f"{about}: {one_line(line.text)}" if about else one_line(line.text))


def _rows_of(notes: Notes | None) -> tuple[NotesRow, ...]:
    """Return the rows of notes; a section without lines has none."""
    rows: list[NotesRow] = []
    for number, section in enumerate(notes.sections if notes is not None else ()):
        if section.lines:
            rows += [NotesRow(number), *(NotesRow(number, place) for place in range(len(section.lines)))]
    return tuple(rows)
