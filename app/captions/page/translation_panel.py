"""A small panel beneath its button: the language of translations and, on request, their steadiness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QListView, QPushButton, QWidget

from app.look.language_names import language_name
from app.look.theme import as_letters_grow
from app.preferences.changes import usual_translation
from app.preferences.paths import with_value
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.editors import Editors
from app.widgets.interpreter_rows import InterpreterRows
from app.widgets.labels import quiet_label
from app.widgets.layouts import Spacing, in_column, in_row
from app.widgets.screen_room import Scrolled

WIDTH_PIXELS = 380
BY_EAR = "by ear"
"""Stands in the list of languages for English by the model that hears."""

_GAP_PIXELS = 6
_BELOW_BUTTON = QPoint(0, _GAP_PIXELS)


class TranslationPanel(QFrame):
    """Shows and changes how captions are translated; it closes on a click elsewhere or the escape key.

    Attributes:
        settings: what it shows and changes.
        language: into which; its first entry is off.
        better: the button that offers other models.
        more: the button that shows the rest.
        interpreter: whether translations are spoken, and where.
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
        self.more = QPushButton(self.tr("Trans&lation settings…"))
        self.more.setCheckable(True)
        self.more.setAccessibleName(self.tr("Translation settings"))
        self.more.setAccessibleDescription(self.tr("How steadily captions are translated"))
        self.interpreter = InterpreterRows(settings, stacked=True)
        self.rows = tuple(each.stacked(settings, mnemonic=True) for each in Editors().steadiness())
        self.usual = QPushButton(self.tr("Reset to &defaults"))
        self.usual.setAccessibleName(self.tr("Reset to defaults"))
        self._explanation = quiet_label()
        self._measured = quiet_label()
        self._behind = quiet_label()
        self._warning = quiet_label(self.tr("The starter translates everyday sentences only, and is often wrong."))
        self.better = QPushButton(self.tr("&Get a better model…"))
        self.better.setProperty("role", "link")
        self._rest = QWidget()
        self._content = QWidget()
        self._content.setProperty("role", "clear")
        self._lay_out()
        self.offer(())
        self.warn(is_rough=False)
        self.show_taken_back(None)
        self.show_behind(None)
        self.language.activated.connect(self._change_language)
        self.more.toggled.connect(self._show_more)
        self.usual.clicked.connect(self._restore_defaults)
        settings.changed.connect(lambda before, after: self._show(after))

    def offer(self, languages: Sequence[str], why_none: str = "", *, by_ear: bool = False) -> None:
        """Offer languages to choose from, or show the reason why there are none.

        `by_ear` also offers English by the model that hears.
        """
        self.language.clear()
        self.language.addItem(self.tr("Off"), None)
        now = self.settings.preferences
        present = (
            (now.translation.target,) if now.translates and not now.translates_by_ear else ()
        )  # it can be switched off, whatever is missing
        for code in sorted(languages or present, key=language_name):
            self.language.addItem(language_name(code), code)
        if by_ear or (now.translates and now.translates_by_ear):
            self.language.addItem(self.tr("English, by the model that hears"), BY_EAR)
        self.language.setEnabled(self.language.count() > 1)
        usual = self.tr("A translation appears beneath every caption. It is made on this computer.")
        self._explanation.setText(usual if languages or by_ear else why_none)
        self._show(self.settings.preferences)

    def warn(self, *, is_rough: bool) -> None:
        """Show or hide that the model translates everyday sentences only, with a way to better ones."""
        self._warning.setVisible(is_rough and self.language.isEnabled())
        self.better.setVisible(self._warning.isVisibleTo(self._content))

    def show_taken_back(self, share: float | None) -> None:
        """Show how many words were taken back for each that stayed, under the present settings."""
        if share is None:
            text = self.tr("How steady it really is will be measured here once there are a few sentences.")
        elif share == 0:
            text = self.tr("Measured with these settings: no word that was shown has been taken back.")
        else:
            text = self.tr("Measured with these settings: for every 100 words that stayed, {:.0f} were taken back.")
            text = text.format(max(100 * share, 1))
        self._measured.setText(text)

    def show_behind(self, seconds: float | None) -> None:
        """Show how far the voice is behind the speaker; None hides it."""
        self._behind.setVisible(seconds is not None)
        self._behind.setText(self.tr("The voice is {:.0f} s behind.").format(seconds or 0.0))
        self._fit(self.screen())

    def open_below(self, widget: QWidget) -> None:
        """Open with the right edge at a widget's, or as near as the screen allows; it asks for a language alone."""
        self.more.setChecked(False)
        for each in (self, *self.findChildren(QWidget)):
            each.ensurePolished()  # else the texts are measured without what the look adds around them
        self._fit(widget.screen())
        corner = widget.mapToGlobal(QPoint(widget.width() - self.width(), widget.height())) + _BELOW_BUTTON
        self._move_to(corner, widget.screen())
        self.show()
        self.language.setFocus()

    def _lay_out(self) -> None:
        label = QLabel(self.tr("&Translate into"))
        label.setBuddy(self.language)
        row = in_row(label, (self.language, 1), spacing=12)
        in_column(
            row,
            self._explanation,
            self._warning,
            (self.better, 0, Qt.AlignmentFlag.AlignLeft),
            Spacing(8),
            self.interpreter.speaks,
            Spacing(4),
            self.interpreter.device,
            self._behind,
            Spacing(8),
            (self.more, 0, Qt.AlignmentFlag.AlignLeft),
            self._rest,
            on=self._content,
            margins=(20, 18, 20, 18),
            spacing=6,
        )
        rest = in_column(on=self._rest, margins=0, spacing=6)
        for choice in self.rows:
            rest.addSpacing(14)
            rest.addWidget(choice)
        rest.addSpacing(14)
        rest.addWidget(self._measured)
        rest.addSpacing(6)
        rest.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)
        self._rest.hide()
        in_column(Scrolled(self._content), on=self, margins=0)

    def _show_more(self, shown: bool) -> None:
        self._rest.setVisible(shown)
        self._fit(self.screen())

    def _fit(self, screen: QScreen) -> None:
        """Make it as high as its texts, wrapped, or as the screen: then it scrolls."""
        if (layout := self._content.layout()) is not None:
            layout.activate()
        frame = 2 * self.frameWidth()
        needed = self._content.heightForWidth(self.width() - frame) + frame
        self.resize(self.width(), min(needed, _room_on(screen).height()))
        if self.isVisible():  # it may have grown over the edge
            self._move_to(self.pos(), screen)

    def _move_to(self, corner: QPoint, screen: QScreen) -> None:
        room = _room_on(screen)
        left = max(room.left(), min(corner.x(), room.right() + 1 - self.width()))
        top = max(room.top(), min(corner.y(), room.bottom() + 1 - self.height()))
        self.move(left, top)

    def _change_language(self, index: int) -> None:
        code = self.language.itemData(index)

        def change(preferences: Preferences) -> Preferences:
            if code is not None and code != BY_EAR:
                preferences = with_value(preferences, "translation.target", code)
            return replace(preferences, translates=code is not None, translates_by_ear=code == BY_EAR)

        self.settings.alter(change)

    def _restore_defaults(self) -> None:
        self.settings.alter(usual_translation)
        self.language.setFocus()  # the button has nothing left to do

    def _show(self, preferences: Preferences) -> None:
        """Show what is chosen."""
        chosen = BY_EAR if preferences.translates_by_ear else preferences.translation.target
        place = self.language.findData(chosen) if preferences.translates else 0
        self.language.setCurrentIndex(max(place, 0))
        for row in (self.interpreter.speaks, self.interpreter.device, *self.rows):
            row.show_preferences(preferences)
        self.interpreter.device.setVisible(self.interpreter.device.needs(preferences))
        self._fit(self.screen())
        self.usual.setEnabled(preferences.translates and usual_translation(preferences) != preferences)


def _room_on(screen: QScreen) -> QRect:
    """Return the part of a screen where a popup may stand: not at its very edge."""
    return screen.availableGeometry().adjusted(_GAP_PIXELS, _GAP_PIXELS, -_GAP_PIXELS, -_GAP_PIXELS)
