"""Above the captions: what to listen to, into which language to translate, and what to do with the text."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.actions import Actions
from app.captions.page.source_picker import SourcePicker
from app.look.theme import as_letters_grow
from app.widgets.action_button import ActionButton

NAMES_FROM_PIXELS = 620
CONFIRMED_MILLISECONDS = 1500


class HeaderBar(QWidget):
    """The source picker, and buttons to translate, copy and export that lose their words where it is narrow."""

    def __init__(self, picker: SourcePicker, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picker = picker
        self.translation = ActionButton(actions.translation, "flat")
        self.copy = ActionButton(actions.copy, "flat")
        self.export = ActionButton(actions.export, "flat")
        self._confirmed = QTimer(self, singleShot=True, interval=CONFIRMED_MILLISECONDS)
        self._confirmed.timeout.connect(self.copy.mirror)
        label = QLabel(self.tr("&Listen to"))
        label.setProperty("role", "quiet")
        label.setBuddy(picker)
        self._label = label
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(label)
        row.addWidget(picker, 20)  # as wide as it may be before there is room beside it
        row.addStretch(1)
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for button in (self.translation, self.copy, self.export):
            buttons.addWidget(button)
        row.addLayout(buttons)

    def confirm_copy(self) -> None:
        """Say for a moment that the text has been copied."""
        if not self.copy.compact:
            self.copy.setText(self.tr("Copied"))
        self._confirmed.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.copy, self.tr("Copied")))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        compact = self.width() < as_letters_grow(NAMES_FROM_PIXELS)
        for button in (self.translation, self.copy, self.export):
            button.set_compact(compact)
        self._label.setVisible(not compact)
