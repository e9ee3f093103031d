"""What to listen to: a microphone, a file, or the demo."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QListView, QSizePolicy, QWidget

from app.audio_sources import AudioFile, AudioSource, Microphone
from app.theme import Theme
from app.window.action_button import ICON_PIXELS

if TYPE_CHECKING:
    from app.audio_devices import InputDevice

WIDEST_PIXELS = 320
_SOURCE = Qt.ItemDataRole.UserRole


class SourcePicker(QComboBox):
    """Offers the microphones that were found, the file that was opened, the demo, and to open another file.

    Signals:
        file_wanted: the person chose to open a file.
        opened: the list is about to drop down, so that it can be brought up to date.
    """

    file_wanted = Signal()
    opened = Signal()

    def __init__(self, theme: Theme, demo: AudioFile, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._demo = demo
        self._microphones: tuple[Microphone, ...] = ()
        self._file: AudioFile | None = None
        self._looked = False
        self.setView(QListView())  # unlike the built-in one, it takes its looks from the style sheet
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.setAccessibleName(self.tr("Audio source"))
        self.setToolTip(self.tr("What to caption"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaximumWidth(WIDEST_PIXELS)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(14)
        self.activated.connect(self._note_choice)
        theme.changed.connect(self._fill)
        self._fill()

    @property
    def source(self) -> AudioSource | None:
        """What is chosen; None where there is nothing to listen to."""
        chosen = self.currentData(_SOURCE)
        return chosen if isinstance(chosen, Microphone | AudioFile) else None

    @property
    def has_microphone(self) -> bool:
        """False only once it is known that there is none."""
        return bool(self._microphones) or not self._looked

    def offer_microphones(self, devices: Sequence[InputDevice]) -> None:
        """Take the list of what can be recorded from; a microphone that is still there stays chosen."""
        self._looked = True
        self._microphones = tuple(
            Microphone(None, self.tr("Default microphone")) if each.is_default else Microphone(each.name, each.name)
            for each in devices
        )
        self._fill()

    def choose_file(self, path: Path) -> None:
        """Offer a file, and choose it."""
        if path == self._demo.path:
            self.choose_demo()
            return
        self._file = AudioFile(path)
        self._fill()
        self._choose(self._file)

    def choose_demo(self) -> None:
        self._choose(self._demo)

    def showPopup(self) -> None:
        self.opened.emit()
        super().showPopup()

    def _fill(self) -> None:
        before = self.source
        self.blockSignals(True)
        self.clear()
        for microphone in self._microphones:
            self.addItem(self._theme.icon("microphone"), microphone.name, microphone)
        if not self._microphones:
            text = self.tr("No microphone found") if self._looked else self.tr("Looking for microphones…")
            self.addItem(self._theme.icon("microphone", "quiet"), text)
        if self._file is not None:
            self.addItem(self._theme.icon("file"), self._file.name, self._file)
        self.addItem(self._theme.icon("demo"), self._demo.name, self._demo)
        self.addItem(self._theme.icon("file"), self.tr("Open audio file…"), "open")
        self.setCurrentIndex(max(self._index_of(before), 0))
        self.blockSignals(False)
        self._shown = self.currentIndex()

    def _choose(self, source: AudioSource) -> None:
        self.setCurrentIndex(self._index_of(source))
        self._shown = self.currentIndex()

    def _index_of(self, source: AudioSource | None) -> int:
        return next((i for i in range(self.count()) if source and self.itemData(i, _SOURCE) == source), -1)

    def _note_choice(self, index: int) -> None:
        if self.itemData(index, _SOURCE) == "open":
            self.setCurrentIndex(self._shown)  # until a file has been chosen, nothing has
            self.file_wanted.emit()
        else:
            self._shown = index
