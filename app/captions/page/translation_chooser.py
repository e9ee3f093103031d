"""Between the preferences and the session: captions are translated as is chosen."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.captions.page.translation_panel import TranslationPanel
from app.captions.session import LiveSession
from app.captions.steadiness import SteadinessMeter
from app.look.language_names import language_name
from app.look.problems import in_words
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.errors import EngineError
from engine.events import Translation
from engine.models.into_english import translates_into_english
from engine.process.messages import TranslationChoice
from engine.translate.targets import translation_targets


class TranslationChooser(QObject):
    """Has a session translate as the preferences say, and opens the panel in which they are chosen.

    Attributes:
        panel: where it is chosen.
    """

    def __init__(self, session: LiveSession, actions: Actions, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self.panel = TranslationPanel(settings, parent)
        self._session = session
        self._actions = actions
        self._settings = settings
        self._meter = SteadinessMeter()
        session.translation_changed.connect(self._measure)
        self.take_up()

    def take_up(self) -> None:
        """Translate as is chosen; this is done at the beginning and after every change."""
        self._translate(self._settings.preferences)

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

    def follow(self, before: Preferences, after: Preferences) -> None:
        """Translate as is chosen now, where that is another way."""
        if (before.translation_options, before.models.translation) != (
            after.translation_options,
            after.models.translation,
        ):
            self._translate(after)

    def _measure(self, translation: Translation) -> None:
        self._meter.add(translation)
        self.panel.show_taken_back(self._meter.taken_back)

    def _translate(self, preferences: Preferences) -> None:
        options = preferences.translation_options
        self._meter = SteadinessMeter()
        self.panel.show_taken_back(None)
        self._actions.name_translation(None if options is None else language_name(options.target))
        self._session.translate(None if options is None else TranslationChoice(options, preferences.models.translation))
