"""The filters above the list of models: purpose and language."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QLabel, QListView, QTabBar, QWidget

from app.look.language_names import language_name
from app.models.uses import Use
from app.preferences.heard_languages import HEARD_LANGUAGES
from app.preferences.preferences import Preferences

GAP_PIXELS = 10
NAME_LETTERS = 11
EDGE_PIXELS = 20  # right margin of the language; also of tabs that need the full width


class ModelFilters(QWidget):
    """Tabs of purposes, and a language.

    Attributes:
        tabs: one for each Use, in their order.
        language: the language by code; the first entry is any.

    Signals:
        changed: the filters have changed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen: dict[Use, str] = {}  # chosen by the user
        self._usual: dict[Use, str] = {}
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName(self.tr("What models are for"))
        for text in (self.tr("Captions"), self.tr("Translation"), self.tr("Assistant"), self.tr("Voice")):
            self.tabs.addTab(text)
        self.language = QComboBox()
        self.language.setView(QListView())  # unlike the built-in view, it uses the style sheet
        self.language.setAccessibleName(self.tr("Language"))
        self.language.addItem(self.tr("Any language"), "")
        for code in sorted(HEARD_LANGUAGES, key=language_name):
            self.language.addItem(language_name(code), code)
        self.language.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.language.setMinimumContentsLength(NAME_LETTERS)
        label = self._label = QLabel(self.tr("Langua&ge"))
        label.setBuddy(self.language)
        label.setProperty("role", "quiet")
        row = self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP_PIXELS)
        row.addWidget(self.tabs)
        row.addStretch(1)
        row.addWidget(label)
        row.addWidget(self.language, 0, Qt.AlignmentFlag.AlignLeft)
        self.tabs.currentChanged.connect(self._change_tab)
        self.language.activated.connect(self._change_language)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        both = self.tabs.sizeHint().width() + self.language.sizeHint().width() + 2 * GAP_PIXELS + EDGE_PIXELS
        ways = QBoxLayout.Direction
        beside = event.size().width() >= both
        self._row.setDirection(ways.LeftToRight if beside else ways.TopToBottom)
        self._row.setContentsMargins(0, 0, EDGE_PIXELS if beside else 0, 0)
        self._label.setVisible(event.size().width() >= both + self._label.sizeHint().width() + GAP_PIXELS)

    @property
    def use(self) -> Use:
        """Purpose of the listed models."""
        return tuple(Use)[max(self.tabs.currentIndex(), 0)]

    @property
    def code(self) -> str:
        """Code of the language that the listed models know, or empty."""
        return str(self.language.currentData())

    def show_use(self, use: Use, language: str | None = None) -> None:
        """List the models for a purpose; with a language, those that know it."""
        if language is not None:
            self._chosen[use] = language
        self.tabs.setCurrentIndex(tuple(Use).index(use))
        self._show_language()

    def follow(self, preferences: Preferences, interface: str) -> None:
        """Set the default languages of the filter from the preferences, unless the user chose one here."""
        spoken = preferences.captions.language or interface
        wanted = preferences.translation.target if preferences.translates else ""
        self._usual = {Use.CAPTIONS: spoken, Use.TRANSLATION: wanted, Use.ANSWERS: interface, Use.VOICE: ""}
        self._show_language()

    def _show_language(self) -> None:
        code = self._chosen.get(self.use, self._usual.get(self.use, ""))
        place = max(self.language.findData(code), 0)
        if place != self.language.currentIndex():
            self.language.setCurrentIndex(place)
            self.changed.emit()

    def _change_tab(self) -> None:
        self._show_language()
        self.changed.emit()

    def _change_language(self) -> None:
        self._chosen[self.use] = self.code
        self.changed.emit()
