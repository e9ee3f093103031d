"""A mark where the reader left off: it stays with its word, whatever follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtGui import QPainter, QPalette, QPolygonF, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.transcript.caption_model import CaptionModel

RIBBON_PIXELS, GAP_PIXELS = 8.0, 6.0


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A place in the transcript.

    Attributes:
        caption: id of the caption.
        in_translation: whether it is in the caption's translation.
        offset: position from the start of the caption or its translation, in UTF-16 units.
    """

    caption: int
    in_translation: bool
    offset: int


class MarkedText(Protocol):
    """The methods that a mark needs of a text, beside those of every QTextEdit."""

    def place_at(self, position: int) -> TextPosition | None: ...

    def cursor_at(self, place: TextPosition) -> QTextCursor | None: ...

    def reveal(self, cursor: QTextCursor) -> None: ...

    def highlight(self, name: str, selections: Sequence[QTextEdit.ExtraSelection]) -> None: ...


class PlaceMark(QObject):
    """Marks one word of the transcript with its colour and a ribbon beside its line.

    Attributes:
        place: the place of the mark; None without one.

    Signals:
        changed: it was set, moved or removed.
    """

    changed = Signal()

    def __init__(self, text: MarkedText, view: QTextEdit, model: CaptionModel) -> None:
        """Create a mark for `text`, which `view` shows."""
        super().__init__(view)
        self.place: TextPosition | None = None
        self._text = text
        self._view = view
        self._model = model
        model.modelReset.connect(self.remove)  # another transcript

    @property
    def side(self) -> int:
        """Side of its line: 0 if visible, -1 above the visible part, 1 below."""
        if (cursor := self._cursor()) is None:
            return 0
        line = self._view.cursorRect(cursor)
        return int(line.top() >= self._view.viewport().height()) - int(line.bottom() <= 0)

    def put(self, position: int) -> None:
        """Mark the word at a position of the document."""
        if (place := self._text.place_at(position)) is not None:
            self.put_at(place)

    def put_at(self, place: TextPosition | None) -> None:
        """Mark the word at an earlier place of the mark; None removes the mark."""
        if place is None:
            self.remove()
        elif place != self.place:
            self.place = place
            self._colour()
            self.changed.emit()

    def remove(self) -> None:
        """Remove the mark."""
        if self.place is not None:
            self.place = None
            self._colour()
            self.changed.emit()

    def reveal(self) -> None:
        """Scroll to the mark."""
        if (cursor := self._cursor()) is not None:
            self._text.reveal(cursor)

    def paint(self, painter: QPainter) -> None:
        """Draw the ribbon beside the marked line."""
        if (cursor := self._cursor()) is None:
            return
        line = self._view.cursorRect(cursor)
        right = self._view.document().rootFrame().frameFormat().leftMargin() - GAP_PIXELS
        left, top, bottom = right - RIBBON_PIXELS, line.top() + line.height() * 0.14, line.bottom() - 2.0
        notch = QPointF((left + right) / 2, bottom - RIBBON_PIXELS * 0.45)
        corners = (QPointF(left, top), QPointF(right, top), QPointF(right, bottom), notch, QPointF(left, bottom))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._view.palette().color(QPalette.ColorRole.Accent))
        painter.setBrush(self._view.palette().brush(QPalette.ColorRole.Accent))
        painter.drawPolygon(QPolygonF(list(corners)))
        painter.restore()

    def follow(self) -> None:
        """Update the mark after changes; if its caption is gone, it moves to an earlier one."""
        if self.place is None:
            return
        if self._model.row_of(self.place.caption) is None:
            before = [each.id for each in self._model.captions if each.id < self.place.caption]
            if not before:
                self.remove()
                return
            self.place = TextPosition(before[-1], False, 0)
            self.changed.emit()
        self._colour()

    def _cursor(self) -> QTextCursor | None:
        return self._text.cursor_at(self.place) if self.place is not None else None

    def _colour(self) -> None:
        selections = []
        if (cursor := self._cursor()) is not None:
            style = QTextCharFormat()
            style.setBackground(self._view.palette().brush(QPalette.ColorRole.Highlight))
            style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            style.setUnderlineColor(self._view.palette().color(QPalette.ColorRole.Accent))
            marked = QTextEdit.ExtraSelection()
            marked.cursor, marked.format = cursor, style
            selections.append(marked)
        self._text.highlight("mark", selections)
        self._view.viewport().update()
