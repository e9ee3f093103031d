"""A view of a kept transcript: times at the left, delays at the right if wanted, hits of a search marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QIcon,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.history.search import Term
from app.history.speakers import speaker_names
from app.history.transcript.line_style import paragraph_of, write_line
from app.history.transcript.transcript_hits import TranscriptHits, word_mark
from app.history.transcript.transcript_lines import LINE_END, Line, LineOrigin
from app.look.decimals import decimal
from app.look.theme import caption_font
from app.transcript.place_mark import paint_ribbon
from app.transcript.reading_view import LINE_CHARACTERS, NARROW_PIXELS, ReadingView, margin_time
from app.transcript.time_of_day import Clock

READING_FACTOR = 1.2
SLICE_LINES = 30

_GAP_PIXELS = 22
_MARK_PIXELS = 11
_BAR_PIXELS = 3
_RIBBON_PIXELS = 17


class TranscriptView(ReadingView):
    """Shows lines that do not change any more, or only grow; long transcripts are written a slice at a time.

    Signals:
        hits_changed: number of the marked hit from 1 on, and how many there are; 0 and 0 if there are none.
        clicked: the place of a line, if nothing was selected.
        double_clicked: the place of a line, and the position in its text.
        menu_wanted: the place of a line, and the QPoint of the screen for its menu.
        moved: lines have moved within the view.
    """

    hits_changed = Signal(int, int)
    clicked = Signal(int)
    double_clicked = Signal(int, int)
    menu_wanted = Signal(int, object)
    moved = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Transcript"))
        self._lines: tuple[Line, ...] = ()
        self._written = 0
        self._hits = TranscriptHits(self.document())
        self._goes_to_hit = False
        self._shows_delays = False
        self._clock: Clock = ()
        self._corrected_icon = QIcon()
        self._heard: int | None = None  # the place of the line that is being heard
        self._heard_word: tuple[int, int] | None = None  # and where in its text
        self._left_pixels = self._right_pixels = 0.0
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._go_on)
        self.set_fonts(caption_font(QFont().pointSizeF() * READING_FACTOR), 0.78)
        self.verticalScrollBar().valueChanged.connect(self.moved)

    @property
    def is_complete(self) -> bool:
        """Return whether all lines are in the document, and all hits are known."""
        return self._hits.searched == self._written == len(self._lines)

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show these lines; what is the same at the beginning stays, and so does the position in the text."""
        lines = tuple(lines)
        pairs = zip(self._lines[: self._written], lines, strict=False)
        kept = next((i for i, (old, new) in enumerate(pairs) if old != new), min(self._written, len(lines)))
        if kept < len(lines):
            kept = max(0, kept - 1)  # how far a line is from the next one depends on that
        place = self.verticalScrollBar().value() if kept else 0
        if not kept:
            self.document().clear()
        elif kept < self._written:
            self._cut_after(kept)
        self._lines, self._written = lines, kept
        self._lay_out()
        self._write_slice()
        self._look_again()
        if not kept:
            self.moveCursor(QTextCursor.MoveOperation.Start)  # writing has taken it along
        self.verticalScrollBar().setValue(place)

    def look_for(self, terms: Sequence[Term]) -> None:
        """Mark these terms, and show the first hit."""
        self._hits.terms = tuple(terms)
        self._hits.current = 0
        self._goes_to_hit = True
        self._look_again()

    def show_delays(self, show: bool) -> None:
        """Show or hide the delay beside each line."""
        self._shows_delays = show
        self._lay_out()
        self.viewport().update()

    def show_clock(self, clock: Clock) -> None:
        """Show times of day beside the lines instead of the seconds of the recording, if a clock is given."""
        self._clock = clock
        self._lay_out()
        self.viewport().update()

    def go_to_next_mark(self) -> None:
        """Scroll to the next marked line below the upper edge, and round again; put the text cursor there."""
        marked = [place for place, line in enumerate(self._lines[: self._written]) if line.marked]
        if not marked:
            return
        here = self.textCursor().blockNumber()
        place = next((each for each in marked if each > here), marked[0])
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(place)))
        self._scroll_to(place)

    def go_to_next_hit(self) -> None:
        self._go(1)

    def go_to_previous_hit(self) -> None:
        self._go(-1)

    def restyle(self, corrected: QIcon) -> None:
        """Apply new colours, and the icon for corrected lines."""
        self._corrected_icon = corrected
        lines, self._lines, self._written = self._lines, (), 0
        self.show_lines(lines)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return all lines, written or not yet."""
        return self._lines

    def mark_heard(self, place: int | None, word: tuple[int, int] | None = None) -> None:
        """Mark the line and the word that are being played; scroll to the line if it is another."""
        before, self._heard = self._heard, place
        if word != self._heard_word or place != before:
            self._heard_word = word
            self._show_marks()
        if place == before:
            return
        self.viewport().update()
        if place is not None and place < self._written:
            self._scroll_to(place)

    def _scroll_to(self, place: int) -> None:
        """Scroll to a line unless it is in sight."""
        room, sight = self.place_of(place), self.viewport().geometry()
        if room.top() < sight.top() or room.bottom() > sight.bottom():
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + room.top() - sight.top() - sight.height() // 3)

    def line(self, place: int) -> Line | None:
        """Return the line at a place; None if none is written there."""
        return self._lines[place] if 0 <= place < self._written else None

    def place_of(self, place: int) -> QRect:
        """Return the rectangle of a line's text, in the view's own pixels."""
        block = self.document().findBlockByNumber(place)
        room = self.document().documentLayout().blockBoundingRect(block)
        room.setBottom(room.top() + sum(block.layout().lineAt(i).height() for i in range(block.layout().lineCount())))
        corner = self.viewport().pos() - QPoint(0, self.verticalScrollBar().value())
        return room.toRect().translated(corner)

    def places_meant(self, place: int) -> tuple[int, ...]:
        """Return the places of the selected lines; only this one if it is not among them."""
        cursor, document = self.textCursor(), self.document()
        ends = (document.findBlock(each).blockNumber() for each in (cursor.selectionStart(), cursor.selectionEnd()))
        first, last = ends
        selected = tuple(range(first, last + 1))
        return selected if cursor.hasSelection() and place in selected else (place,)

    @property
    def selected_captions(self) -> tuple[int, ...]:
        """The ids of the captions that are selected, all or in part."""
        if not self.textCursor().hasSelection():
            return ()
        lines = (self.line(place) for place in self.places_meant(self.textCursor().blockNumber()))
        return tuple(line.caption for line in lines if line is not None and line.caption is not None)

    def show_captions(self, ids: Sequence[int]) -> None:
        """Scroll to the first of these captions, and select it."""
        place = next((place for place, line in enumerate(self._lines) if line.caption == ids[0]), None)
        if place is None:
            return
        while place >= self._written:
            self._write_slice()
        cursor = QTextCursor(self.document().findBlockByNumber(place))
        self._scroll_to(place)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def style_of(self, place: int) -> QTextBlockFormat:
        """Return the paragraph format of a line, without the space below it."""
        style = self.document().findBlockByNumber(place).blockFormat()
        style.setBottomMargin(0.0)
        return style

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.clicked.emit(self.cursorForPosition(event.position().toPoint()).blockNumber())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        if event.button() is Qt.MouseButton.LeftButton:
            cursor = self.cursorForPosition(event.position().toPoint())
            self.double_clicked.emit(cursor.blockNumber(), cursor.positionInBlock())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the line below the pointer, or, by the keyboard, at the text cursor."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self.ensureCursorVisible()
            place = self.place_of(self.textCursor().blockNumber()).bottomLeft()
            self.menu_wanted.emit(self.textCursor().blockNumber(), self.mapToGlobal(place))
        else:
            cursor = self.cursorForPosition(self.viewport().mapFrom(self, event.pos()))
            self.menu_wanted.emit(cursor.blockNumber(), event.globalPos())

    def _go(self, by: int) -> None:
        if self._hits.count:
            self._hits.go(by)
            self._show_hits()
            self._show_current()

    def _cut_after(self, kept: int) -> None:
        cursor = QTextCursor(self.document().findBlockByNumber(kept - 1))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _write_slice(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for line in self._lines[self._written : self._written + SLICE_LINES]:
            self._append(cursor, line)
            self._written += 1
        cursor.endEditBlock()
        self.viewport().update()

    def _go_on(self) -> None:
        """Write and search some more lines, so that the window is never blocked for long."""
        if self._written < len(self._lines):
            self._write_slice()
        else:
            self._search_slice()
        if self.is_complete:
            self._slices.stop()

    def _append(self, cursor: QTextCursor, line: Line) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._written:
            cursor.insertBlock()
        following = self._lines[self._written + 1 : self._written + 2]
        height = self.fontMetrics().height()
        cursor.setBlockFormat(paragraph_of(line, following[0] if following else None, height))
        write_line(cursor, line, self.palette())

    def _look_again(self) -> None:
        """Search for the terms from the beginning."""
        self._hits.look_again(len(self._lines))
        self._show_hits()
        if not self.is_complete:
            self._slices.start()

    def _search_slice(self) -> None:
        known, first = self._hits.count, self._hits.searched
        self._hits.search(self._lines[first : first + SLICE_LINES])
        self._tell_hits()
        if self._goes_to_hit and self._hits.count:
            self._goes_to_hit = False
            self._show_current()
        if self._hits.count and (not known or self.is_complete):
            self._show_hits()

    def _show_hits(self) -> None:
        self._show_marks()
        self._tell_hits()

    def _show_marks(self) -> None:
        heard = word_mark(self.document(), self._lines[: self._written], self._heard, self._heard_word, self.palette())
        self.setExtraSelections([*self._hits.marks(self.palette()), *heard])

    def _tell_hits(self) -> None:
        self.hits_changed.emit(self._hits.current + 1 if self._hits.count else 0, self._hits.count)

    def _show_current(self) -> None:
        """Scroll the marked hit into the middle of the view."""
        cursor = self._hits.cursor()
        place = self.document().documentLayout().blockBoundingRect(cursor.block())
        line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
        top = place.top() + (line.y() if line.isValid() else 0.0)
        self.verticalScrollBar().setValue(round(top - self.viewport().height() / 3))

    def _lay_out(self) -> None:
        """Set the columns for text, times and delays at the present width."""
        margin = QFontMetricsF(self.margin_font)
        width = self.viewport().width()
        side = 16.0 if width < NARROW_PIXELS else 28.0
        talk = self._is_conversation
        label = max(margin.horizontalAdvance(each) for each in (speaker_names() if talk else ("00:00:00",)))
        left = side + label + _GAP_PIXELS
        delay = margin.horizontalAdvance(_delay_text(9.9)) + _GAP_PIXELS if self._shows_delays else 0.0
        column = QFontMetricsF(self.font()).averageCharWidth() * LINE_CHARACTERS
        right = max(side + delay, width - left - column)
        self._left_pixels, self._right_pixels = left - _GAP_PIXELS, width - right + _GAP_PIXELS
        self.set_margins(left, 20.0, right, QFontMetricsF(self.font()).height())

    @property
    def selected_text(self) -> str:
        """Return the selected text, without times and delays."""
        marks = {ord("\N{PARAGRAPH SEPARATOR}"): "\n", ord(LINE_END): "\n", ord("\N{NO-BREAK SPACE}"): " "}
        return self.textCursor().selectedText().translate(marks)

    @property
    def _is_conversation(self) -> bool:
        return bool(self._lines) and self._lines[0].voice in (LineOrigin.ASKED, LineOrigin.ANSWERED)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        self.moved.emit()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.note_below(event.pos().toPointF())
            if text:
                QToolTip.showText(event.globalPos(), text, self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def note_below(self, point: QPointF) -> str:
        """Return a note about the word at a point of the viewport: how soon it was shown, how it was heard."""
        offset = QPointF(0, self.verticalScrollBar().value())
        position = self.document().documentLayout().hitTest(point + offset, Qt.HitTestAccuracy.ExactHit)
        if position < 0:
            return ""
        block = self.document().findBlock(position)
        line = self._lines[block.blockNumber()]
        within = block.text().encode("utf-16-le")[: 2 * (position - block.position())].decode("utf-16-le", "ignore")
        delay = line.delay_at(len(within))
        notes = [] if delay is None else [self.tr("Shown {} s after it was said").format(decimal(delay, 1))]
        notes += [self.tr("Corrected. Heard: “{}”").format(line.heard)] if line.heard else []
        notes += [self.tr("Marked")] if line.marked else []
        notes += [self.tr("Translated before the line above was corrected")] if line.is_outdated else []
        return "\n".join(notes)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setFont(self.margin_font)
        painter.setPen(self.palette().color(QPalette.ColorRole.Dark))
        top = self.verticalScrollBar().value()
        layout = self.document().documentLayout()
        block = self.first_block_at(top + event.rect().top())
        while block.isValid() and block.blockNumber() < self._written:
            place = layout.blockBoundingRect(block)
            if place.top() - top > event.rect().bottom():
                break
            self._paint_beside(painter, block, place.top() - top)
            block = block.next()
        painter.end()

    def _paint_beside(self, painter: QPainter, block: QTextBlock, top: float) -> None:
        line = self._lines[block.blockNumber()]
        if not block.layout().lineCount():
            return
        first = block.layout().lineAt(0)
        baseline = top + first.y() + first.ascent()
        metrics = QFontMetricsF(self.margin_font)
        label = self._label_of(line)
        if block.blockNumber() == self._heard:
            height = sum(block.layout().lineAt(i).height() for i in range(block.layout().lineCount()))
            bar = QRectF(self._left_pixels + _GAP_PIXELS - _BAR_PIXELS - 4, top, _BAR_PIXELS, height)
            painter.fillRect(bar, self.palette().color(QPalette.ColorRole.Accent))
        painter.drawText(QPointF(self._left_pixels - metrics.horizontalAdvance(label), baseline), label)
        if line.heard:
            corner = QPointF(self._left_pixels + 2, baseline - metrics.ascent())
            size = QSize(_MARK_PIXELS, _MARK_PIXELS)
            self._corrected_icon.paint(painter, QRect(corner.toPoint(), size))
        if line.marked:
            right, height = self._left_pixels + _RIBBON_PIXELS, metrics.ascent()
            paint_ribbon(painter, self.palette(), right, baseline - height, baseline + 2.0)
        if self._shows_delays and line.delay_seconds is not None:
            painter.drawText(QPointF(self._right_pixels, baseline), _delay_text(line.delay_seconds))

    def _label_of(self, line: Line) -> str:
        asks, answers = speaker_names()
        if line.voice is LineOrigin.ASKED:
            return asks
        if line.voice is LineOrigin.ANSWERED:
            return answers
        if line.seconds is None:
            return ""
        return margin_time(self._clock, line.seconds)


def _delay_text(seconds: float) -> str:
    return f"{decimal(seconds, 1)} s"
