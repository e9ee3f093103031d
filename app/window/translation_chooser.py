"""Between the translation panel and the session: what is chosen is done, and remembered."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.captions.steadiness import SteadinessMeter
from app.live_session import LiveSession
from app.settings.preferences import Preferences
from app.settings.preferences_file import PreferencesFile
from app.translation_targets import translation_targets
from app.window.translation_panel import TranslationPanel, language_name
from engine.errors import EngineError
from engine.events import Translation
from engine.messages import TranslationChoice


class TranslationChooser(QObject):
    """Has a session translate as a person chooses.

    Attributes:
        panel: where it is chosen.

    Signals:
        failed: what could not be remembered or recalled, in one sentence.
    """

    failed = Signal(str)

    def __init__(
        self, session: LiveSession, actions: Actions, file: PreferencesFile, model: str, parent: QWidget
    ) -> None:
        """`model` is the name or folder of the language model."""
        super().__init__(parent)
        self.panel = TranslationPanel(parent)
        self._session = session
        self._actions = actions
        self._file = file
        self._model = model
        self._meter = SteadinessMeter()
        self.panel.chosen.connect(self._take)
        session.translation_changed.connect(self._measure)

    def take_up(self) -> None:
        """Translate as was chosen the last time."""
        try:
            preferences = self._file.load()
        except EngineError as error:
            self.failed.emit(str(error))
        else:
            self.panel.show_preferences(preferences)
            self._translate(preferences)

    def open_below(self, widget: QWidget) -> None:
        """Show the panel, with the languages that the model offers now."""
        try:
            self.panel.offer(translation_targets(self._model))
        except EngineError as error:
            self.panel.offer((), str(error))
        self.panel.open_below(widget)

    def _take(self, preferences: Preferences) -> None:
        self._translate(preferences)
        try:
            self._file.save(preferences)
        except EngineError as error:
            self.failed.emit(str(error))

    def _measure(self, translation: Translation) -> None:
        self._meter.add(translation)
        self.panel.show_taken_back(self._meter.taken_back)

    def _translate(self, preferences: Preferences) -> None:
        options = preferences.translation_options
        self._meter = SteadinessMeter()
        self.panel.show_taken_back(None)
        self._actions.name_translation(None if options is None else language_name(options.target))
        self._session.translate(None if options is None else TranslationChoice(options, self._model))
