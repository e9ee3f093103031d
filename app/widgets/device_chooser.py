"""Choosing the app's input and output, in the settings and on the first run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from app.look.theme import Theme
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.sound.device_search import DeviceSearch
from app.widgets.input_box import DEFAULT, DeviceBox, InputBox

_NAME = Qt.ItemDataRole.UserRole

Entry = tuple[str, str, str | None]
"""Icon, text, and the device's name, None for the system's default."""


class _Chooser(DeviceBox):
    """Synchronizes list, search and preference. The preference is authoritative."""

    def __init__(self, settings: Settings, search: DeviceSearch, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._settings = settings
        self._search = search
        self.activated.connect(self._choose)
        settings.changed.connect(self._follow)
        theme.changed.connect(self.refill)

    @property
    def chosen(self) -> str | None:
        """The preferred device's name; None for the system's default."""
        raise NotImplementedError

    @property
    def is_connected(self) -> bool:
        """Return whether the chosen device exists, as far as known."""
        return self._missing != self.currentIndex()

    @Slot()
    def refill(self) -> None:
        """Show the results of the newest search; a preferred device that is not there is shown as missing."""
        chosen = self.chosen
        self.blockSignals(True)
        self.clear()
        for icon, text, name in self._entries():
            self._add(icon, text, name)
        names = [self.itemData(index, _NAME) for index in range(self.count())]
        self._missing = -1
        if chosen not in names:
            self._missing = self.count()
            self._add(self._icon(), self.tr("{} (not connected)").format(chosen), chosen, quiet=True)
        self.setCurrentIndex(names.index(chosen) if chosen in names else self._missing)
        self.blockSignals(False)
        self._tell_whole_name()

    def showPopup(self) -> None:
        self._search.start()
        super().showPopup()

    def _entries(self) -> Iterator[Entry]:
        raise NotImplementedError

    def _icon(self) -> str:
        raise NotImplementedError

    def _keep(self, name: str | None) -> None:
        raise NotImplementedError

    @Slot(int)
    def _choose(self, index: int) -> None:
        self._keep(self.itemData(index, _NAME))

    @Slot(Preferences, Preferences)
    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.sound != after.sound:
            self.refill()


class InputChooser(_Chooser, InputBox):
    """A chooser of the device to record from."""

    def __init__(self, settings: Settings, search: DeviceSearch, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(settings, search, theme, parent)
        self.setAccessibleName(self.tr("Input"))
        search.found.connect(self.refill)
        search.failed.connect(self.refill)
        self.refill()

    @property
    def chosen(self) -> str | None:
        return self._settings.preferences.sound.input

    def _entries(self) -> Iterator[Entry]:
        found = list(self._inputs(self._search.inputs or ()))
        if all(source.device is not None for _, _, source in found):
            yield "microphone", self.tr("Default microphone"), None
        for icon, text, source in found:
            yield icon, text, None if source.device is None else str(source.device)

    def _icon(self) -> str:
        return "microphone"

    def _keep(self, name: str | None) -> None:
        self._settings.alter(lambda all_: replace(all_, sound=replace(all_.sound, input=name)))


class OutputChooser(_Chooser):
    """A chooser of the device to play on."""

    def __init__(self, settings: Settings, search: DeviceSearch, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(settings, search, theme, parent)
        self.setAccessibleName(self.tr("Output"))
        search.outputs_found.connect(self.refill)
        self.refill()

    @property
    def chosen(self) -> str | None:
        return self._settings.preferences.sound.output

    def _entries(self) -> Iterator[Entry]:
        devices = self._search.outputs or ()
        usual = self.tr("Default output")
        default = next((each for each in devices if each.is_default), None)
        named = default is not None and (default.title or default.name != DEFAULT)
        yield "speaker", f"{usual} ({default.label})" if default is not None and named else usual, None
        for device in devices:
            if device.name != DEFAULT:
                yield "speaker", device.label, device.name

    def _icon(self) -> str:
        return "speaker"

    def _keep(self, name: str | None) -> None:
        self._settings.alter(lambda all_: replace(all_, sound=replace(all_.sound, output=name)))
