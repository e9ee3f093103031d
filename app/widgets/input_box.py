"""Naming what can be recorded from: what both the picker of the main window and the settings offer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QListView, QSizePolicy, QStyle, QStyleOptionComboBox, QWidget

from app.look.theme import Theme
from app.sound.audio_sources import Microphone
from app.widgets.action_button import ICON_PIXELS

if TYPE_CHECKING:
    from app.sound.audio_devices import InputDevice

DEFAULT = "default"
"""PortAudio's name for whatever the system uses, where that is a device of its own."""

_ICON_GAP_PIXELS = 6
_POPUP_SIDE_PIXELS = 10  # around the names, as the style sheet has it
_TEXT = Qt.ItemDataRole.DisplayRole
_TIP = Qt.ItemDataRole.ToolTipRole


class DeviceBox(QComboBox):
    """A list of devices that drops down, with an icon to each.

    Signals:
        renamed: another name is shown.
    """

    renamed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setView(QListView())  # unlike the built-in one, it takes its looks from the style sheet
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(9)
        self.currentIndexChanged.connect(self._tell_whole_name)

    @property
    def shown_text(self) -> str:
        """As much of the present name as there is room for."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option.currentText

    @property
    def whole_width(self) -> int:
        """Width at which the present name is whole, as far as the box may be that wide."""
        option = QStyleOptionComboBox()
        super().initStyleOption(option)
        around = self.width() - self._room_in(option)
        return min(around + option.fontMetrics.horizontalAdvance(option.currentText), self.maximumWidth())

    def showPopup(self) -> None:
        """Drop down as wide as the longest name, where the box itself has less room."""
        view = self.view()
        whole = view.sizeHintForColumn(0) + 2 * _POPUP_SIDE_PIXELS
        view.setMinimumWidth(min(max(whole, self.width()), max(self.window().width(), self.width())))
        super().showPopup()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Let a name that is too long end in dots: Qt would cut through a letter."""
        super().initStyleOption(option)
        room = self._room_in(option)
        option.currentText = option.fontMetrics.elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)

    def _room_in(self, option: QStyleOptionComboBox) -> int:
        """Width that a name has here, beside its icon."""
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        return room - (0 if option.currentIcon.isNull() else option.iconSize.width() + _ICON_GAP_PIXELS)

    def _add(self, icon: str, text: str, data: object, *, quiet: bool = False) -> None:
        self.addItem(self._theme.icon(icon, "quiet" if quiet else "text"), text, data)
        self.setItemData(self.count() - 1, text, _TIP)
        if quiet:
            self.setItemData(
                self.count() - 1,
                self.palette().brush(QPalette.ColorRole.PlaceholderText),
                Qt.ItemDataRole.ForegroundRole,
            )

    def _tell_whole_name(self) -> None:
        """A long name may be cut off: the tool tip has all of it."""
        self.setToolTip(str(self.currentData(_TEXT) or ""))
        self.renamed.emit()


class InputBox(DeviceBox):
    """A list of what can be recorded from."""

    def _inputs(self, devices: Sequence[InputDevice]) -> Iterator[tuple[str, str, Microphone]]:
        """Give icon, text and source of each: the system's default, microphones, then what the computer plays."""
        names = _Distinct()
        for device in devices:
            if not device.is_default:
                continue
            usual = self.tr("Default microphone")
            label = device.label if device.name != DEFAULT or device.title else ""
            text = f"{usual} ({self._name(device)})" if label else usual
            yield "microphone", text, Microphone(None, usual)
        for device in devices:
            if device.name != DEFAULT:
                name = names.of(self._name(device))
                yield "speaker" if device.is_monitor else "microphone", name, Microphone(device.name, name)

    def _name(self, device: InputDevice) -> str:
        if not device.is_monitor:
            return device.label
        return self.tr("What this computer plays: {}").format(device.label)


class _Distinct:
    """Numbers names that occur again."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, name: str) -> str:
        self._seen[name] += 1
        return name if self._seen[name] == 1 else f"{name} ({self._seen[name]})"
