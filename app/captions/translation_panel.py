"""Into which language captions are translated, and how steadily: a small panel beneath its button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QListView, QPushButton, QVBoxLayout, QWidget

from app.look.language_names import language_name
from app.look.theme import as_letters_grow
from app.preferences.changes import usual_translation
from app.preferences.paths import with_value
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.editors import Editors
from app.widgets.labels import quiet_label

WIDTH_PIXELS = 380
_BELOW_BUTTON = QPoint(0, 6)


class TranslationPanel(QFrame):
    """Shows and changes how captions are translated; it closes on a click elsewhere or the escape key.

    Attributes:
        settings: what it shows and changes.
        language: into which; its first entry is off.
        rows: how steadily.
        usual: the button that sets these as they usually are.
    """

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.settings = settings
        self.setObjectName("panel")
        self.setFixedWidth(as_letters_grow(WIDTH_PIXELS))
        self.language = QComboBox()
        self.language.setView(QListView())  # unlike the built-in one, it takes its looks from the style sheet
        self.language.setAccessibleName(self.tr("Translate into"))
        self.rows = tuple(each.stacked(settings, mnemonic=True) for each in Editors().steadiness())
        self.usual = QPushButton(self.tr("&Usual settings"))
        self.usual.setAccessibleName(self.tr("Usual settings"))
        self._explanation = quiet_label()
        self._measured = quiet_label()
        self._lay_out()
        self.offer(())
        self.show_taken_back(None)
        self.language.activated.connect(self._take_language)
        self.usual.clicked.connect(self._take_usual)
        settings.changed.connect(lambda before, after: self._show(after))

    def offer(self, languages: Sequence[str], why_none: str = "") -> None:
        """Take the languages to choose from, or the reason why there are none."""
        self.language.clear()
        self.language.addItem(self.tr("Off"), None)
        for code in sorted(languages, key=language_name):
            self.language.addItem(language_name(code), code)
        self.language.setEnabled(bool(languages))
        usual = self.tr("A translation appears beneath every caption. It is made on this computer.")
        self._explanation.setText(usual if languages else why_none)
        self._show(self.settings.preferences)

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
        for each in (self, *self.findChildren(QWidget)):
            each.ensurePolished()  # else the texts are measured without what the look adds around them
        self.adjustSize()
        self.resize(self.width(), self.heightForWidth(self.width()))  # as high as the texts, wrapped
        corner = widget.mapToGlobal(QPoint(widget.width() - self.width(), widget.height())) + _BELOW_BUTTON
        screen = widget.screen().availableGeometry()
        left = min(max(corner.x(), screen.left()), screen.right() - self.width())
        top = min(max(corner.y(), screen.top()), screen.bottom() - self.height())
        self.move(left, top)
        self.show()
        self.language.setFocus()

    def _lay_out(self) -> None:
        label = QLabel(self.tr("&Translate into"))
        label.setBuddy(self.language)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(label)
        row.addWidget(self.language, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 18)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self._explanation)
        for choice in self.rows:
            column.addSpacing(14)
            column.addWidget(choice)
        column.addSpacing(14)
        column.addWidget(self._measured)
        column.addSpacing(6)
        column.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)

    def _take_language(self, index: int) -> None:
        code = self.language.itemData(index)

        def change(preferences: Preferences) -> Preferences:
            if code is not None:
                preferences = with_value(preferences, "translation.target", code)
            return replace(preferences, translates=code is not None)

        self.settings.alter(change)

    def _take_usual(self) -> None:
        self.settings.alter(usual_translation)
        self.language.setFocus()  # the button has nothing left to do

    def _show(self, preferences: Preferences) -> None:
        """Show what is chosen."""
        options = preferences.translation
        place = self.language.findData(options.target) if preferences.translates else 0
        self.language.setCurrentIndex(max(place, 0))
        for row in self.rows:
            row.take(preferences)
        self.usual.setEnabled(preferences.translates and usual_translation(preferences) != preferences)
