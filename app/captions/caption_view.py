"""The transcript on the screen: one paragraph per caption, its time beside it, following what is being said."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
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
from PySide6.QtWidgets import QTextEdit, QWidget

from app.captions.caption_model import CaptionModel
from app.text_layout import printable
from engine.events import Caption, text_of

REPAINT_MILLISECONDS = 50
LINE_CHARACTERS = 62
"""Lines grow no longer than this, however wide the window: the eye has to find the next one."""

NARROW_PIXELS = 560
SLACK_PIXELS = 8
_LINE_HEIGHT_PERCENT = 128


class CaptionView(QTextEdit):
    """Shows a CaptionModel: committed words solid, pending ones dim.

    Follows the newest words until the reader scrolls up. Text can be selected and copied. Each change rewrites no more
    than the end of the captions it concerns, so that an hour of text is as quick as a minute.

    Attributes:
        following: whether the newest words are kept in sight.

    Signals:
        following_changed: the reader has scrolled away from the newest words, or back to them.
    """

    following_changed = Signal(bool)

    def __init__(self, model: CaptionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.following = True
        self._model = model
        self._shown: list[tuple[str, int]] = []  # of each paragraph: its text, and how much of it is committed
        self._changed: set[int] = set()
        self._hint = ""
        self._time_font = QFont()
        self._times_width = 0.0
        self._rest = QTimer(self, singleShot=True, interval=REPAINT_MILLISECONDS)
        self._rest.timeout.connect(self.refresh)
        self.setObjectName("captions")
        self.setAccessibleName(self.tr("Captions"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setCursorWidth(0)  # nothing can be typed here; a selection shows itself
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.verticalScrollBar().rangeChanged.connect(self._keep_up)
        self.verticalScrollBar().valueChanged.connect(self._note_scrolling)
        model.rowsInserted.connect(self._note_new_rows)
        model.dataChanged.connect(self._note_changed_rows)
        model.rowsRemoved.connect(self.rebuild)
        model.modelReset.connect(self.rebuild)
        self.rebuild()

    def set_hint(self, hint: str) -> None:
        """What to show while there are no captions."""
        self._hint = hint
        self.viewport().update()

    def set_caption_font(self, font: QFont) -> None:
        """Set the captions in another font; the times beside them are smaller."""
        self.setFont(font)
        self.document().setDefaultFont(font)
        self._time_font = QFont(font)
        self._time_font.setPointSizeF(max(font.pointSizeF() * 0.55, 8.0))
        self._time_font.setFeature(QFont.Tag("tnum"), 1)
        self._lay_out()

    def jump_to_newest(self) -> None:
        """Follow the newest words again."""
        self._set_following(True)
        self._keep_up()

    def rebuild(self) -> None:
        """Write everything anew; for a reset or for new colours, not for news."""
        self._shown.clear()
        self.document().clear()
        self._changed = set(range(self._model.rowCount()))
        self._lay_out()
        self.refresh()

    def refresh(self) -> None:
        """Write what has changed since the last time."""
        if not self._changed:
            return
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for row in sorted(self._changed):
            self._write(cursor, row)
        cursor.endEditBlock()
        self._changed.clear()
        self._rest.start()
        self._keep_up()
        self.viewport().update()  # the times stand outside of what the text repaints

    def _note_new_rows(self, parent: QModelIndex, first: int, last: int) -> None:
        self._note(range(first, last + 1))

    def _note_changed_rows(self, first: QModelIndex, last: QModelIndex) -> None:
        self._note(range(first.row(), last.row() + 1))

    def _note(self, rows: range) -> None:
        self._changed.update(rows)
        if not self._rest.isActive():
            self.refresh()

    def _write(self, cursor: QTextCursor, row: int) -> None:
        text, solid = _composed(self._model.caption_at(row))
        if row == len(self._shown):
            cursor.movePosition(QTextCursor.MoveOperation.End)
            if row:
                cursor.insertBlock()
            cursor.setBlockFormat(_paragraph(self.fontMetrics().height()))
            old, old_solid = "", 0
            self._shown.append(("", 0))
        else:
            old, old_solid = self._shown[row]
        kept = min(old_solid, solid)
        if old[:kept] != text[:kept]:
            kept = 0
        block = self.document().findBlockByNumber(row)
        cursor.setPosition(block.position() + kept)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[kept:solid], self._format(QPalette.ColorRole.Text))
        cursor.insertText(text[solid:], self._format(QPalette.ColorRole.PlaceholderText))
        self._shown[row] = text, solid

    def _format(self, role: QPalette.ColorRole) -> QTextCharFormat:
        style = QTextCharFormat()
        style.setForeground(self.palette().brush(role))
        return style

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    def _keep_up(self) -> None:
        if self.following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _note_scrolling(self, value: int) -> None:
        self._set_following(value >= self.verticalScrollBar().maximum() - SLACK_PIXELS)

    def _lay_out(self) -> None:
        """Give text and times their columns for the width there is."""
        metrics = QFontMetricsF(self.font())
        width = self.viewport().width()
        side = 20.0 if width < NARROW_PIXELS else 36.0
        times = 0.0 if width < NARROW_PIXELS else QFontMetricsF(self._time_font).horizontalAdvance("0:00:00") + 22
        column = min(width - 2 * side - times, metrics.averageCharWidth() * LINE_CHARACTERS)
        left = side + times + max(0.0, (width - 2 * side - times - column) / 2 - times / 2)
        frame = self.document().rootFrame().frameFormat()
        margins = (left, 28.0, max(0.0, width - left - column), metrics.height() * 1.2)
        if margins != (frame.leftMargin(), frame.topMargin(), frame.rightMargin(), frame.bottomMargin()):
            frame.setLeftMargin(margins[0])
            frame.setTopMargin(margins[1])
            frame.setRightMargin(margins[2])
            frame.setBottomMargin(margins[3])
            self.document().rootFrame().setFrameFormat(frame)
        self._times_width = times
        self._keep_up()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if not self._shown:
            self._paint_hint(painter)
        elif self._times_width:
            self._paint_times(painter, event)
        painter.end()

    def _paint_hint(self, painter: QPainter) -> None:
        left = self.document().rootFrame().frameFormat().leftMargin()
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(self.font())
        room = QRectF(left, 28, self.viewport().width() - 2 * left, self.viewport().height() - 56)
        painter.drawText(room, Qt.TextFlag.TextWordWrap, self._hint)

    def _paint_times(self, painter: QPainter, event: QPaintEvent) -> None:
        top = self.verticalScrollBar().value()
        right = self.document().rootFrame().frameFormat().leftMargin() - 22
        metrics = QFontMetricsF(self._time_font)
        painter.setFont(self._time_font)
        layout = self.document().documentLayout()
        block = self._first_block_at(top + event.rect().top())
        while block.isValid() and block.blockNumber() < len(self._shown):
            place = layout.blockBoundingRect(block)
            if place.top() - top > event.rect().bottom():
                break
            if block.layout().lineCount():
                line = block.layout().lineAt(0)
                caption = self._model.caption_at(block.blockNumber())
                text = clock_time(caption.start)
                painter.setPen(self._time_colour(caption))
                baseline = place.top() - top + line.y() + line.ascent()
                painter.drawText(QPointF(right - metrics.horizontalAdvance(text), baseline), text)
            block = block.next()

    def _first_block_at(self, y: float) -> QTextBlock:
        position = self.document().documentLayout().hitTest(QPointF(0, y), Qt.HitTestAccuracy.FuzzyHit)
        return self.document().findBlock(max(position, 0))

    def _time_colour(self, caption: Caption) -> QColor:
        role = QPalette.ColorRole.Dark if caption.final else QPalette.ColorRole.Accent
        return self.palette().color(role)


def clock_time(seconds: float) -> str:
    """Write seconds as 0:07, 12:34 or 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _composed(caption: Caption) -> tuple[str, int]:
    """Give a caption's line and how many of its characters are committed."""
    text = printable(text_of((*caption.committed, *caption.pending)))
    committed = printable("".join(word.text for word in caption.committed)).lstrip()
    return text, min(len(committed), len(text))


def _paragraph(line_pixels: int) -> QTextBlockFormat:
    style = QTextBlockFormat()
    style.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    style.setBottomMargin(line_pixels * 0.45)
    return style
