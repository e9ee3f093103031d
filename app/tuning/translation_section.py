"""The page of the translation's settings, with a note while translation is off."""

from __future__ import annotations

from dataclasses import replace

from app.preferences.changes import usual_translation
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import TRANSLATION, FigureBoard
from app.tuning.section import Section
from app.widgets.editors import Editors
from app.widgets.labels import quiet_label


class TranslationSection(Section):
    """The settings of translation; they can be changed while translation is off."""

    def __init__(self, settings: Settings, board: FigureBoard) -> None:
        super().__init__(settings, board, TRANSLATION, usual_translation)
        self._off = quiet_label(
            self.tr("Captions are not being translated. Choose a language above them, and these settings take effect.")
        )
        self.add(self._off)
        self.add_rows(replace(each, needs=None).stacked(settings) for each in Editors().translation())
        self.finish()

    def show_preferences(self, preferences: Preferences) -> None:
        super().show_preferences(preferences)
        self._off.setVisible(not preferences.translates)
