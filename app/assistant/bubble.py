"""Text in a bubble: as wide as it is long, up to a limit, then on more lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextDocument
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.look.text_layout import breakable, printable, unbroken
from app.widgets.layouts import in_column

SIDE_PIXELS, UPPER_PIXELS, LOWER_PIXELS = 14, 10, 6  # each line has more room below it than above
_LINE = '<div style="line-height: 132%; white-space: pre-wrap">{}</div>'  # code keeps its indentation
TAB_SPACES = 4

Span = tuple[str, str]
"""Text and its colour."""


class Bubble(QFrame):
    """Shows coloured spans of text, which can be selected and copied."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        """Create a bubble. `role` picks its look in the style sheet: bubble-user, bubble-answer, bubble-draft."""
        super().__init__(parent)
        self.text = ""
        self._html = ""
        self._most_pixels = 480
        self._label = QLabel()
        self._label.setTextFormat(Qt.TextFormat.RichText)
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setCursor(Qt.CursorShape.IBeamCursor)
        in_column(self._label, on=self, margins=(SIDE_PIXELS, UPPER_PIXELS, SIDE_PIXELS, LOWER_PIXELS))
        self.set_role(role)

    def set_role(self, role: str) -> None:
        """Change the look."""
        if self.property("role") != role:
            self.setProperty("role", role)
            self.style().unpolish(self)
            self.style().polish(self)

    def show_spans(self, spans: Sequence[Span], name: str) -> None:
        """Show text; screen readers call it `name`."""
        self.text = "".join(text for text, _ in spans)
        parts = (f'<span style="color: {colour}">{_markup(text)}</span>' for text, colour in spans if text)
        html = _LINE.format("".join(parts))
        self._label.setAccessibleName(name.format(self.text))
        if html != self._html:
            self._html = html
            self._label.setText(html)
            self._fit()

    def limit(self, pixels: int) -> None:
        """Limit the width."""
        if pixels != self._most_pixels:
            self._most_pixels = pixels
            self._fit()

    def set_text_font(self, font: QFont) -> None:
        """Change the font of the text."""
        self._label.setFont(font)  # not the frame's: a frame forgets its own when its look changes
        self._fit()

    def _fit(self) -> None:
        document = QTextDocument()
        document.setDefaultFont(self._label.font())
        document.setDocumentMargin(0)
        document.setHtml(self._html)
        most = max(self._most_pixels - 2 * SIDE_PIXELS, 40)
        document.setTextWidth(min(math.ceil(document.idealWidth()) + 1, most))
        self._label.setFixedSize(math.ceil(document.textWidth()), math.ceil(document.size().height()))


def _markup(text: str) -> str:
    """Write text as HTML, with its line breaks."""
    return "<br>".join(escape(breakable(unbroken(printable(line.expandtabs(TAB_SPACES))))) for line in text.split("\n"))
