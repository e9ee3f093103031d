"""Into which language captions are translated, and how steadily: a small panel beneath its button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QListView,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.settings.preferences import Preferences
from engine.errors import OptionError
from engine.options import TranslationOptions
from engine.translate.languages import name_of

WIDTH_PIXELS = 380
SETTLED_MILLISECONDS = 300
BIAS_STEP = 0.05
MOST_BIAS = 0.5
"""From here on no word that stands is ever changed."""

MOST_HELD_BACK = 8
_USUAL = TranslationOptions()
_BELOW_BUTTON = QPoint(0, 6)


class TranslationPanel(QFrame):
    """Shows Preferences and takes changes to them; it closes on a click elsewhere or the escape key.

    Signals:
        chosen: the Preferences that a person has made; while a slider is being moved, as soon as it rests.
    """

    chosen = Signal(Preferences)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._preferences = Preferences()
        self.setObjectName("panel")
        self.setFixedWidth(WIDTH_PIXELS)
        self.language = QComboBox()
        self.language.setView(QListView())  # unlike the built-in one, it takes its looks from the style sheet
        self.steadiness = _slider(round(MOST_BIAS / BIAS_STEP), self.tr("Steadiness"))
        self.held_back = _slider(MOST_HELD_BACK, self.tr("Words held back"))
        self.stable = QCheckBox(self.tr("&Never change what is shown"))
        self.stable.setAccessibleName(self.tr("Never change what is shown"))
        self.usual = QPushButton(self.tr("&Usual settings"))
        self.usual.setAccessibleName(self.tr("Usual settings"))
        self._steadiness_now = _quiet(wraps=False)
        self._held_back_now = _quiet(wraps=False)
        self._explanation = _quiet()
        self._measured = _quiet()
        self._rest = QTimer(self, singleShot=True, interval=SETTLED_MILLISECONDS)
        self._rest.timeout.connect(self._tell)
        self._lay_out()
        self.offer(())
        self.show_taken_back(None)
        self.language.activated.connect(self._take_language)
        self.steadiness.valueChanged.connect(self._take_sliders)
        self.held_back.valueChanged.connect(self._take_sliders)
        self.stable.clicked.connect(self._take_stable)
        self.usual.clicked.connect(self._take_usual)

    @property
    def preferences(self) -> Preferences:
        """What is chosen now."""
        return self._preferences

    def offer(self, languages: Sequence[str], why_none: str = "") -> None:
        """Take the languages to choose from, or the reason why there are none."""
        self.language.clear()
        self.language.addItem(self.tr("Off"), None)
        for code in sorted(languages, key=language_name):
            self.language.addItem(language_name(code), code)
        self.language.setEnabled(bool(languages))
        usual = self.tr("A translation appears beneath every caption. It is made on this computer.")
        self._explanation.setText(usual if languages else why_none)
        self.show_preferences(self._preferences)

    def show_preferences(self, preferences: Preferences) -> None:
        """Take over what is chosen; nobody is told."""
        self._preferences = preferences
        options = preferences.translation
        place = self.language.findData(options.target) if preferences.translates else 0
        self.language.setCurrentIndex(max(place, 0))
        for slider, value in ((self.steadiness, round(options.bias / BIAS_STEP)), (self.held_back, options.mask)):
            slider.blockSignals(True)
            slider.setValue(value)
            slider.blockSignals(False)
        self.stable.setChecked(options.stable)
        self._describe()

    def show_taken_back(self, share: float | None) -> None:
        """Say how many words were taken back for each that stayed, since the settings are what they are."""
        if share is None:
            text = self.tr("How steady it really is will be measured here once there are a few sentences.")
        elif share == 0:
            text = self.tr("Measured with these settings: no word that was shown has been taken back.")
        else:
            text = self.tr("Measured with these settings: for every 100 words that stayed, {:.0f} were taken back.")
            text = text.format(max(100 * share, 1))
        self._measured.setText(text)

    def open_below(self, widget: QWidget) -> None:
        """Open with the right edge at a widget's, or as near as the screen allows."""
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(widget.width() - self.width(), widget.height())) + _BELOW_BUTTON
        screen = widget.screen().availableGeometry()
        left = min(max(corner.x(), screen.left()), screen.right() - self.width())
        top = min(max(corner.y(), screen.top()), screen.bottom() - self.height())
        self.move(left, top)
        self.show()
        self.language.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._rest.isActive():
            self._rest.stop()
            self._tell()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(6)
        steadiness = self.tr(
            "To the right, words that are shown are kept where the model hesitates: easier to read, "
            "but an early mistake stays longer."
        )
        held_back = self.tr("The newest words are the least certain. Held back, they change less and come later.")
        stable = self.tr("Words are only ever added. They come later, and what is said later cannot correct them.")
        column.addLayout(self._named(self.tr("&Translate into"), self.language))
        column.addWidget(self._explanation)
        column.addSpacing(14)
        column.addLayout(self._named(self.tr("Stead&iness"), self.steadiness, self._steadiness_now))
        column.addWidget(self.steadiness)
        column.addWidget(_quiet(steadiness))
        column.addSpacing(14)
        column.addLayout(self._named(self.tr("&Hold back"), self.held_back, self._held_back_now))
        column.addWidget(self.held_back)
        column.addWidget(_quiet(held_back))
        column.addSpacing(14)
        column.addWidget(self.stable)
        column.addWidget(_quiet(stable))
        column.addSpacing(14)
        column.addWidget(self._measured)
        column.addSpacing(6)
        column.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)

    def _named(self, name: str, control: QWidget, beside: QWidget | None = None) -> QGridLayout:
        label = QLabel(name)
        label.setBuddy(control)
        control.setAccessibleName(name.replace("&", ""))
        row = QGridLayout()
        row.setHorizontalSpacing(12)
        row.addWidget(label, 0, 0)
        row.addWidget(beside or control, 0, 1, Qt.AlignmentFlag.AlignRight if beside else Qt.AlignmentFlag(0))
        row.setColumnStretch(1, 1)
        return row

    def _take_language(self, index: int) -> None:
        code = self.language.itemData(index)
        translation = self._preferences.translation
        if code is not None:
            translation = replace(translation, target=code)
        self._take(Preferences(code is not None, translation))

    def _take_sliders(self) -> None:
        bias, mask = round(self.steadiness.value() * BIAS_STEP, 2), self.held_back.value()
        translation = replace(self._preferences.translation, bias=bias, mask=mask)
        self._preferences = replace(self._preferences, translation=translation)
        self._describe()
        self._rest.start()

    def _take_stable(self, stable: bool) -> None:
        translation = replace(self._preferences.translation, stable=stable)
        self._take(replace(self._preferences, translation=translation))

    def _take_usual(self) -> None:
        translation = replace(_USUAL, target=self._preferences.translation.target)
        self._take(replace(self._preferences, translation=translation))
        self.language.setFocus()  # the button has nothing left to do

    def _take(self, preferences: Preferences) -> None:
        self.show_preferences(preferences)
        self._tell()

    def _tell(self) -> None:
        self._rest.stop()
        self.chosen.emit(self._preferences)

    def _describe(self) -> None:
        """Say in words what the controls are set to."""
        on = self._preferences.translates
        options = self._preferences.translation
        for control in (self.steadiness, self.held_back, self.stable):
            control.setEnabled(on)
        self.usual.setEnabled(on and options != replace(_USUAL, target=options.target))
        self._steadiness_now.setText(self._words_for_bias(options.bias))
        self._held_back_now.setText(self._words_for_mask(options.mask))
        self.steadiness.setAccessibleDescription(self._steadiness_now.text())
        self.held_back.setAccessibleDescription(self._held_back_now.text())

    def _words_for_bias(self, bias: float) -> str:
        if bias <= 0:
            return self.tr("always the likeliest words")
        if bias >= MOST_BIAS:
            return self.tr("never changes a word")
        if bias < 0.15:
            return self.tr("a little steadier")
        return self.tr("steady") if bias < 0.3 else self.tr("very steady")

    def _words_for_mask(self, mask: int) -> str:
        if mask == 0:
            return self.tr("nothing")
        return self.tr("the newest word") if mask == 1 else self.tr("the {} newest words").format(mask)


def language_name(code: str) -> str:
    """Name a language for people: "German" for "de"; the code itself where it is not known."""
    try:
        return name_of(code)
    except OptionError:
        return code


def _slider(most: int, name: str) -> QSlider:
    slider = QSlider(Qt.Orientation.Horizontal)
    slider.setRange(0, most)
    slider.setPageStep(1)
    slider.setToolTip(name)
    return slider


def _quiet(text: str = "", *, wraps: bool = True) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "quiet")
    label.setWordWrap(wraps)
    return label
