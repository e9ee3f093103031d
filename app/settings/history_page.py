"""Settings of the history: whether it is kept, and for how long."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMessageBox, QPushButton

from app.preferences.settings import Settings
from app.settings.page import SettingsPage
from app.widgets.rows import ChoiceRow, SwitchRow


class HistorySettings(SettingsPage):
    """What is kept of captions and conversations.

    Signals:
        deletion_confirmed: the person wants everything that was kept deleted, and was asked twice.
    """

    deletion_confirmed = Signal()

    def __init__(self, title: str, settings: Settings) -> None:
        introduction = self.tr("Captions, translations and conversations are kept on this computer alone.")
        super().__init__(settings, title, introduction)
        keeps = SwitchRow(
            settings,
            "history.keeps",
            self.tr("&Keep a history"),
            self.tr("When off, nothing that is said from now on is saved."),
        )
        days = ChoiceRow(
            settings,
            "history.days",
            self.tr("Delete &automatically"),
            self.tr("Older sessions are deleted for good."),
            (
                (None, self.tr("Never")),
                (1, self.tr("After a day")),
                (7, self.tr("After a week")),
                (30, self.tr("After 30 days")),
                (90, self.tr("After 90 days")),
                (365, self.tr("After a year")),
            ),
        )
        self.delete = QPushButton(self.tr("&Delete everything…"))
        self.delete.setAccessibleName(self.tr("Delete the whole history"))
        self.delete.clicked.connect(self._ask)
        row = QHBoxLayout()
        row.addWidget(self.delete)
        row.addStretch(1)
        self.card("", keeps, days)
        self.card(self.tr("Delete"), row)

    def _ask(self) -> None:
        question = QMessageBox(self.window())
        question.setIcon(QMessageBox.Icon.Warning)
        question.setWindowTitle(self.tr("Delete the history"))
        question.setText(self.tr("Delete the whole history?"))
        question.setInformativeText(
            self.tr("All saved captions, translations and conversations will be deleted for good.")
        )
        delete = question.addButton(self.tr("&Delete everything"), QMessageBox.ButtonRole.DestructiveRole)
        question.setDefaultButton(question.addButton(QMessageBox.StandardButton.Cancel))
        question.exec()
        if question.clickedButton() is delete:
            self.deletion_confirmed.emit()
