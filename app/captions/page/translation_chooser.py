"""The panel in which a person chooses how captions are translated, and what the header says of it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.captions.figures import TRANSLATION_ERASURE, Sample
from app.captions.page.translation_panel import TranslationPanel
from app.look.language_names import language_name
from app.look.problems import in_words
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.errors import EngineError
from engine.models.into_english import translates_into_english
from engine.translate.targets import translation_targets


class TranslationChooser(QObject):
    """Opens the panel, and shows in it how steady translations are.

    Attributes:
        panel: edits the preferences.
    """

    def __init__(self, actions: Actions, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self.panel = TranslationPanel(settings, parent)
        self._actions = actions
        self._settings = settings
        settings.rested.connect(self._follow)
        self._show(settings.preferences)

    def show_figure(self, sample: Sample) -> None:
        """Show a Sample of the session that translates, if it is about translations."""
        if sample.figure == TRANSLATION_ERASURE:
            self.panel.show_taken_back(sample.value)

    def open_below(self, widget: QWidget) -> None:
        """Show the panel, with the languages that the model offers now."""
        try:
            self.panel.offer(translation_targets(self._settings.preferences.models.translation))
        except EngineError as error:
            self.panel.offer((), in_words(str(error)))
        self.panel.offer_english(self._can_write_english())
        self.panel.open_below(widget)

    def _can_write_english(self) -> bool:
        try:
            return translates_into_english(self._settings.preferences.models.hearing)
        except EngineError:
            return False

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.translation_choice != after.translation_choice:
            self._show(after)

    def _show(self, preferences: Preferences) -> None:
        """Name the language that is chosen; how steady the translations are is measured from here on."""
        choice = preferences.translation_choice
        self.panel.show_taken_back(None)
        self._actions.name_translation(None if choice is None else language_name(choice.options.target))
