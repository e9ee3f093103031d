"""Settings of the history: whether it is stored, and for how long."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QLocale, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QListWidget, QMessageBox, QPushButton

from app.history.kept.audio_files import audio_folder, size_bytes
from app.history.kept.schema import FILE_NAME
from app.history.remembered_voices import RememberedVoices
from app.look.problems import in_words
from app.preferences.settings import Settings
from app.settings.page import SettingsPage
from app.widgets.labels import plain, quiet_label
from app.widgets.layouts import Stretch, in_row
from app.widgets.question import Question
from app.widgets.rows import ChoiceRow, SwitchRow

VOICES_PIXELS = 90


class HistorySettings(SettingsPage):
    """The page of the history's settings.

    Signals:
        deletion_confirmed: delete the whole history; the user has confirmed it twice.
    """

    deletion_confirmed = Signal()

    def __init__(self, title: str, settings: Settings, data_folder: Path) -> None:
        self._audio_folder = audio_folder(data_folder / "history" / FILE_NAME)
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
        audio = SwitchRow(
            settings,
            "history.audio",
            self.tr("Keep the audi&o of captions"),
            self.tr("What was said can then be heard again in the history. It is deleted with its session."),
        )
        voices = SwitchRow(
            settings,
            "history.voices",
            self.tr("&Recognise voices again"),
            self.tr(
                "A speaker whom you name while captions run has that name in later recordings, too. A print of the "
                "voice is kept for that. Switching this off deletes all of them."
            ),
        )
        notes = SwitchRow(
            settings,
            "history.written_notes",
            self.tr("The assistant's model writes &notes"),
            self.tr(
                "The starter cannot, and lines are chosen instead. No model is recommended for it yet: the largest "
                "that was measured, of 1.5 billion parameters, found fewer decisions and tasks than chosen lines do."
            ),
        )
        self._voices = RememberedVoices(data_folder / "history", settings, self)
        self.voices = QListWidget()
        self.voices.setAccessibleName(self.tr("Voices that are recognised"))
        self.voices.setFixedHeight(VOICES_PIXELS)
        self.forget = QPushButton(self.tr("&Forget this voice"))
        self.forget.setAccessibleName(plain(self.forget.text()))
        self.forget.clicked.connect(self._forget)
        self.voices.currentRowChanged.connect(lambda row: self.forget.setEnabled(row >= 0))
        self._voices.changed.connect(self._show_voices)
        self._voices.failed.connect(lambda why: voices.say(in_words(why)))
        self.kept = quiet_label("")
        self.delete = QPushButton(self.tr("&Delete everything…"))
        self.delete.setAccessibleName(self.tr("Delete the whole history"))
        self.delete.clicked.connect(self._ask)
        row = in_row(self.delete, Stretch(1))
        self.card("", keeps, audio, self.kept, days)
        self.card(self.tr("Voices"), voices, self.voices, in_row(self.forget, Stretch(1)))
        self.card(self.tr("Notes"), notes)
        self.card(self.tr("Delete"), row)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        kept = QLocale().formattedDataSize(size_bytes(self._audio_folder), 1, QLocale.DataSizeFormat.DataSizeSIFormat)
        self._show_voices()
        self.kept.setText(self.tr("Audio that is kept now: {}").format(kept))

    def _show_voices(self) -> None:
        self.voices.clear()
        self.voices.addItems(self._voices.names)
        self.forget.setEnabled(False)

    def _forget(self) -> None:
        if (chosen := self.voices.currentItem()) is not None:
            self._voices.forget(chosen.text())

    def _ask(self) -> None:
        question = Question(self.tr("Delete the history"), self.window())
        question.setText(self.tr("Delete the whole history?"))
        text = self.tr("All saved captions, translations and conversations will be deleted for good.")
        if sound := size_bytes(self._audio_folder):
            kept = QLocale().formattedDataSize(sound, 1, QLocale.DataSizeFormat.DataSizeSIFormat)
            text += " " + self.tr("So will the sound that was kept ({}).").format(kept)
        question.setInformativeText(text)
        delete = question.addButton(self.tr("&Delete everything"), QMessageBox.ButtonRole.DestructiveRole)
        delete.setProperty("role", "stop")
        question.setDefaultButton(question.addButton(QMessageBox.StandardButton.Cancel))
        question.exec()
        if question.clickedButton() is delete:
            self.deletion_confirmed.emit()
