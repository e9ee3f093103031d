"""The transcript on the screen: a caption with its time beside it and its translation beneath, following the speech."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from PySide6.QtCore import QLocale, QModelIndex, QPointF, QRectF, Qt, QTimer, Signal
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
from app.text_layout import printable, unbroken
from engine.events import Caption, text_of

REPAINT_MILLISECONDS = 50
LINE_CHARACTERS = 62
"""Lines grow no longer than this, however wide the window: the eye has to find the next one."""

NARROW_PIXELS = 560
SLACK_PIXELS = 8
_LINE_HEIGHT_PERCENT = 128
_BELOW, _ABOVE_TRANSLATION, _BELOW_TRANSLATION = 0.45, 0.0, 0.7  # space beneath a paragraph, in lines
_TRANSLATION = QPalette.ColorRole.LinkVisited


@dataclass(slots=True)
class _Entry:
    """What the document holds of a caption.

    Attributes:
        block: number of its paragraph; its translation's is the next one.
        text: the caption, of which `solid` characters are committed.
        translation: the shown translation; None while it has no paragraph.
    """

    block: int
    text: str = ""
    solid: int = 0
    translation: str | None = None


class CaptionView(QTextEdit):
    """Shows a CaptionModel: committed words solid, pending ones dim, translations in a colour of their own.

    Follows the newest words until the reader scrolls up; from then on what is read stays where it is, whatever is
    written above or below. Text can be selected and copied. Each change rewrites no more than the end of the
    paragraphs it concerns, so that an hour of text is as quick as a minute.

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
        self._entries: list[_Entry] = []  # one a row
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
        self._entries.clear()
        self.document().clear()
        self._changed = set(range(self._model.rowCount()))
        self._lay_out()
        self.refresh()

    def refresh(self) -> None:
        """Write what has changed since the last time."""
        if not self._changed:
            return
        first, offset = self._first_in_sight()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for row in sorted(self._changed):
            self._write(cursor, row)
        cursor.endEditBlock()
        self._changed.clear()
        self._rest.start()
        self._keep_up()
        self._keep_in_place(first, offset)
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
        if row == len(self._entries):
            self._append(cursor)
        entry = self._entries[row]
        self._write_caption(cursor, entry, self._model.caption_at(row))
        translation = self._model.translation_at(row)
        if translation is None or (translation.final and not translation.text):
            self._remove_translation(cursor, row)
        else:
            self._make_room(cursor, row, translation.language)
            self._write_translation(cursor, entry, unbroken(printable(translation.text)))

    def _append(self, cursor: QTextCursor) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._entries:
            cursor.insertBlock()
        cursor.setBlockFormat(_paragraph(self.fontMetrics().height()))
        self._entries.append(_Entry(cursor.blockNumber()))

    def _write_caption(self, cursor: QTextCursor, entry: _Entry, caption: Caption) -> None:
        text, solid = _composed(caption)
        kept = min(entry.solid, solid)
        if entry.text[:kept] != text[:kept]:
            kept = 0
        if (entry.text, entry.solid) == (text, solid):
            return
        self._select_rest(cursor, entry.block, text[:kept])
        cursor.insertText(text[kept:solid], self._format(QPalette.ColorRole.Text))
        cursor.insertText(text[solid:], self._format(QPalette.ColorRole.PlaceholderText))
        entry.text, entry.solid = text, solid

    def _make_room(self, cursor: QTextCursor, row: int, language: str) -> None:
        """Give a translation its paragraph, even if all of it is held back yet: what is below moves only once."""
        entry = self._entries[row]
        block = self.document().findBlockByNumber(entry.block)
        line = self.fontMetrics().height()
        if entry.translation is None:
            cursor.setPosition(block.position())
            cursor.setBlockFormat(_paragraph(line, _ABOVE_TRANSLATION))
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            cursor.insertBlock(_translated_paragraph(line, language))
            entry.translation = ""
            self._shift(row + 1, 1)
        elif block.next().blockFormat().layoutDirection() != _direction(language):
            cursor.setPosition(block.next().position())
            cursor.setBlockFormat(_translated_paragraph(line, language))

    def _remove_translation(self, cursor: QTextCursor, row: int) -> None:
        entry = self._entries[row]
        if entry.translation is not None:
            self._select_rest(cursor, entry.block, entry.text)
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            cursor.setBlockFormat(_paragraph(self.fontMetrics().height()))
            entry.translation = None
            self._shift(row + 1, -1)

    def _shift(self, first: int, blocks: int) -> None:
        for later in self._entries[first:]:
            later.block += blocks

    def _write_translation(self, cursor: QTextCursor, entry: _Entry, text: str) -> None:
        before = entry.translation or ""
        if before != text:
            kept = _shared_length(before, text)
            self._select_rest(cursor, entry.block + 1, text[:kept])
            cursor.insertText(text[kept:], self._format(_TRANSLATION))
            entry.translation = text

    def _select_rest(self, cursor: QTextCursor, block: int, kept: str) -> None:
        """Select what follows the words that a paragraph begins with and keeps."""
        units = len(kept.encode("utf-16-le")) // 2  # in which Qt counts
        cursor.setPosition(self.document().findBlockByNumber(block).position() + units)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)

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

    def _first_in_sight(self) -> tuple[QTextBlock, float]:
        """The paragraph at the upper edge, and how far below that edge it begins."""
        top = self.verticalScrollBar().value()
        block = self._first_block_at(top)
        return block, self.document().documentLayout().blockBoundingRect(block).top() - top

    def _keep_in_place(self, block: QTextBlock, offset: float) -> None:
        """While older words are being read, hold them where they are."""
        if not self.following and block.isValid():
            top = self.document().documentLayout().blockBoundingRect(block).top()
            self.verticalScrollBar().setValue(round(top - offset))

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
        if not self._entries:
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
        row = bisect_left(self._entries, block.blockNumber(), key=lambda entry: entry.block)
        while row < len(self._entries):
            block = self.document().findBlockByNumber(self._entries[row].block)
            place = layout.blockBoundingRect(block)
            if place.top() - top > event.rect().bottom():
                break
            if block.layout().lineCount():
                line = block.layout().lineAt(0)
                caption = self._model.caption_at(row)
                text = clock_time(caption.start)
                painter.setPen(self._time_colour(caption))
                baseline = place.top() - top + line.y() + line.ascent()
                painter.drawText(QPointF(right - metrics.horizontalAdvance(text), baseline), text)
            row += 1

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
    text = unbroken(printable(text_of((*caption.committed, *caption.pending))))
    committed = printable("".join(word.text for word in caption.committed)).lstrip()
    return text, min(len(committed), len(text))


def _shared_length(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _paragraph(line_pixels: int, below: float = _BELOW) -> QTextBlockFormat:
    """The look of a caption, with `below` lines of space beneath."""
    style = QTextBlockFormat()
    style.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    style.setBottomMargin(line_pixels * below)
    return style


def _translated_paragraph(line_pixels: int, language: str) -> QTextBlockFormat:
    """The look of a translation: it runs as its language does, whatever word it begins with."""
    style = _paragraph(line_pixels, _BELOW_TRANSLATION)
    style.setLayoutDirection(_direction(language))
    return style


def _direction(language: str) -> Qt.LayoutDirection:
    return QLocale(language).textDirection()
