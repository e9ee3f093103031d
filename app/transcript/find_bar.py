"""A search bar above the transcript."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.transcript.caption_view import CaptionView
from app.transcript.transcript_search import TranscriptSearch
from app.widgets.action_button import ActionButton
from app.widgets.layouts import Stretch, in_row


class FindBar(QWidget):
    """Field, count, previous and next, close. Return goes on, Shift and Return back, Escape closes.

    Attributes:
        field: the field for the words.
        search: the search that finds them.

    Signals:
        closed: the reader closed it.
    """

    closed = Signal()

    def __init__(self, view: CaptionView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.search = TranscriptSearch(view)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Find in transcript"))
        self.field.setAccessibleName(self.tr("Find in transcript"))
        self.field.setMaximumWidth(420)
        self.count = QLabel()
        self.count.setProperty("role", "quiet")
        self.count.setAccessibleName(self.tr("Places found"))
        self.back = self._make(self.tr("Previous"), "Shift+Return", lambda: self.search.go_on(-1))
        self.forth = self._make(self.tr("Next"), "Return", lambda: self.search.go_on(1))
        self.shut = self._make(self.tr("Close"), "Esc", self.close_search)
        row = in_row((self.field, 3), self.count, Stretch(1), on=self, margins=(20, 8, 12, 8), spacing=6)
        for action in (self.back, self.forth, self.shut):
            row.addWidget(ActionButton(action, "flat"))
        self.hide()
        self.field.textChanged.connect(self.search.look_for)
        self.search.changed.connect(self._show_count)
        self._show_count()

    def open(self) -> None:
        """Show the field with the last words selected."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.search.look_for(self.field.text())

    def close_search(self) -> None:
        """Hide the field and remove the highlights."""
        self.hide()
        self.search.end()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_search()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.search.go_on(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)

    def _make(self, text: str, keys: str, do: object) -> QAction:
        action = QAction(text, self)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # for the tool tip; the bar handles the keys
        action.triggered.connect(do)
        return action

    def _show_count(self) -> None:
        search = self.search
        if search.count:
            self.count.setText(self.tr("{} of {}").format(search.number, search.count))
        else:
            self.count.setText(self.tr("Not found") if self.field.text().strip() else "")
        for action in (self.back, self.forth):
            action.setEnabled(search.count > 0)
