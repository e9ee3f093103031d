"""The question what to do with one recording: transcribe it at once, or play it and read along."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.look.text_layout import breakable, printable
from app.sound.recording_length import LengthSearch
from app.transcript.reading_view import clock_time
from app.widgets.labels import quiet_label
from app.widgets.layouts import Spacing, Stretch, in_column, in_row
from app.widgets.screen_room import ScreenDialog

NARROWEST_PIXELS = 420


class FileQuestion(ScreenDialog):
    """Offers both, with the time that each takes.

    Signals:
        transcription_wanted, playback_wanted: the Path.
    """

    transcription_wanted = Signal(object)
    playback_wanted = Signal(object)

    def __init__(self, path: Path, speed: float | None, parent: QWidget | None = None) -> None:
        """Ask about a recording; `speed` is the seconds of work for a second of it, None where that is unknown."""
        super().__init__(parent)
        self._path = path
        self._speed = speed
        self.setWindowTitle(self.tr("Open a recording"))
        self.setMinimumWidth(NARROWEST_PIXELS)
        self._title = QLabel(breakable(printable(path.name)))
        self._title.setProperty("role", "heading")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self.transcribe = self._button(self.tr("&Transcribe it"), self.transcription_wanted)
        self.transcribe.setProperty("role", "main")
        self.transcribe.setDefault(True)
        self.play = self._button(self.tr("&Play and caption it"), self.playback_wanted)
        self.cancel = QPushButton(self.tr("Cancel"))
        self.cancel.setAutoDefault(False)
        self.cancel.clicked.connect(self.reject)
        self.work, self.pace = quiet_label(), quiet_label()
        self._lay_out()
        self.show_length(0.0)
        self._search = LengthSearch(self)
        self._search.found.connect(lambda _, seconds: self.show_length(seconds))
        self._search.start(path)

    def show_length(self, seconds: float) -> None:
        """Show how long both take; 0 seconds are not known."""
        work = self.tr("As fast as this computer can, with the fewest mistakes.")
        pace = self.tr("You hear it and read along; words appear as they are spoken.")
        if seconds:
            pace = self.tr("You hear it and read along: {}.").format(clock_time(seconds))
        if seconds and self._speed is not None:
            work = self.tr("{}, with the fewest mistakes.").format(self._about(seconds * self._speed))
        self.work.setText(work)
        self.pace.setText(pace)
        self.transcribe.setAccessibleDescription(work)
        self.play.setAccessibleDescription(pace)

    def _about(self, seconds: float) -> str:
        if seconds < 60:
            return self.tr("Takes less than a minute")
        minutes = round(seconds / 60)
        if minutes < 120:
            return self.tr("Takes about {} min").format(minutes)
        return self.tr("Takes about {} h").format(round(minutes / 60))

    def _button(self, text: str, wanted: object) -> QPushButton:
        button = QPushButton(text)
        button.clicked.connect(self.accept)
        button.clicked.connect(lambda: wanted.emit(self._path))  # type: ignore[attr-defined]
        return button

    def _lay_out(self) -> None:
        in_column(
            self._title,
            Spacing(10),
            self.transcribe,
            self.work,
            Spacing(10),
            self.play,
            self.pace,
            Spacing(14),
            in_row(Stretch(1), self.cancel),
            on=self,
            margins=(22, 20, 22, 16),
            spacing=6,
        )
