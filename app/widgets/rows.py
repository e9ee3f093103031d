"""Rows of settings: a name, an explanation, and a control with immediate effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QListView,
    QScrollArea,
    QSlider,
    QSpinBox,
    QToolButton,
    QWidget,
)

from app.look.theme import as_letters_grow
from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.labels import plain, quiet_label
from app.widgets.layouts import Stretch, in_column, in_row
from engine.errors import OptionError

CONTROL_PIXELS = 250
NARROW_PIXELS = 450
"""Smallest width of a row with its control beside the name; a narrower one has it beneath."""

Write = Callable[[Preferences, Any], Preferences]
Needs = Callable[[Preferences], bool]


class Row(QWidget):
    """A setting: shows the value at a path of the preferences, and changes it there.

    Attributes:
        control: the widget that the user operates.
        path: path of the value, such as "overlay.points".
        words: text that a search matches.
        write: stores a value in the preferences; by default it is put at the path.
        needs: whether the setting has an effect with the other preferences.
    """

    is_wide = False
    """Return whether the control is always beneath the name."""

    _beside: QLabel | None = None  # a label to the right of the name in a stacked row

    def __init__(
        self,
        settings: Settings,
        path: str,
        control: QWidget,
        name: str,
        explanation: str = "",
        *,
        stacked: bool = False,
    ) -> None:
        """Build a row; `stacked` is for narrow panels: the explanation stands small beneath the control."""
        super().__init__()
        self.control = control
        self.path = path
        self.words = f"{plain(name)} {explanation}".casefold()
        self.write: Write = lambda now, value: with_value(now, path, value)
        self.needs: Needs = lambda _: True
        self._settings = settings
        self._problem = quiet_label("", "problem")
        self._problem.hide()
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._line.setSpacing(16)
        control.setAccessibleName(plain(name))
        control.setAccessibleDescription(explanation)
        in_column(self._line, self._problem, on=self, margins=0, spacing=4)
        if stacked:
            self._stack(name, explanation)
        else:
            self._lay_out(name, explanation)

    def show_preferences(self, preferences: Preferences) -> None:
        """Show the preferences' value without emitting a change."""
        self.control.blockSignals(True)
        self.show_value(value_at(preferences, self.path))
        self.control.blockSignals(False)
        self.setEnabled(self.needs(preferences))

    def show_value(self, value: Any) -> None:
        """Set the control to a value."""
        raise NotImplementedError

    def put(self, value: Any) -> None:
        """Store a value; if it is refused, show why and restore the old one."""
        try:
            self._settings.alter(lambda now: self.write(now, value), at_once=False)
        except OptionError as error:
            self.say(str(error))
            self.show_preferences(self._settings.preferences)
        else:
            self.say("")

    def say(self, problem: str) -> None:
        """Show beneath the setting what is wrong with it; an empty text hides the message."""
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if problem:
            QTimer.singleShot(0, self, self._scroll_to_problem)  # once it is laid out

    def _scroll_to_problem(self) -> None:
        above = self.parentWidget()
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        if above is not None:
            above.ensureWidgetVisible(self._problem)

    @property
    def problem(self) -> str:
        return self._problem.text()

    def make_narrow(self, narrow: bool) -> None:
        """Place the control beneath the name, or beside it."""
        beneath = narrow or self.is_wide
        self._line.setDirection(QBoxLayout.Direction.TopToBottom if beneath else QBoxLayout.Direction.LeftToRight)
        self._line.setSpacing(6 if beneath else 16)

    def _lay_out(self, name: str, explanation: str) -> None:
        label = QLabel(name)
        label.setBuddy(self.control)
        label.setWordWrap(True)
        text = in_column(Stretch(1), label, spacing=2)
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

    def _stack(self, name: str, explanation: str) -> None:
        self._line.setDirection(QBoxLayout.Direction.TopToBottom)
        self._line.setSpacing(5)
        self._head(name)
        self._line.addWidget(self.control)
        if explanation:
            self.control.setToolTip(explanation)
            self._line.addWidget(quiet_label(explanation, "small"))

    def _head(self, name: str) -> None:
        label = QLabel(name)
        label.setBuddy(self.control)
        label.setWordWrap(True)
        heading = in_row((label, 1), spacing=12)
        if self._beside is not None:
            heading.addWidget(self._beside)
        self._line.addLayout(heading)


class SwitchRow(Row):
    """A setting that is on or off."""

    control: QCheckBox

    def __init__(
        self, settings: Settings, path: str, name: str, explanation: str = "", *, stacked: bool = False
    ) -> None:
        super().__init__(settings, path, QCheckBox(name), name, explanation, stacked=stacked)
        self.control.toggled.connect(self.put)

    def show_value(self, value: Any) -> None:
        self.control.setChecked(value)

    def make_narrow(self, narrow: bool) -> None:
        pass  # the box stands before its name in any case

    def _head(self, name: str) -> None:
        pass  # for the same reason

    def _lay_out(self, name: str, explanation: str) -> None:
        text = in_column(self.control, spacing=2)
        if explanation:
            line = quiet_label(explanation)
            line.setContentsMargins(30, 0, 0, 0)
            text.addWidget(line)
        self._line.addLayout(text, 1)


class ChoiceRow(Row):
    """A choice of one option."""

    control: QComboBox

    def __init__(
        self,
        settings: Settings,
        path: str,
        name: str,
        explanation: str,
        options: Sequence[tuple[Any, str]] = (),
        *,
        stacked: bool = False,
        title_of: Callable[[Any], str] = lambda value: str(value or ""),
    ) -> None:
        """Build the row; `title_of` names a value before the options are known, or that is none of them."""
        super().__init__(settings, path, combo(), name, explanation, stacked=stacked)
        self._title_of = title_of
        self.control.setMinimumContentsLength(8)
        self._options: Sequence[tuple[Any, str]] = ()
        self._is_offered = False  # no options yet: a value is shown as it is
        self.offer(options)
        self.control.activated.connect(lambda place: self.put(self._options[place][0]))

    def offer(self, options: Sequence[tuple[Any, str]]) -> None:
        """Set the options: stored values and their labels."""
        if not options:
            return
        self._is_offered = True
        self._options = tuple(options)
        self.control.blockSignals(True)
        self.control.clear()
        self.control.addItems([title for _, title in self._options])
        self.show_preferences(self._settings.preferences)

    def show_value(self, value: Any) -> None:
        """Select a value; one that is not an option any more is shown as it is."""
        if not self._is_offered:
            self._options = ()
            self.control.clear()
        places = [place for place, (stored, _) in enumerate(self._options) if stored == value]
        if not places:
            title = self._title_of(value)
            title = self.tr("{} (missing)").format(title) if self._is_offered else title
            self._options = (*self._options, (value, title))
            self.control.addItem(self._options[-1][1])
        self.control.setCurrentIndex(places[0] if places else len(self._options) - 1)


class NumberRow(Row):
    """An integer that is typed or stepped."""

    control: QSpinBox

    def __init__(self, settings: Settings, path: str, name: str, explanation: str, least: int, most: int) -> None:
        box = QSpinBox()
        box.setRange(least, most)
        box.setKeyboardTracking(False)
        box.setAccelerated(True)
        keep_from_the_wheel(box)
        super().__init__(settings, path, box, name, explanation)
        box.valueChanged.connect(self.put)

    def show_value(self, value: Any) -> None:
        self.control.setValue(value)


@dataclass(frozen=True, slots=True)
class Scale:
    """The values of a slider: `low`, then one every `step`, up to `high`."""

    low: float
    high: float
    step: float

    @property
    def places(self) -> int:
        """Last position of the slider, counted from 0."""
        return round((self.high - self.low) / self.step)

    def value(self, place: int) -> float:
        return round(self.low + place * self.step, 6)

    def place(self, value: float) -> int:
        """Return the position nearest to a value."""
        return min(max(round((value - self.low) / self.step), 0), self.places)


class SliderRow(Row):
    """A number on a slider, whose label describes the value in words."""

    control: QSlider

    def __init__(
        self,
        settings: Settings,
        path: str,
        name: str,
        explanation: str,
        scale: Scale,
        wording: Callable[[float], str],
        *,
        stacked: bool = False,
    ) -> None:
        """Build a row; `wording` describes a value for people."""
        self.scale = scale
        self._wording = wording
        self._now = self._beside = quiet_label("", wraps=False)
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, scale.places)
        slider.setPageStep(max(1, scale.places // 8))
        keep_from_the_wheel(slider)
        super().__init__(settings, path, slider, name, explanation, stacked=stacked)
        slider.valueChanged.connect(self._store_position)

    def show_value(self, value: Any) -> None:
        self.control.setValue(self.scale.place(value))
        self._describe(value)

    def _store_position(self, place: int) -> None:
        value = self.scale.value(place)
        self.put(round(value) if isinstance(value_at(self._settings.preferences, self.path), int) else value)

    def _describe(self, value: float) -> None:
        self._now.setText(self._wording(value))
        self.control.setAccessibleDescription(self._now.text())

    def _lay_out(self, name: str, explanation: str) -> None:
        super()._lay_out(name, explanation)
        self._line.removeWidget(self.control)
        beside = QWidget()
        beside.setFixedWidth(as_letters_grow(CONTROL_PIXELS))
        in_column(self.control, (self._now, 0, Qt.AlignmentFlag.AlignHCenter), on=beside, margins=0, spacing=0)
        self._line.addWidget(beside, 0, Qt.AlignmentFlag.AlignVCenter)


class TextRow(Row):
    """A short text, stored when the user leaves the field or presses Enter."""

    control: QLineEdit

    def __init__(self, settings: Settings, path: str, name: str, explanation: str, hint: str = "") -> None:
        super().__init__(settings, path, QLineEdit(), name, explanation)
        self.control.setPlaceholderText(hint)
        self.control.setClearButtonEnabled(True)
        name_clear_button(self.control)
        self.control.editingFinished.connect(lambda: self.put(self.control.text().strip()))

    def show_value(self, value: Any) -> None:
        self.control.setText(value or "")


class _KeysEdit(QKeySequenceEdit):
    """A field for keys that Escape leaves, as it leaves every other one."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)


class KeysRow(Row):
    """A key combination."""

    control: QKeySequenceEdit

    def __init__(self, settings: Settings, path: str, name: str, explanation: str) -> None:
        super().__init__(settings, path, _KeysEdit(), name, explanation)
        self.control.setMaximumSequenceLength(1)
        self.control.setClearButtonEnabled(True)
        self.control.editingFinished.connect(self._store_keys)
        field = self.control.findChild(QLineEdit)
        if field is not None:
            field.setAccessibleName(self.control.accessibleName())
        name_clear_button(self.control)

    def show_value(self, value: Any) -> None:
        self.control.setKeySequence(QKeySequence(value))

    def _store_keys(self) -> None:
        self.put(self.control.keySequence().toString(QKeySequence.SequenceFormat.PortableText))


def combo() -> QComboBox:
    """Create a drop-down list that uses the style sheet and ignores the mouse wheel."""
    box = QComboBox()
    box.setView(QListView())  # unlike the built-in view, it uses the style sheet
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMaxVisibleItems(14)
    keep_from_the_wheel(box)
    return box


def keep_from_the_wheel(control: QWidget) -> None:
    """Make the wheel scroll the page instead of changing a setting."""
    control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    control.installEventFilter(_Still(control))


class _Still(QObject):
    """Passes turns of the wheel to the widget behind a control."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False


def name_clear_button(field: QWidget) -> None:
    """Set the accessible name of the button that clears a field, which Qt leaves out."""
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(QCoreApplication.translate("Row", "Clear"))
