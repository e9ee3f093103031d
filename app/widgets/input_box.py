"""Names of input devices, for the picker of the main window and for the settings."""

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
"""PortAudio's name for the system's current default, if that is a device of its own."""

_ICON_GAP_PIXELS = 6
_POPUP_SIDE_PIXELS = 10  # space around the names in the style sheet
_TEXT = Qt.ItemDataRole.DisplayRole
_TIP = Qt.ItemDataRole.ToolTipRole


class DeviceBox(QComboBox):
    """A drop-down list of devices with icons.

    Signals:
        renamed: another name is shown.
    """

    renamed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setView(QListView())  # unlike the built-in view, it uses the style sheet
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(9)
        self.currentIndexChanged.connect(self._tell_whole_name)

    @property
    def shown_text(self) -> str:
        """The present name, shortened to the available width."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option.currentText

    @property
    def whole_width(self) -> int:
        """Width at which the present name is fully visible, limited by the box's maximum."""
        option = QStyleOptionComboBox()
        super().initStyleOption(option)
        around = self.width() - self._room_in(option)
        return min(around + option.fontMetrics.horizontalAdvance(option.currentText), self.maximumWidth())

    def showPopup(self) -> None:
        """Drop down at the width of the longest name, if the box itself is narrower."""
        view = self.view()
        whole = view.sizeHintForColumn(0) + 2 * _POPUP_SIDE_PIXELS
        view.setMinimumWidth(min(max(whole, self.width()), max(self.window().width(), self.width())))
        super().showPopup()

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """End a name that is too long with an ellipsis: Qt would cut through a letter."""
        super().initStyleOption(option)
        room = self._room_in(option)
        option.currentText = option.fontMetrics.elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)

    def _room_in(self, option: QStyleOptionComboBox) -> int:
        """Return the width available for a name, beside its icon."""
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
        """Show the full name in the tool tip, because it may be cut off."""
        self.setToolTip(str(self.currentData(_TEXT) or ""))
        self.renamed.emit()


class InputBox(DeviceBox):
    """A list of devices to record from."""

    def _inputs(self, devices: Sequence[InputDevice]) -> Iterator[tuple[str, str, Microphone]]:
        """Yield icon, text and source of each: the system's default, microphones, then the computer's own sound."""
        names = _Distinct()
        for device in devices:
            if not device.is_default:
                continue
            usual = self.tr("Default microphone")
            label = device.label if device.name != DEFAULT or device.title else ""
            text = f"{usual} ({self._name(device)})" if label else usual
            yield "microphone", text, Microphone(None, usual, is_monitor=device.is_monitor)
        for device in devices:
            if device.name != DEFAULT:
                name = names.of(self._name(device))
                icon = "speaker" if device.is_monitor else "microphone"
                yield icon, name, Microphone(device.name, name, is_monitor=device.is_monitor)

    def _name(self, device: InputDevice) -> str:
        if not device.is_monitor:
            return device.label
        return self.tr("What this computer plays: {}").format(device.label)


class _Distinct:
    """Numbers repeated names."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, name: str) -> str:
        self._seen[name] += 1
        return name if self._seen[name] == 1 else f"{name} ({self._seen[name]})"
