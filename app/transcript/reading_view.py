"""The base of all views of a transcript: text that is read, not edited."""

from __future__ import annotations

import time

from PySide6.QtCore import QLocale, QPointF, Qt
from PySide6.QtGui import QFont, QTextBlock, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

from app.transcript.time_of_day import Clock, clock_hand, is_later_day, time_of_day

LINE_CHARACTERS = 62
"""Longest lines, in characters, so that the eye finds the next one."""

NARROW_PIXELS = 560


class ReadingView(QTextEdit):
    """Text that can be selected and copied, with margins in which times are painted.

    Attributes:
        margin_font: font of the margins, with digits of equal width.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.margin_font = QFont()
        self.setObjectName("captions")
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setCursorWidth(0)  # nothing can be typed here; a selection is visible by itself
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)

    def set_fonts(self, font: QFont, margin_share: float) -> None:
        """Set the font of the text, and a smaller but readable one for the margins."""
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.margin_font = QFont(font)
        self.margin_font.setPointSizeF(max(font.pointSizeF() * margin_share, 8.0))
        self.margin_font.setFeature(QFont.Tag("tnum"), 1)

    def set_margins(self, left: float, top: float, right: float, bottom: float) -> None:
        """Set the margins around the text; the document is laid out again only if they have changed."""
        frame = self.document().rootFrame().frameFormat()
        if (left, top, right, bottom) != (
            frame.leftMargin(), frame.topMargin(), frame.rightMargin(), frame.bottomMargin()
        ):  # fmt: skip
            frame.setLeftMargin(left)
            frame.setTopMargin(top)
            frame.setRightMargin(right)
            frame.setBottomMargin(bottom)
            self.document().rootFrame().setFrameFormat(frame)

    def first_block_at(self, y: float) -> QTextBlock:
        """Return the paragraph at a height of the document."""
        position = self.document().documentLayout().hitTest(QPointF(0, y), Qt.HitTestAccuracy.FuzzyHit)
        return self.document().findBlock(max(position, 0))


def margin_time(clock: Clock, seconds: float) -> str:
    """Return what stands beside a line: its time of day if that is known, else its second.

    On a later day than the first, the weekday takes the place of the seconds, which a margin has no room for.
    """
    then = time_of_day(clock, seconds)
    if then is None:
        return clock_time(seconds)
    if not is_later_day(clock, then):
        return clock_hand(clock, seconds)
    day = QLocale().dayName(time.localtime(then).tm_wday + 1, QLocale.FormatType.ShortFormat)
    return time.strftime(f"{day} %H:%M", time.localtime(then))


def clock_time(seconds: float) -> str:
    """Format seconds as 0:07, 12:34 or 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
