"""Marks in the transcript: each stays with its word, whatever follows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, QPointF, Signal
from PySide6.QtGui import QPainter, QPalette, QPolygonF, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import character_at, second_at

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
    """The methods that marks need of a text, beside those of every QTextEdit."""

    def place_at(self, position: int) -> TextPosition | None: ...

    def cursor_at(self, place: TextPosition) -> QTextCursor | None: ...

    def reveal(self, cursor: QTextCursor) -> None: ...

    def highlight(self, name: str, selections: Sequence[QTextEdit.ExtraSelection]) -> None: ...


class PlaceMarks(QObject):
    """Marks words of the transcript with their colour and a ribbon beside their lines.

    Attributes:
        places: the marked places, in the order in which they were marked.

    Signals:
        changed: marks were set, moved or removed.
        edited: a person has set or removed one.
    """

    changed = Signal()
    edited = Signal()

    def __init__(self, text: MarkedText, view: QTextEdit, model: CaptionModel) -> None:
        """Prepare marks for `text`, which `view` shows."""
        super().__init__(view)
        self.places: tuple[TextPosition, ...] = ()
        self._text = text
        self._view = view
        self._model = model
        self._shown: TextPosition | None = None  # the one that was revealed last
        model.modelReset.connect(lambda: self._set(()))  # another transcript

    @property
    def newest(self) -> TextPosition | None:
        """Return the place that was marked last; None without one."""
        return self.places[-1] if self.places else None

    @property
    def moments(self) -> tuple[tuple[int, float], ...]:
        """Return the marks as captions' ids, each with the second of the transcript at which its word begins."""
        found = []
        for place in self.places:
            row = self._model.row_of(place.caption)
            if row is not None:
                caption = self._model.caption_at(row)
                found.append((place.caption, second_at(caption, 0 if place.in_translation else place.offset)))
        return tuple(sorted(set(found), key=lambda each: each[1]))

    @property
    def side(self) -> int:
        """Side of the newest mark's line: 0 if visible, -1 above the visible part, 1 below."""
        if (cursor := self._cursor(self.newest)) is None:
            return 0
        line = self._view.cursorRect(cursor)
        return int(line.top() >= self._view.viewport().height()) - int(line.bottom() <= 0)

    def put(self, position: int) -> None:
        """Mark the word at a position of the document; a caption that is marked there already stays as it is."""
        place = self._text.place_at(position)
        if place is not None and self._marked_word(place) not in map(self._marked_word, self.places):
            self.put_back((*self.places, place))

    def put_back(self, places: Iterable[TextPosition]) -> None:
        """Mark these places instead of the present ones, as a person asked for."""
        if tuple(places) != self.places:
            self._set(places)
            self.edited.emit()

    def show_moments(self, seconds: Iterable[float]) -> None:
        """Mark the words that were being said at these seconds of the transcript."""
        places = []
        for second in seconds:
            captions = [each for each in self._model.captions if each.start <= second + 1e-3]
            if captions:
                caption = max(captions, key=lambda each: each.start)
                places.append(TextPosition(caption.id, False, character_at(caption, second)))
        self._set(places)

    def within(self, captions: Iterable[int]) -> tuple[TextPosition, ...]:
        """Return the marks in these captions, by their ids."""
        chosen = set(captions)
        return tuple(each for each in self.places if each.caption in chosen)

    def reveal(self) -> None:
        """Scroll to the newest mark; when asked again, to the one before it, and round again."""
        if not self.places:
            return
        at = self.places.index(self._shown) if self._shown in self.places else 0
        self._shown = self.places[at - 1]
        if (cursor := self._cursor(self._shown)) is not None:
            self._text.reveal(cursor)

    def paint(self, painter: QPainter) -> None:
        """Draw the ribbons beside the marked lines."""
        for place in self.places:
            if (cursor := self._cursor(place)) is not None:
                self._paint_beside(painter, cursor)

    def _paint_beside(self, painter: QPainter, cursor: QTextCursor) -> None:
        line = self._view.cursorRect(cursor)
        right = self._view.document().rootFrame().frameFormat().leftMargin() - GAP_PIXELS
        paint_ribbon(painter, self._view.palette(), right, line.top() + line.height() * 0.14, line.bottom() - 2.0)

    def follow(self) -> None:
        """Update the marks after changes; one whose caption is gone moves to an earlier one."""
        if self.places:
            moved = dict.fromkeys(place for each in self.places if (place := self._still(each)) is not None)
            if tuple(moved) != self.places:
                self._set(moved)
            else:
                self._colour()

    def _still(self, place: TextPosition) -> TextPosition | None:
        """Return where a mark is now; None if its caption is gone and there is no earlier one."""
        if self._model.row_of(place.caption) is not None:
            return place
        before = [each.id for each in self._model.captions if each.id < place.caption]
        return TextPosition(before[-1], False, 0) if before else None

    def restore(self, places: Iterable[TextPosition]) -> None:
        """Mark places that were marked before, when their transcript is shown again."""
        self._set(places)

    def _set(self, places: Iterable[TextPosition]) -> None:
        places = tuple(places)
        if places != self.places:
            self.places = places
            self._shown = None
            self._colour()
            self.changed.emit()

    def _marked_word(self, place: TextPosition) -> tuple[int, int] | None:
        cursor = self._cursor(place)
        return None if cursor is None else (cursor.selectionStart(), cursor.selectionEnd())

    def _cursor(self, place: TextPosition | None) -> QTextCursor | None:
        return self._text.cursor_at(place) if place is not None else None

    def _colour(self) -> None:
        selections = []
        for place in self.places:
            if (cursor := self._cursor(place)) is not None:
                style = QTextCharFormat()
                style.setBackground(self._view.palette().brush(QPalette.ColorRole.Highlight))
                style.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
                style.setUnderlineColor(self._view.palette().color(QPalette.ColorRole.Accent))
                marked = QTextEdit.ExtraSelection()
                marked.cursor, marked.format = cursor, style
                selections.append(marked)
        self._text.highlight("mark", selections)
        self._view.viewport().update()


def paint_ribbon(painter: QPainter, palette: QPalette, right: float, top: float, bottom: float) -> None:
    """Draw the ribbon of a mark, from `top` to `bottom`, left of `right`."""
    left = right - RIBBON_PIXELS
    notch = QPointF((left + right) / 2, bottom - RIBBON_PIXELS * 0.45)
    corners = (QPointF(left, top), QPointF(right, top), QPointF(right, bottom), notch, QPointF(left, bottom))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(palette.color(QPalette.ColorRole.Accent))
    painter.setBrush(palette.brush(QPalette.ColorRole.Accent))
    painter.drawPolygon(QPolygonF(list(corners)))
    painter.restore()
