"""A line for the name of a repository, for models that are not in the list."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QPushButton, QWidget

from app.models.downloads import DownloadState
from app.models.model_words import ModelWords
from app.widgets.layouts import in_column, in_row
from engine.loading.library import is_repository


class RepositoryLine(QWidget):
    """A line that is hidden until it is opened.

    Attributes:
        name: the field for the repository, "organisation/name".
        fetch, close_button: download it; close the line.

    Signals:
        chosen: the repository to download.
        pause_wanted: pause the download of this repository.
    """

    chosen = Signal(str)
    pause_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ModelWords(self)
        self._fetched = ""
        label = QLabel(self.tr("Repository on &Hugging Face"))
        self.name = QLineEdit()
        self.name.setPlaceholderText("openai/whisper-small")
        self.name.setAccessibleName(self.tr("Repository on Hugging Face"))
        self.name.returnPressed.connect(self._choose)
        self.name.textEdited.connect(lambda: self._say(""))
        label.setBuddy(self.name)
        self.fetch = QPushButton(self.tr("Download"))
        self.fetch.setProperty("role", "main")
        self.fetch.clicked.connect(self._choose)
        self.close_button = QPushButton(self.tr("Close"))
        self.close_button.setProperty("role", "flat")
        self.close_button.clicked.connect(self._close)
        self._said = QLabel(self._advice())
        self._said.setProperty("role", "quiet")
        self._said.setWordWrap(True)
        row = in_row((self.name, 1), self.fetch, self.close_button, spacing=10)
        card = QFrame()
        card.setProperty("role", "card")
        in_column(label, row, self._said, on=card, margins=(18, 12, 14, 12), spacing=6)
        in_column(card, on=self, margins=(24, 0, 24, 10))
        self.hide()

    @property
    def controls(self) -> tuple[QWidget, ...]:
        """Controls in order."""
        return self.name, self.fetch, self.close_button

    @property
    def said(self) -> str:
        """State of the download, or what is wrong with the typed name."""
        return self._said.text()

    def open(self) -> None:
        """Show the line, ready for typing."""
        self.show()
        self.name.setFocus()
        self.name.selectAll()

    def close_line(self) -> None:
        """Clear and hide the line."""
        self._fetched = ""
        self.name.clear()
        self._set_busy(False)
        self.hide()

    def show_download(self, name: str, state: DownloadState) -> None:
        """Show the state of a repository's download."""
        if not self.isVisible():
            self.show()
        self._fetched = name
        self.name.setText(name)
        self._set_busy(state.error is None)
        if state.error is not None:
            self._say(self._words.error(state.error), "problem")
        else:
            self._say(self._words.progress(state), "quiet")

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._say("")

    def _choose(self) -> None:
        typed = self.name.text().strip().removeprefix("https://huggingface.co/").strip("/")
        self.name.setText(typed)
        if is_repository(typed):
            self.chosen.emit(typed)
        else:
            self._say(self.tr("Give two names with a slash between them, such as openai/whisper-small."), "problem")
            self.name.setFocus()

    def _close(self) -> None:
        if self._fetched:
            self.pause_wanted.emit(self._fetched)
        self.close_line()

    def _set_busy(self, busy: bool) -> None:
        self.name.setReadOnly(busy)
        self.fetch.setEnabled(not busy)
        self.close_button.setText(self.tr("Pause") if busy else self.tr("Close"))

    def _say(self, sentence: str, role: str = "quiet") -> None:
        self._said.setText(sentence or self._advice())
        self._said.setProperty("role", role)
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)

    def _advice(self) -> str:
        return self.tr(
            "A Whisper model, or a language model that mlx-lm can run, with its weights as safetensors. "
            "A download that was interrupted goes on where it stopped."
        )
