"""One setting: its name, what it is set to in words, the control itself, and what it trades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSlider, QVBoxLayout, QWidget

from app.widgets.rows import combo, keep_from_the_wheel

SETTLED_MILLISECONDS = 300
NAME_GAP_PIXELS = 12


@dataclass(frozen=True, slots=True)
class Scale:
    """The values that a slider stands for: `low`, then one every `step`, up to `high`."""

    low: float
    high: float
    step: float

    @property
    def places(self) -> int:
        """The last place of the slider, counted from 0."""
        return round((self.high - self.low) / self.step)

    def value(self, place: int) -> float:
        return round(self.low + place * self.step, 6)

    def place(self, value: float) -> int:
        """The place that is nearest to a value."""
        return min(max(round((value - self.low) / self.step), 0), self.places)


class SliderControl(QWidget):
    """A slider over a scale.

    Attributes:
        slider: the control itself.

    Signals:
        chosen: the value, once the slider rests.
    """

    chosen = Signal(float)

    def __init__(
        self,
        name: str,
        scale: Scale,
        words: Callable[[float], str],
        explanation: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """`name` may have a mnemonic; `words` says a value in words."""
        super().__init__(parent)
        self.scale = scale
        self._words = words
        self._value = scale.low
        self.slider = QSlider(Qt.Orientation.Horizontal)
        keep_from_the_wheel(self.slider)
        self.slider.setRange(0, scale.places)
        self.slider.setPageStep(max(1, scale.places // 10))
        self._now = quiet_label(wraps=False)
        self._rest = QTimer(self, singleShot=True, interval=SETTLED_MILLISECONDS)
        self._rest.timeout.connect(self._tell)
        self.slider.valueChanged.connect(self._take)
        _lay_out(self, name, self.slider, explanation, beside=self._now)
        self.show_value(scale.low)

    @property
    def value(self) -> float:
        """What is shown: as it was given, even where the slider has no place for it."""
        return self._value

    def show_value(self, value: float) -> None:
        """Take over a value, unless a person is choosing one; nobody is told."""
        if self._rest.isActive():
            return
        self.slider.blockSignals(True)
        self.slider.setValue(self.scale.place(value))
        self.slider.blockSignals(False)
        self._say(value)

    def settle(self) -> None:
        """Tell now what was chosen, if that has not been done."""
        if self._rest.isActive():
            self._tell()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.settle()

    def _take(self, place: int) -> None:
        self._say(self.scale.value(place))
        self._rest.start()

    def _tell(self) -> None:
        self._rest.stop()
        self.chosen.emit(self._value)

    def _say(self, value: float) -> None:
        self._value = value
        words = self._words(value)
        self._now.setText(words)
        self.slider.setAccessibleDescription(words)


class ChoiceControl(QWidget):
    """One of several, in a list that drops down.

    Attributes:
        box: the control itself.

    Signals:
        chosen: the data of what a person has chosen.
    """

    chosen = Signal(object)

    def __init__(
        self, name: str, choices: Sequence[tuple[str, object]], explanation: str = "", parent: QWidget | None = None
    ) -> None:
        """`choices` are what a person reads and what is chosen by it."""
        super().__init__(parent)
        self.box = combo()
        self.box.setMinimumContentsLength(8)
        for text, data in choices:
            self.box.addItem(text, data)
        self.box.activated.connect(lambda place: self.chosen.emit(self.box.itemData(place)))
        _lay_out(self, name, self.box, explanation)

    def show_value(self, value: object) -> None:
        """Take over a choice; nobody is told. One that is not offered is shown as it is written."""
        place = next((place for place in range(self.box.count()) if self.box.itemData(place) == value), -1)
        if place < 0:
            self.box.addItem(str(value), value)
            place = self.box.count() - 1
        self.box.setCurrentIndex(place)


class CheckControl(QWidget):
    """Yes or no.

    Attributes:
        box: the control itself.

    Signals:
        chosen: yes or no, by a person.
    """

    chosen = Signal(bool)

    def __init__(self, name: str, explanation: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(name)
        self.box.setAccessibleName(plain(name))
        self.box.clicked.connect(self.chosen)
        column = _column(self)
        column.addWidget(self.box)
        _explain(column, self.box, explanation)

    def show_value(self, value: bool) -> None:
        """Take over yes or no; nobody is told."""
        self.box.setChecked(value)


Control = SliderControl | ChoiceControl | CheckControl


def quiet_label(text: str = "", *, wraps: bool = True, role: str = "quiet") -> QLabel:
    """A text that explains."""
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say what happened."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def plain(name: str) -> str:
    """A name without its mnemonic."""
    return name.replace("&", "")


def _column(widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout(widget)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(5)
    return column


def _lay_out(widget: QWidget, name: str, control: QWidget, explanation: str, beside: QWidget | None = None) -> None:
    label = QLabel(name)
    label.setBuddy(control)
    control.setAccessibleName(plain(name))
    row = QHBoxLayout()
    row.setSpacing(NAME_GAP_PIXELS)
    label.setWordWrap(True)
    row.addWidget(label, 1)
    if beside is not None:
        row.addWidget(beside)
    column = _column(widget)
    column.addLayout(row)
    column.addWidget(control)
    _explain(column, control, explanation)


def _explain(column: QVBoxLayout, control: QWidget, explanation: str) -> None:
    if explanation:
        control.setToolTip(explanation)
        column.addWidget(quiet_label(explanation, role="small"))
