"""The bar above the captions: the source, the language of translations, and what to do with the text."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.actions import Actions
from app.captions.page.source_picker import SourcePicker
from app.widgets.action_button import ActionButton

CONFIRMED_MILLISECONDS = 1500


class HeaderBar(QWidget):
    """The source picker, and buttons to translate, copy and export that lose their names where it is narrow."""

    def __init__(self, picker: SourcePicker, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_fitting = False
        self.picker = picker
        self.translation = ActionButton(actions.translation, "flat")
        self.copy = ActionButton(actions.copy, "flat")
        self.export = ActionButton(actions.export, "flat")
        self.notes = ActionButton(actions.notes, "flat")
        self.notes.set_compact(True)
        self.notes.setCheckable(True)
        actions.notes.toggled.connect(self.notes.setChecked)
        self._confirmed = QTimer(self, singleShot=True, interval=CONFIRMED_MILLISECONDS)
        self._confirmed.timeout.connect(self.copy.mirror)
        label = QLabel(self.tr("&Listen to"))
        label.setProperty("role", "quiet")
        label.setBuddy(picker)
        self._label = label
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(1)  # it has less to show once there is less room than it asks for
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(label)
        row.addWidget(picker, 1)  # as wide as it may be before there is room beside it
        row.addStretch(0)
        buttons = self._buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for button in (self.translation, self.copy, self.export, self.notes):
            buttons.addWidget(button)
        row.addLayout(buttons)
        picker.renamed.connect(self._fit)
        actions.translation.changed.connect(self._fit)

    def confirm_copy(self) -> None:
        """Show for a moment that the text has been copied."""
        if not self.copy.compact:
            self.copy.setText(self.tr("Copied"))
        self._confirmed.start()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.copy, self.tr("Copied")))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Leave out what there is no room for. What is shown meanwhile may resize the window, and this bar too."""
        if not self._is_fitting:
            self._is_fitting = True
            self._place()
            self._is_fitting = False

    def _place(self) -> None:
        """Make room for the full name of the source: first buttons lose their names, then the label goes."""
        for button in (self.translation, self.copy, self.export):
            button.set_compact(False)
        self._label.show()
        if self._room() < 0:
            self.copy.set_compact(True)
            self.export.set_compact(True)
        self._label.setVisible(self._room() >= 0)
        self.translation.set_compact(self._room() < 0)
        self._row.activate()  # else, in the middle of a resizing, the parts keep the places they had before

    def _room(self) -> int:
        """Return the width that is left beside all of it."""
        row, gap = self._row, self._buttons.spacing()
        label = 0 if self._label.isHidden() else self._label.sizeHint().width() + row.spacing()
        buttons = sum(each.sizeHint().width() + gap for each in (self.translation, self.copy, self.export, self.notes))
        room = self.width() - row.contentsMargins().left() - row.contentsMargins().right()
        return room - label - self.picker.whole_width - 2 * row.spacing() - buttons + gap
