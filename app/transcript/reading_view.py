"""Text that is read and not written: what the views of a transcript have in common."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QTextBlock, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

LINE_CHARACTERS = 62
"""Lines grow no longer than this, however wide the window: the eye has to find the next one."""

NARROW_PIXELS = 560


class ReadingView(QTextEdit):
    """Text that can be selected and copied, with room around it in which times and the like are painted.

    Attributes:
        margin_font: of what stands beside the text; its digits are equally wide.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.margin_font = QFont()
        self.setObjectName("captions")
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

    def take_font(self, font: QFont, margin_share: float) -> None:
        """Set the text in a font, and what stands beside it so much smaller, though never too small to read."""
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.margin_font = QFont(font)
        self.margin_font.setPointSizeF(max(font.pointSizeF() * margin_share, 8.0))
        self.margin_font.setFeature(QFont.Tag("tnum"), 1)

    def set_margins(self, left: float, top: float, right: float, bottom: float) -> None:
        """Leave so much room around the text; the document is laid out anew only where that changes."""
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
        """The paragraph at a height of the document."""
        position = self.document().documentLayout().hitTest(QPointF(0, y), Qt.HitTestAccuracy.FuzzyHit)
        return self.document().findBlock(max(position, 0))


def clock_time(seconds: float) -> str:
    """Write seconds as 0:07, 12:34 or 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
