"""Single settings as a person sees them: a name, what it means, and a control that is obeyed at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QListView,
    QSlider,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.look.theme import as_letters_grow
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.errors import OptionError

CONTROL_PIXELS = 250
NARROW_PIXELS = 450
"""A row narrower than this has its control beneath its name."""

Write = Callable[[Preferences, Any], Preferences]


class Row(QWidget):
    """A setting: shows the value at a path of the preferences, and changes it there.

    Attributes:
        control: what is focused and used.
        path: where the value stands, such as "overlay.points".
        words: what a search finds it by.
        write: how a value gets into the preferences, where it is more than putting it there.
        needs: whether the setting has an effect, as the others are.
    """

    is_wide = False
    """Whether the control stands beneath the name even where there is room beside it."""

    def __init__(self, settings: Settings, path: str, control: QWidget, name: str, explanation: str = "") -> None:
        super().__init__()
        self.control = control
        self.path = path
        plain = name.replace("&", "")
        self.words = f"{plain} {explanation}".casefold()
        self.write: Write = lambda now, value: with_value(now, path, value)
        self.needs: Callable[[Preferences], bool] = lambda _: True
        self._settings = settings
        self._problem = quiet_label("", "problem")
        self._problem.hide()
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._line.setSpacing(16)
        control.setAccessibleName(plain)
        control.setAccessibleDescription(explanation)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(self._line)
        column.addWidget(self._problem)
        self._lay_out(name, explanation)

    def take(self, preferences: Preferences) -> None:
        """Show what is chosen; nobody is told."""
        self.control.blockSignals(True)
        self.show_value(value_at(preferences, self.path))
        self.control.blockSignals(False)
        self.setEnabled(self.needs(preferences))

    def show_value(self, value: Any) -> None:
        """Bring the control in line with a value."""
        raise NotImplementedError

    def put(self, value: Any) -> None:
        """Make this the value; where it is refused, say why and go back."""
        try:
            self._settings.alter(lambda now: self.write(now, value))
        except OptionError as error:
            self.say(str(error))
            self.take(self._settings.preferences)
        else:
            self.say("")

    def say(self, problem: str) -> None:
        """Say beneath the setting what is wrong with it; nothing where it is empty."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))

    @property
    def problem(self) -> str:
        return self._problem.text()

    def make_narrow(self, narrow: bool) -> None:
        """Stand the control beneath the name, or beside it."""
        beneath = narrow or self.is_wide
        self._line.setDirection(QBoxLayout.Direction.TopToBottom if beneath else QBoxLayout.Direction.LeftToRight)
        self._line.setSpacing(6 if beneath else 16)

    def _lay_out(self, name: str, explanation: str) -> None:
        label = QLabel(name)
        label.setBuddy(self.control)
        label.setWordWrap(True)
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addStretch(1)
        text.addWidget(label)
        if explanation:
            text.addWidget(quiet_label(explanation))
        text.addStretch(1)
        self._line.addLayout(text, 1)
        if self.is_wide:
            self._line.addWidget(self.control)
        else:
            self.control.setFixedWidth(as_letters_grow(CONTROL_PIXELS))
            self._line.addWidget(self.control, 0, Qt.AlignmentFlag.AlignVCenter)
        self.make_narrow(False)


class SwitchRow(Row):
    """Something that is on or off."""

    control: QCheckBox

    def __init__(self, settings: Settings, path: str, name: str, explanation: str = "") -> None:
        super().__init__(settings, path, QCheckBox(name), name, explanation)
        self.control.toggled.connect(self.put)

    def show_value(self, value: Any) -> None:
        self.control.setChecked(value)

    def make_narrow(self, narrow: bool) -> None:
        pass  # the box stands before its name in any case

    def _lay_out(self, name: str, explanation: str) -> None:
        text = QVBoxLayout()
        text.setSpacing(2)
        text.addWidget(self.control)
        if explanation:
            line = quiet_label(explanation)
            line.setContentsMargins(30, 0, 0, 0)
            text.addWidget(line)
        self._line.addLayout(text, 1)


class ChoiceRow(Row):
    """One of several."""

    control: QComboBox

    def __init__(
        self, settings: Settings, path: str, name: str, explanation: str, options: Sequence[tuple[Any, str]] = ()
    ) -> None:
        super().__init__(settings, path, combo(), name, explanation)
        self._options: Sequence[tuple[Any, str]] = ()
        self._is_offered = False  # not yet: until then a value is shown as it is
        self.offer(options)
        self.control.activated.connect(lambda place: self.put(self._options[place][0]))

    def offer(self, options: Sequence[tuple[Any, str]]) -> None:
        """Take what can be chosen from: what is stored, and what a person reads."""
        if not options:
            return
        self._is_offered = True
        self._options = tuple(options)
        self.control.blockSignals(True)
        self.control.clear()
        self.control.addItems([title for _, title in self._options])
        self.take(self._settings.preferences)

    def show_value(self, value: Any) -> None:
        """Choose a value; one that is not offered any more is shown as what it is."""
        if not self._is_offered:
            self._options = ()
            self.control.clear()
        places = [place for place, (stored, _) in enumerate(self._options) if stored == value]
        if not places:
            title = self.tr("{} (not here)").format(value) if self._is_offered else str(value or "")
            self._options = (*self._options, (value, title))
            self.control.addItem(self._options[-1][1])
        self.control.setCurrentIndex(places[0] if places else len(self._options) - 1)


class NumberRow(Row):
    """A number that is typed or stepped."""

    control: QSpinBox | QDoubleSpinBox

    def __init__(
        self,
        settings: Settings,
        path: str,
        name: str,
        explanation: str,
        limits: tuple[float, float, float],
        unit: str = "",
        *,
        whole: bool = False,
    ) -> None:
        """`limits` are the least, the most, and the step."""
        least, most, step = limits
        box: QSpinBox | QDoubleSpinBox
        if whole:
            box = QSpinBox()
            box.setRange(int(least), int(most))
            box.setSingleStep(int(step))
        else:
            box = QDoubleSpinBox()
            box.setDecimals(2 if step < 0.1 else 1)
            box.setRange(least, most)
            box.setSingleStep(step)
        box.setSuffix(f" {unit}" if unit else "")
        box.setKeyboardTracking(False)
        box.setAccelerated(True)
        keep_from_the_wheel(box)
        super().__init__(settings, path, box, name, explanation)
        box.valueChanged.connect(lambda value: self.put(value if whole else round(value, 3)))

    def show_value(self, value: Any) -> None:
        self.control.setValue(value)


class SliderRow(Row):
    """A number whose place between two others matters more than its figure; how it reads stands beneath the slider."""

    def __init__(
        self,
        settings: Settings,
        path: str,
        name: str,
        explanation: str,
        limits: tuple[float, float, float],
        wording: Callable[[float], str],
    ) -> None:
        """`limits` are the least, the most, and the step; `wording` says a value for people."""
        self._least, most, self._step = limits
        self._wording = wording
        self._now = quiet_label("", wraps=False)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setRange(0, round((most - self._least) / self._step))
        self._slider.setPageStep(max(1, self._slider.maximum() // 8))
        keep_from_the_wheel(self._slider)
        super().__init__(settings, path, self._slider, name, explanation)
        self._slider.valueChanged.connect(self._take_place)

    def show_value(self, value: Any) -> None:
        self._slider.setValue(round((value - self._least) / self._step))
        self._describe(value)

    def _take_place(self, place: int) -> None:
        value = round(self._least + place * self._step, 3)
        stored = int(value) if isinstance(value_at(self._settings.preferences, self.path), int) else value
        self._describe(stored)
        self.put(stored)

    def _describe(self, value: float) -> None:
        self._now.setText(self._wording(value))
        self._slider.setAccessibleDescription(self._now.text())

    def _lay_out(self, name: str, explanation: str) -> None:
        super()._lay_out(name, explanation)
        self._line.removeWidget(self.control)
        beside = QWidget()
        beside.setFixedWidth(as_letters_grow(CONTROL_PIXELS))
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.control)
        column.addWidget(self._now, 0, Qt.AlignmentFlag.AlignHCenter)
        self._line.addWidget(beside, 0, Qt.AlignmentFlag.AlignVCenter)


class TextRow(Row):
    """A few words; obeyed when the person leaves the field or presses Enter."""

    control: QLineEdit

    def __init__(self, settings: Settings, path: str, name: str, explanation: str, hint: str = "") -> None:
        super().__init__(settings, path, QLineEdit(), name, explanation)
        self.control.setPlaceholderText(hint)
        self.control.setClearButtonEnabled(True)
        name_clear_button(self.control)
        self.control.editingFinished.connect(lambda: self.put(self.control.text().strip()))

    def show_value(self, value: Any) -> None:
        self.control.setText(value or "")


class KeysRow(Row):
    """Keys to press."""

    control: QKeySequenceEdit

    def __init__(self, settings: Settings, path: str, name: str, explanation: str) -> None:
        super().__init__(settings, path, QKeySequenceEdit(), name, explanation)
        self.control.setMaximumSequenceLength(1)
        self.control.setClearButtonEnabled(True)
        self.control.editingFinished.connect(self._take_keys)
        field = self.control.findChild(QLineEdit)
        if field is not None:
            field.setAccessibleName(self.control.accessibleName())
        name_clear_button(self.control)

    def show_value(self, value: Any) -> None:
        self.control.setKeySequence(QKeySequence(value))

    def _take_keys(self) -> None:
        self.put(self.control.keySequence().toString(QKeySequence.SequenceFormat.PortableText))


def combo() -> QComboBox:
    """A list that drops down, in the looks of the style sheet, that does not change under a turning wheel."""
    box = QComboBox()
    box.setView(QListView())  # unlike the built-in one, it takes its looks from the style sheet
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMaxVisibleItems(14)
    keep_from_the_wheel(box)
    return box


def keep_from_the_wheel(control: QWidget) -> None:
    """Let the wheel scroll the page, and not change a setting on the way."""
    control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.installEventFilter(_Still(control))


class _Still(QObject):
    """Lets the turns of a wheel through to what is behind a control."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False


def name_clear_button(field: QWidget) -> None:
    """Give the button that empties a field a name for screen readers, which Qt leaves out."""
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(QCoreApplication.translate("Row", "Clear"))


def quiet_label(text: str, role: str = "quiet", *, wraps: bool = True) -> QLabel:
    """A line that explains."""
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label
