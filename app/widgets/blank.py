"""A placeholder for a page with nothing to show: what it is, why, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.look.text_layout import breakable
from app.widgets.action_button import ActionButton
from app.widgets.layouts import Stretch, in_column, in_row

MARK_PIXELS = 44
TEXT_PIXELS = 440


class Blank(QWidget):
    """A mark, a title, a sentence, and a button if there is something to do."""

    def __init__(self, action: QAction | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.mark = _centred(QLabel())
        self.title = _centred(QLabel())
        self.title.setProperty("role", "title")
        self.text = _centred(QLabel())
        self.text.setProperty("role", "quiet")
        self.text.setMaximumWidth(TEXT_PIXELS)
        self.button = ActionButton(action, "main") if action is not None else None
        column = in_column(
            Stretch(5), self.mark, self.title, _in_the_middle(self.text), on=self, margins=(24, 16, 24, 16), spacing=12
        )
        if self.button is not None:
            column.addSpacing(10)
            column.addLayout(_in_the_middle(self.button))
        column.addStretch(6)

    def say(self, icon: QIcon, title: str, text: str, *, offers: bool = True) -> None:
        """Set the content; `offers` says whether the button is useful now."""
        self.mark.setPixmap(icon.pixmap(MARK_PIXELS, MARK_PIXELS))
        self.title.setText(title)
        self.text.setText(breakable(text))
        if self.button is not None:
            self.button.setVisible(offers)


def _centred(label: QLabel) -> QLabel:
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _in_the_middle(widget: QWidget) -> QHBoxLayout:
    row = in_row(Stretch(1), (widget, 6 if isinstance(widget, QLabel) else 0), Stretch(1))
    return row
