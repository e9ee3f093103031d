"""The choice of a source: a microphone, what the computer plays, both, a file, or the demo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from app.look.theme import Theme
from app.preferences.preferences import Sound
from app.sound.audio_sources import AudioFile, Microphone, Source, TwoSides
from app.sound.process_tap import needs_loopback
from app.widgets.input_box import InputBox

if TYPE_CHECKING:
    from app.sound.audio_devices import InputDevice

WIDEST_PIXELS = 360
_SOURCE = Qt.ItemDataRole.UserRole


class SourcePicker(InputBox):
    """Offers the inputs that were found, the file that was opened, the demo, and to open another file.

    An input that a person chose and that goes away is chosen again once it is back.

    Signals:
        file_wanted: the person chose to open a file.
        input_chosen: the person chose an input: its name, or None for the system's default; and whether what the
            computer plays is to be heard beside it.
        opened: the list is about to drop down, so that it can be brought up to date.
    """

    file_wanted = Signal()
    input_chosen = Signal(object, bool)
    opened = Signal()

    def __init__(self, theme: Theme, demo: AudioFile, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._demo = demo
        self._devices: Sequence[InputDevice] = ()
        self._file: AudioFile | None = None
        self._wanted = Sound()  # what was chosen last
        self._looked = False
        self._heard_computer = False  # the last input was what the computer plays
        self.setAccessibleName(self.tr("Audio source"))
        self.setAccessibleDescription(self.tr("What to caption"))
        self.setMaximumWidth(WIDEST_PIXELS)
        self.activated.connect(self._note_choice)
        self.currentIndexChanged.connect(self._note_input)
        theme.changed.connect(self._fill)
        self._fill()

    @property
    def source(self) -> Source | None:
        """Return the source that is chosen; None where there is nothing to listen to."""
        chosen = self.currentData(_SOURCE)
        return chosen if isinstance(chosen, Microphone | AudioFile | TwoSides) else None

    @property
    def is_looking(self) -> bool:
        """Return whether the search for microphones is still running."""
        return not self._looked

    @property
    def has_microphone(self) -> bool:
        """False only once it is known that there is none."""
        return bool(self._devices) or not self._looked

    def offer_microphones(self, devices: Sequence[InputDevice]) -> None:
        """Offer the devices that can record; a microphone that is still there stays chosen."""
        self._looked = True
        self._devices = devices
        self._fill()

    def choose_input(self, wanted: Sound) -> None:
        """Choose an input, or the system's default, or both sides; one that is not connected, as soon as it is."""
        before, self._wanted = self._wanted, wanted
        if before.input != wanted.input and wanted.both:
            self._fill()
        if (index := self._index_of_input()) >= 0:
            self.setCurrentIndex(index)
            self._shown = index

    def choose_file(self, path: Path) -> None:
        """Offer a file, and choose it."""
        if path == self._demo.path:
            self.choose_demo()
            return
        self._file = AudioFile(path, sound=self._demo.sound)
        self._fill()
        self._choose(self._file)

    def choose_demo(self) -> None:
        self._choose(self._demo)

    def showPopup(self) -> None:
        self.opened.emit()
        super().showPopup()

    def _fill(self) -> None:
        before = self.source
        if isinstance(before, Microphone | TwoSides):
            self._heard_computer = isinstance(before, Microphone) and before.is_monitor
        self.blockSignals(True)
        self.clear()
        for icon, text, microphone in self._inputs(self._devices):
            self._add(icon, text, microphone)
        if (both := self._both_sides()) is not None:
            self._add("call", both.name, both)
            tip = self.tr("Two sides: “You” and “Call”. What the microphone hears of the call is left out.")
            self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        if not self._devices:
            text = self.tr("No microphone found") if self._looked else self.tr("Looking for microphones…")
            icon = "microphone"
            if self._heard_computer:
                icon, text = "speaker", self.tr("The sound of the computer is gone")
            self._add(icon, text, None, quiet=True)
        if needs_loopback():
            self._add(
                "speaker", self.tr("What this Mac plays: needs macOS 14.4 or a loopback device"), None, quiet=True
            )
        if self._file is not None:
            self._add("file", self._file.name, self._file)
        self._add("demo", self._demo.name, self._demo)
        self._add("file", self.tr("Play and caption a file…"), "open")
        self.setCurrentIndex(max(self._index_now(before), 0))
        self.blockSignals(False)
        self._shown = self.currentIndex()
        self._tell_whole_name()

    def _both_sides(self) -> TwoSides | None:
        """Return the chosen or the default microphone beside what the computer plays; None if either is missing."""
        inputs = [each for _, _, each in self._inputs(self._devices)]
        played = {each.name for each in self._devices if each.is_monitor}
        default_plays = any(each.is_default and each.is_monitor for each in self._devices)
        heard = [each for each in inputs if each.device not in played and not (each.device is None and default_plays)]
        computer = next((each for each in inputs if each.device in played), None)
        if not heard or computer is None:
            return None
        microphone = next((each for each in heard if each.device == self._wanted.input), heard[0])
        return TwoSides(microphone, computer, self.tr("Microphone and computer"))

    def _index_now(self, before: Source | None) -> int:
        if isinstance(before, AudioFile):
            return self._index_of(before)
        return self._index_of_input()

    def _index_of_input(self) -> int:
        """Return the row of the wanted input; that of the input alone if its other side is missing."""
        inputs = [self.itemData(index, _SOURCE) for index in range(self.count())]
        both = next((i for i, each in enumerate(inputs) if isinstance(each, TwoSides)), -1)
        if self._wanted.both and both >= 0:
            return both
        alone = (i for i, each in enumerate(inputs) if isinstance(each, Microphone))
        return next((i for i in alone if inputs[i].device == self._wanted.input), -1)

    def _choose(self, source: Source) -> None:
        self.setCurrentIndex(self._index_of(source))
        self._shown = self.currentIndex()

    def _index_of(self, source: Source | None) -> int:
        return next((i for i in range(self.count()) if source and self.itemData(i, _SOURCE) == source), -1)

    def _note_choice(self, index: int) -> None:
        if self.itemData(index, _SOURCE) == "open":
            self.setCurrentIndex(self._shown)  # until a file has been chosen, nothing has
            self.file_wanted.emit()
            return
        self._shown = index
        chosen = self.source
        if isinstance(chosen, Microphone):
            self.input_chosen.emit(chosen.device, False)
        elif isinstance(chosen, TwoSides):
            self.input_chosen.emit(self._wanted.input, True)

    def _note_input(self) -> None:
        chosen = self.source
        if isinstance(chosen, Microphone):
            self._wanted = Sound(input=str(chosen.device) if chosen.device is not None else None)
        elif isinstance(chosen, TwoSides):
            self._wanted = replace(self._wanted, both=True)
