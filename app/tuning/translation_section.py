"""How captions are translated: how steadily, how soon, and from what."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.captions.translation_controls import TranslationControls
from app.preferences.changes import usual_translation
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import TRANSLATION, FigureBoard
from app.tuning.section import Section
from app.widgets.control import CheckControl, quiet_label


class TranslationSection(Section):
    """The settings of translation."""

    def __init__(self, settings: Settings, board: FigureBoard, parent: QWidget | None = None) -> None:
        super().__init__(settings, board, TRANSLATION, usual_translation, parent)
        self._off = quiet_label(
            self.tr("Captions are not being translated. Choose a language above them, and these settings take effect.")
        )
        self.add(self._off)
        shared = TranslationControls(self, mnemonics=False)
        self.steadiness, self.held_back, self.stable = shared.steadiness, shared.held_back, shared.stable
        self.decay = CheckControl(
            self.tr("Let go of old words"),
            self.tr("A word that steadiness alone has kept for long may change again. Better words, more flicker."),
        )
        self.draft = CheckControl(
            self.tr("Start from the last translation"),
            self.tr("Off translates every time from nothing: slower, and nothing keeps words steady."),
        )
        self.bind(self.steadiness, "translation.bias")
        self.bind(self.held_back, "translation.mask")
        self.bind(self.stable, "translation.stable")
        self.bind(self.decay, "translation.decay")
        self.bind(self.draft, "translation.draft")
        self.finish()

    def show_preferences(self, preferences: Preferences) -> None:
        super().show_preferences(preferences)
        self._off.setVisible(not preferences.translates)
