"""The panel in which a person chooses how captions are translated, and what the header says of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.captions.figures import TRANSLATION_ERASURE, Sample
from app.captions.page.translation_panel import TranslationPanel
from app.look.language_names import language_name
from app.look.problems import in_words
from app.models.uses import can_translate_by_ear, translates_roughly
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.errors import EngineError
from engine.translate.targets import model_for, translation_targets

if TYPE_CHECKING:
    from app.sound.output_devices import OutputDevice


class TranslationChooser(QObject):
    """Opens the panel, and shows in it how steady translations are.

    Attributes:
        panel: edits the preferences.

    Signals:
        model_wanted: one that translates better.
    """

    model_wanted = Signal()

    def __init__(self, actions: Actions, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self.panel = TranslationPanel(settings, parent)
        self.panel.better.clicked.connect(self.panel.hide)
        self.panel.better.clicked.connect(self.model_wanted)
        self._actions = actions
        self._settings = settings
        self._behind: int | None = None
        settings.rested.connect(self._follow)
        self._show(settings.preferences)

    def show_figure(self, sample: Sample) -> None:
        """Show a Sample of the session that translates, if it is about translations."""
        if sample.figure == TRANSLATION_ERASURE:
            self.panel.show_taken_back(sample.value)

    def show_behind(self, seconds: float | None) -> None:
        """Show how many seconds the voice is behind the speaker; None while nothing is spoken."""
        self._behind = None if seconds is None else round(seconds)
        self.panel.show_behind(seconds)
        self._name(self._settings.preferences)

    def show_outputs(self, devices: Sequence[OutputDevice]) -> None:
        """Offer the devices that can play."""
        self.panel.interpreter.offer([(each.name, each.label) for each in devices])

    def open_below(self, widget: QWidget) -> None:
        """Show the panel, with the languages that the model offers now."""
        now = self._settings.preferences
        by_ear = can_translate_by_ear(now)
        try:
            self.panel.offer(translation_targets(now.models.translation), by_ear=by_ear)
        except EngineError as error:
            self.panel.offer((), in_words(str(error)), by_ear=by_ear)
        used = model_for(now.models.translation, now.translation.target)
        self.panel.warn(is_rough=translates_roughly(used) and not now.translates_by_ear)
        self.panel.open_below(widget)

    def _follow(self, before: Preferences, after: Preferences) -> None:
        spoken = before.captions.language != after.captions.language
        if spoken or before.translation_choice != after.translation_choice:
            self._show(after)

    def _show(self, preferences: Preferences) -> None:
        """Name the language that is chosen; how steady the translations are is measured from here on."""
        self.panel.show_taken_back(None)
        self._name(preferences)

    def _name(self, preferences: Preferences) -> None:
        choice = preferences.translation_choice
        language = preferences.captions.language
        self._actions.name_translation(
            None if choice is None else language_name(choice.options.target),
            is_spoken=choice is not None and language == choice.options.target,
            behind_seconds=self._behind,
        )
