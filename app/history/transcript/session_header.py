"""The header of a kept transcript: its title, a description, and its actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from app.look.text_layout import breakable
from app.widgets.action_button import ActionButton
from app.widgets.layouts import in_column, in_row

NAMES_FROM_PIXELS = 1020
"""Least width for buttons with text beside the title; on a narrower page they stand below it."""

BESIDE_FROM_PIXELS = 460
"""Least width for icons beside the title, on a page that is too narrow for buttons with text below it."""

_MARGINS = (20, 8, 12, 6)


class SessionHeader(QWidget):
    """Shows a session's title, which can be edited in place, and buttons.

    Signals:
        renamed: the new name that a person has typed.
    """

    renamed = Signal(str)

    def __init__(self, back: QAction, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.back = ActionButton(back, "flat")
        self.back.set_compact(True)
        self.buttons = tuple(ActionButton(action, "flat") for action in actions)
        for button in self.buttons:
            if button.action.isCheckable():
                button.setCheckable(True)
                button.action.toggled.connect(button.setChecked)
        self._name = ""
        self._named_width = 0  # of the bar while its buttons have text
        self.title = QLabel()
        self.title.setProperty("role", "heading")
        self.title.setWordWrap(True)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.field = QLineEdit()
        self.field.setAccessibleName(self.tr("Name"))
        self.field.setMaxLength(200)
        self.field.installEventFilter(self)
        self.field.returnPressed.connect(self._finish)
        self.field.editingFinished.connect(self._finish)
        self.about = QLabel()
        self.about.setProperty("role", "small")
        self.about.setWordWrap(True)
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.notice = QLabel()
        self.notice.setProperty("role", "problem")
        self.notice.setWordWrap(True)
        self._lay_out()

    @property
    def is_renaming(self) -> bool:
        return not self.field.isHidden()

    def show_session(self, title: str, about: str, notice: str = "") -> None:
        """Show the title and the description; `notice` if something about the session is odd."""
        if self.is_renaming and title != self._name:
            self._leave()
        self._name = title
        self.title.setText(breakable(title))
        self.about.setText(breakable(about))
        self.notice.setText(breakable(notice))
        self.notice.setVisible(bool(notice))

    def rename(self) -> None:
        """Edit the title."""
        self.field.setText(self._name)
        self.title.hide()
        self.field.show()
        self.field.setFocus()
        self.field.selectAll()

    def show_back(self, show: bool) -> None:
        """Show or hide the button back to the list, for pages without room for both."""
        self.back.setVisible(show)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() is QEvent.Type.KeyPress:
                self._leave()
            return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._named_width:
            self._named_width = self._bar.sizeHint().width()
        named = self.width() >= self._named_width + _MARGINS[0] + _MARGINS[2]
        for button in self.buttons:
            button.set_compact(not named)
        beside = self.width() >= (NAMES_FROM_PIXELS if named else BESIDE_FROM_PIXELS)
        host = self._beside if beside else self._below
        if host.indexOf(self._bar) < 0:
            host.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def _finish(self) -> None:
        if not self.is_renaming:
            return
        name = " ".join(self.field.text().split())
        changed = name != self._name
        self._leave()
        if changed:
            self.renamed.emit(name)

    def _leave(self) -> None:
        self.field.hide()
        self.title.show()

    def _lay_out(self) -> None:
        self._bar = QWidget()
        row = in_row(on=self._bar, margins=0, spacing=2)
        for button in self.buttons:
            row.addWidget(button)
        words = in_column(margins=(0, 8, 0, 4), spacing=4)
        for widget in (self.title, self.field, self.about, self.notice):
            words.addWidget(widget)
        self._beside = in_row(
            (self.back, 0, Qt.AlignmentFlag.AlignTop), (words, 1), (self._bar, 0, Qt.AlignmentFlag.AlignTop), spacing=10
        )
        self._below = QHBoxLayout()
        in_column(self._beside, self._below, on=self, margins=_MARGINS, spacing=0)
        self.back.hide()
        self.field.hide()
