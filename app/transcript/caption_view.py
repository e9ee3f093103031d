"""The transcript on the screen: captions with times beside them and translations beneath, following the speech."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import name_before
from app.transcript.place_mark import PlaceMarks, TextPosition
from app.transcript.reading_view import LINE_CHARACTERS, NARROW_PIXELS, ReadingView, margin_time
from app.transcript.time_of_day import Clock
from app.transcript.transcript_text import TranscriptText
from engine.events import Caption, text_of

REPAINT_MILLISECONDS = 50
SLACK_PIXELS = 8


class CaptionView(ReadingView):
    """Shows a CaptionModel: committed words solid, pending ones dim, translations in a colour of their own.

    It follows the newest words until the reader scrolls up; from then on the visible text keeps its place, whatever
    changes above or below. Text can be selected and copied. Each change rewrites only the end of the paragraphs it
    concerns, so that an hour of text is as fast as a minute.

    Attributes:
        following: whether the newest words are kept visible.
        marks: the places that the reader has marked.

    Signals:
        following_changed: the reader has scrolled away from the newest words, or back to them.
        written: the text has changed.
        double_clicked: the QPoint of the viewport.
    """

    following_changed = Signal(bool)
    written = Signal()
    double_clicked = Signal(QPoint)

    def __init__(self, model: CaptionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Captions"))
        self.following = True
        self._model = model
        # The widget's own palette lacks a readable colour for pending words: style sheets make it too pale.
        self._text = TranscriptText(self.document(), model, QGuiApplication.palette)
        self._changed: set[int] = set()
        self._highlights: dict[str, Sequence[QTextEdit.ExtraSelection]] = {}
        self._hint = ""
        self._clock: Callable[[], Clock] = lambda: ()
        self._times_width = 0.0
        self._rest = QTimer(self, singleShot=True, interval=REPAINT_MILLISECONDS)
        self._rest.timeout.connect(self.refresh)
        self.verticalScrollBar().rangeChanged.connect(self._keep_up)
        self.verticalScrollBar().valueChanged.connect(self._note_scrolling)
        model.rowsInserted.connect(self._note_new_rows)
        model.dataChanged.connect(self._note_changed_rows)
        model.rowsRemoved.connect(self._forget_rows)
        model.modelReset.connect(self.rebuild)
        self.marks = PlaceMarks(self, self, model)
        self.written.connect(self.marks.follow)
        self.rebuild()

    def set_hint(self, hint: str) -> None:
        """Set the text to show while there are no captions."""
        self._hint = hint
        self.viewport().update()

    def set_caption_font(self, font: QFont) -> None:
        """Set the font of captions; the times beside them are smaller."""
        self.set_fonts(font, 0.55)
        self._lay_out()

    def set_stable_only(self, stable_only: bool) -> None:
        """Set whether pending words are left out."""
        if stable_only != self._text.stable_only:
            self._text.stable_only = stable_only
            self.rebuild()

    def show_clock(self, clock: Callable[[], Clock]) -> None:
        """Show times of day beside captions, where the clock that `clock` returns knows them."""
        self._clock = clock
        self._lay_out()
        self.viewport().update()

    def mark_place(self, place: QPoint | None = None) -> None:
        """Mark the word at a position of the viewport, or else the one being read.

        The latter is the start of the selection; without one, the newest word while following, else the topmost visible
        word.
        """
        self.marks.put(self.cursorForPosition(place).position() if place is not None else self._position_read())

    def return_to_mark(self) -> None:
        """Scroll to a mark; new words are not followed until the reader comes back to them."""
        self.marks.reveal()

    def show_line(self, seconds: float, text: str) -> None:
        """Scroll to the caption spoken at a time, and select a text in it."""
        captions = self._model.captions
        caption = next((each for each in reversed(captions) if each.start <= seconds + 1e-3), None)
        if caption is None:
            return
        self.refresh()
        within = max(0, text_of(caption.committed).strip().find(text))
        place = TextPosition(caption.id, False, len(name_before(caption.speaker)) + within)
        if (cursor := self.cursor_at(place)) is not None:
            self.reveal(cursor)
            cursor.setPosition(cursor.selectionStart())
            cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, len(text))
            self.setTextCursor(cursor)

    @property
    def selected_captions(self) -> tuple[int, ...]:
        """The ids of the captions that are selected, all or in part."""
        cursor = self.textCursor()
        return self._captions_in(cursor) if cursor.hasSelection() else ()

    def captions_meant(self, place: QPoint) -> tuple[int, ...]:
        """Return the ids of the selected captions, or of the one at a position of the viewport."""
        return self.selected_captions or self._captions_in(self.cursorForPosition(place))

    def _captions_in(self, cursor: QTextCursor) -> tuple[int, ...]:
        ends = (self.place_at(cursor.selectionStart()), self.place_at(cursor.selectionEnd()))
        rows = [self._model.row_of(end.caption) for end in ends if end is not None]
        found = [row for row in rows if row is not None]
        return tuple(self._model.caption_at(row).id for row in range(min(found), max(found) + 1)) if found else ()

    def highlight(self, name: str, selections: Sequence[QTextEdit.ExtraSelection]) -> None:
        """Highlight parts of the text for one purpose, in place of earlier ones for the same purpose."""
        self._highlights[name] = selections
        self.setExtraSelections([each for purpose in self._highlights.values() for each in purpose])

    def reveal(self, cursor: QTextCursor) -> None:
        """Scroll a word to the upper third of the view, unless it is clearly visible already."""
        place, height = self.cursorRect(cursor), self.viewport().height()
        if not (height * 0.1 < place.top() and place.bottom() < height * 0.9):
            self._set_following(False)
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + place.top() - height // 3)

    def place_at(self, position: int) -> TextPosition | None:
        """Return the place in a caption at a position of the document."""
        return self._text.place_at(position)

    def cursor_at(self, place: TextPosition) -> QTextCursor | None:
        """Return a cursor on the word at a place; None if that caption is not written."""
        return self._text.cursor_at(place)

    def line_of(self, caption: int) -> tuple[QRect, QTextBlockFormat] | None:
        """Return the rectangle of a caption's text in the view's own pixels, and its format; None if not written."""
        cursor = self.cursor_at(TextPosition(caption, False, 0))
        if cursor is None:
            return None
        block = cursor.block()
        room = self.document().documentLayout().blockBoundingRect(block)
        room.setBottom(room.top() + sum(block.layout().lineAt(i).height() for i in range(block.layout().lineCount())))
        style = block.blockFormat()
        style.setBottomMargin(0.0)
        corner = self.viewport().pos() - QPoint(0, self.verticalScrollBar().value())
        return room.toRect().translated(corner), style

    def named_length(self, caption: Caption) -> int:
        """Return how much of a caption's line is the name of its speaker."""
        return len(name_before(caption.speaker))

    def stop_following(self) -> None:
        """Keep the visible text in its place while new words come, until `jump_to_newest`."""
        self._set_following(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            self.double_clicked.emit(event.position().toPoint())

    def jump_to_newest(self) -> None:
        """Follow the newest words again."""
        self._set_following(True)
        self._keep_up()

    def rebuild(self) -> None:
        """Rewrite the whole text; for a reset or for new colours, not for updates."""
        self._text.clear()
        self._changed = set(range(self._model.rowCount()))
        self._lay_out()
        self.refresh()
        self.written.emit()

    def refresh(self) -> None:
        """Write the changes since the last time."""
        if not self._changed:
            return
        first, offset = self._first_in_sight()
        self._text.write(sorted(self._changed))
        self._changed.clear()
        self._rest.start()
        self._keep_up()
        self._keep_in_place(first, offset)
        self.viewport().update()  # the times lie outside the area that the text repaints
        self.written.emit()

    def _note_new_rows(self, parent: QModelIndex, first: int, last: int) -> None:
        self._note(range(first, last + 1))

    def _note_changed_rows(self, first: QModelIndex, last: QModelIndex) -> None:
        self._note(range(first.row(), last.row() + 1))

    def _forget_rows(self, parent: QModelIndex, first: int, last: int) -> None:
        """Remove captions that have lost all their words."""
        count = last + 1 - first
        self._changed = {row if row < first else row - count for row in self._changed if not first <= row <= last}
        self._text.remove(first, last)
        self.viewport().update()
        self.written.emit()

    def _note(self, rows: range) -> None:
        self._changed.update(rows)
        if not self._rest.isActive():
            self.refresh()

    def _position_read(self) -> int:
        """Return the position of the word that is probably being read."""
        selection = self.textCursor()
        if selection.hasSelection():
            return selection.selectionStart()
        if not self.following:
            return self.cursorForPosition(QPoint(self.viewport().width() // 3, self.fontMetrics().height())).position()
        newest = QTextCursor(self.document())
        newest.movePosition(QTextCursor.MoveOperation.End)
        newest.movePosition(QTextCursor.MoveOperation.StartOfWord)
        return newest.position()

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    def _keep_up(self) -> None:
        if self.following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _first_in_sight(self) -> tuple[QTextBlock, float]:
        """Return the paragraph at the upper edge, and its distance from that edge."""
        top = self.verticalScrollBar().value()
        block = self.first_block_at(top)
        return block, self.document().documentLayout().blockBoundingRect(block).top() - top

    def _keep_in_place(self, block: QTextBlock, offset: float) -> None:
        """Keep older words in place while they are being read."""
        if not self.following and block.isValid():
            top = self.document().documentLayout().blockBoundingRect(block).top()
            self.verticalScrollBar().setValue(round(top - offset))

    def _note_scrolling(self, value: int) -> None:
        self._set_following(value >= self.verticalScrollBar().maximum() - SLACK_PIXELS)

    def _lay_out(self) -> None:
        """Set the columns of text and times for the available width."""
        metrics = QFontMetricsF(self.font())
        width = self.viewport().width()
        side = 20.0 if width < NARROW_PIXELS else 36.0
        times = 0.0 if width < NARROW_PIXELS else QFontMetricsF(self.margin_font).horizontalAdvance("00:00:00") + 22
        column = min(width - 2 * side - times, metrics.averageCharWidth() * LINE_CHARACTERS)
        left = side + times + max(0.0, (width - 2 * side - times - column) / 2 - times / 2)
        self.set_margins(left, 28.0, max(0.0, width - left - column), metrics.height() * 1.2)
        self._times_width = times
        self._keep_up()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if self._text.is_empty:
            self._paint_hint(painter)
        elif self._times_width:
            self._paint_times(painter, event)
        self.marks.paint(painter)
        painter.end()

    def _paint_hint(self, painter: QPainter) -> None:
        left = self.document().rootFrame().frameFormat().leftMargin()
        painter.setPen(QGuiApplication.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(self.font())
        room = QRectF(left, 28, self.viewport().width() - 2 * left, self.viewport().height() - 56)
        painter.drawText(room, Qt.TextFlag.TextWordWrap, self._hint)

    def _paint_times(self, painter: QPainter, event: QPaintEvent) -> None:
        top = self.verticalScrollBar().value()
        right = self.document().rootFrame().frameFormat().leftMargin() - 22
        metrics = QFontMetricsF(self.margin_font)
        painter.setFont(self.margin_font)
        layout = self.document().documentLayout()
        clock = self._clock()
        for block, caption in self._text.rows_from(self.first_block_at(top + event.rect().top())):
            place = layout.blockBoundingRect(block)
            if place.top() - top > event.rect().bottom():
                break
            if block.layout().lineCount():
                line = block.layout().lineAt(0)
                text = margin_time(clock, caption.start)
                painter.setPen(self._time_colour(caption))
                baseline = place.top() - top + line.y() + line.ascent()
                painter.drawText(QPointF(right - metrics.horizontalAdvance(text), baseline), text)

    def _time_colour(self, caption: Caption) -> QColor:
        role = QPalette.ColorRole.Dark if caption.final else QPalette.ColorRole.Accent
        return self.palette().color(role)
