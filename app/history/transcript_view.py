"""A kept transcript to be read: times at the left, delays at the right if wanted, what was looked for marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QToolTip, QWidget

from app.history.search import Term, hits_in
from app.history.transcript_lines import Line, Voice
from app.look.decimals import decimal
from app.look.theme import caption_font
from app.transcript.caption_view import LINE_CHARACTERS, NARROW_PIXELS, clock_time

READING_FACTOR = 1.2
SLICE_LINES = 30
MOST_MARKED = 200
"""So many hits are marked at a time, around the one that is shown."""

_GAP_PIXELS = 18
_LINE_HEIGHT_PERCENT = 125
_BELOW = {Voice.SPOKEN: 0.5, Voice.TRANSLATED: 0.7, Voice.ASKED: 0.35, Voice.ANSWERED: 0.9}
_COLOURS = {Voice.TRANSLATED: QPalette.ColorRole.LinkVisited}


class TranscriptView(QTextEdit):
    """Shows lines that do not change any more, or only grow; long ones are written a slice at a time.

    Signals:
        hits_changed: the place of the marked hit from 1 on, and how many there are; 0 and 0 where there are none.
    """

    hits_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[Line, ...] = ()
        self._written = 0
        self._searched = 0
        self._terms: tuple[Term, ...] = ()
        self._hits: list[tuple[int, int]] = []  # of the document, from and to
        self._current = 0
        self._goes_to_hit = False
        self._shows_delays = False
        self._margin_font = QFont()
        self._left_pixels = self._right_pixels = 0.0
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._go_on)
        self.setObjectName("captions")
        self.setAccessibleName(self.tr("Transcript"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setCursorWidth(0)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self._take_font()

    @property
    def is_complete(self) -> bool:
        """Whether all lines are in the document, and all hits are known."""
        return self._searched == self._written == len(self._lines)

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show these; what stands at the beginning already stays, and so does what is being read."""
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
        """Mark where these stand, and go to the first place."""
        self._terms = tuple(terms)
        self._current = 0
        self._goes_to_hit = True
        self._look_again()

    def show_delays(self, show: bool) -> None:
        """Say beside each line how soon it was there."""
        self._shows_delays = show
        self._lay_out()
        self.viewport().update()

    def go_to_next_hit(self) -> None:
        self._go(1)

    def go_to_previous_hit(self) -> None:
        self._go(-1)

    def restyle(self) -> None:
        """Take over new colours."""
        lines, self._lines, self._written = self._lines, (), 0
        self.show_lines(lines)

    def _go(self, by: int) -> None:
        if self._hits:
            self._current = (self._current + by) % len(self._hits)
            self._show_marks()
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
        """Write some lines more, and look through some more, so that the window is never held up for long."""
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
        below = self.fontMetrics().height() * _BELOW[line.voice]
        following = self._lines[self._written + 1 : self._written + 2]
        if line.voice is Voice.SPOKEN and following and following[0].voice is Voice.TRANSLATED:
            below = 0.0
        style = QTextBlockFormat()
        style.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        style.setBottomMargin(below)
        if line.language:
            style.setLayoutDirection(QLocale(line.language).textDirection())
        cursor.setBlockFormat(style)
        look = QTextCharFormat()
        look.setForeground(self.palette().brush(_COLOURS.get(line.voice, QPalette.ColorRole.Text)))
        if line.voice is Voice.ASKED:
            look.setFontWeight(QFont.Weight.DemiBold)
        cursor.insertText(line.text, look)

    def _look_again(self) -> None:
        """Look for the terms from the beginning on."""
        self._hits = []
        self._searched = 0 if self._terms else len(self._lines)
        self._show_marks()
        if not self.is_complete:
            self._slices.start()

    def _search_slice(self) -> None:
        known = len(self._hits)
        block = self.document().findBlockByNumber(self._searched)
        for line in self._lines[self._searched : self._searched + SLICE_LINES]:
            for hit in hits_in(line.text, self._terms):
                begin = block.position() + _units(line.text[: hit.start])
                self._hits.append((begin, begin + _units(line.text[hit.start : hit.end])))
            block = block.next()
            self._searched += 1
        self._tell_hits()
        if self._goes_to_hit and self._hits:
            self._goes_to_hit = False
            self._show_current()
        if self._hits and (not known or self.is_complete):
            self._show_marks()

    def _show_marks(self) -> None:
        first = max(0, self._current - MOST_MARKED // 2)
        selections = []
        for place in range(first, min(first + MOST_MARKED, len(self._hits))):
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self.document())
            selection.cursor.setPosition(self._hits[place][0])
            selection.cursor.setPosition(self._hits[place][1], QTextCursor.MoveMode.KeepAnchor)
            current = place == self._current
            ground = QPalette.ColorRole.Accent if current else QPalette.ColorRole.Highlight
            selection.format.setBackground(self.palette().brush(ground))
            if current:
                selection.format.setForeground(self.palette().brush(QPalette.ColorRole.BrightText))
            selections.append(selection)
        self.setExtraSelections(selections)
        self._tell_hits()

    def _tell_hits(self) -> None:
        self.hits_changed.emit(self._current + 1 if self._hits else 0, len(self._hits))

    def _show_current(self) -> None:
        """Bring the marked hit into the middle of what is in sight."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._hits[self._current][0])
        place = self.document().documentLayout().blockBoundingRect(cursor.block())
        line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
        top = place.top() + (line.y() if line.isValid() else 0.0)
        self.verticalScrollBar().setValue(round(top - self.viewport().height() / 3))

    def _take_font(self) -> None:
        font = caption_font(QFont().pointSizeF() * READING_FACTOR)
        self.setFont(font)
        self.document().setDefaultFont(font)
        self._margin_font = QFont(font)
        self._margin_font.setPointSizeF(max(font.pointSizeF() * 0.78, 8.0))
        self._margin_font.setFeature(QFont.Tag("tnum"), 1)

    def _lay_out(self) -> None:
        """Give text and what stands beside it their columns for the width there is."""
        margin = QFontMetricsF(self._margin_font)
        width = self.viewport().width()
        side = 16.0 if width < NARROW_PIXELS else 28.0
        talk = self._is_conversation
        label = max(margin.horizontalAdvance(each) for each in (speaker_names() if talk else ("0:00:00",)))
        left = side + label + _GAP_PIXELS
        delay = margin.horizontalAdvance(_delay_text(9.9)) + _GAP_PIXELS if self._shows_delays else 0.0
        column = QFontMetricsF(self.font()).averageCharWidth() * LINE_CHARACTERS
        right = max(side + delay, width - left - column)
        self._left_pixels, self._right_pixels = left - _GAP_PIXELS, width - right + _GAP_PIXELS
        frame = self.document().rootFrame().frameFormat()
        margins = left, 20.0, right, QFontMetricsF(self.font()).height()
        if margins != (frame.leftMargin(), frame.topMargin(), frame.rightMargin(), frame.bottomMargin()):
            frame.setLeftMargin(margins[0])
            frame.setTopMargin(margins[1])
            frame.setRightMargin(margins[2])
            frame.setBottomMargin(margins[3])
            self.document().rootFrame().setFrameFormat(frame)

    @property
    def selected_text(self) -> str:
        """What is selected, as it was said."""
        marks = {ord("\N{PARAGRAPH SEPARATOR}"): "\n", ord("\N{NO-BREAK SPACE}"): " "}
        return self.textCursor().selectedText().translate(marks)

    @property
    def _is_conversation(self) -> bool:
        return bool(self._lines) and self._lines[0].voice in (Voice.ASKED, Voice.ANSWERED)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.delay_below(event.pos().toPointF())
            if text:
                QToolTip.showText(event.globalPos(), text, self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def delay_below(self, point: QPointF) -> str:
        """Say how soon the word at a point of the viewport was there; empty where that is not known."""
        offset = QPointF(0, self.verticalScrollBar().value())
        position = self.document().documentLayout().hitTest(point + offset, Qt.HitTestAccuracy.ExactHit)
        if position < 0:
            return ""
        block = self.document().findBlock(position)
        line = self._lines[block.blockNumber()]
        within = block.text().encode("utf-16-le")[: 2 * (position - block.position())].decode("utf-16-le", "ignore")
        delay = line.delay_at(len(within))
        return "" if delay is None else self.tr("Shown {} s after it was said").format(decimal(delay, 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setFont(self._margin_font)
        painter.setPen(self.palette().color(QPalette.ColorRole.Dark))
        top = self.verticalScrollBar().value()
        layout = self.document().documentLayout()
        position = layout.hitTest(QPointF(0, top + event.rect().top()), Qt.HitTestAccuracy.FuzzyHit)
        block = self.document().findBlock(max(position, 0))
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
        metrics = QFontMetricsF(self._margin_font)
        label = self._label_of(line)
        painter.drawText(QPointF(self._left_pixels - metrics.horizontalAdvance(label), baseline), label)
        if self._shows_delays and line.delay_seconds is not None:
            painter.drawText(QPointF(self._right_pixels, baseline), _delay_text(line.delay_seconds))

    def _label_of(self, line: Line) -> str:
        asks, answers = speaker_names()
        if line.voice is Voice.ASKED:
            return asks
        if line.voice is Voice.ANSWERED:
            return answers
        return "" if line.seconds is None else clock_time(line.seconds)


def speaker_names() -> tuple[str, str]:
    """What who asks and who answers in a conversation are called."""
    asks = QCoreApplication.translate("TranscriptView", "You")
    return asks, QCoreApplication.translate("TranscriptView", "Earshot")


def _units(text: str) -> int:
    """Count as Qt counts."""
    return len(text.encode("utf-16-le")) // 2


def _delay_text(seconds: float) -> str:
    return f"{decimal(seconds, 1)} s"
