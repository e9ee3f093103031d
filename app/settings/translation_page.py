"""Settings of live translation."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent

from app.look.language_names import language_name
from app.models.uses import title_of
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.glossary_row import GlossaryRow
from app.settings.inquiry import Inquiry
from app.settings.page import SettingsPage
from app.widgets.editors import Editors
from app.widgets.interpreter_rows import InterpreterRows
from app.widgets.rows import ChoiceRow, SwitchRow


class TranslationSettings(SettingsPage):
    """The page of the translation's settings.

    Attributes:
        model: the row of the model, which offers the local ones.
        interpreter: rows of the spoken translation, which offer devices.
    """

    def __init__(self, title: str, settings: Settings, here: Surroundings, inquiry: Inquiry) -> None:
        introduction = self.tr("A translation appears beneath every caption. It is made on this computer.")
        super().__init__(settings, title, introduction)
        self._here = here
        self._inquiry = inquiry
        self.model = ChoiceRow(
            settings,
            "models.translation",
            self.tr("&Model"),
            self.tr("Get more on the Models page."),
            title_of=title_of,
        )
        self.target = ChoiceRow(settings, "translation.target", self.tr("&Into"), "")
        self.target.needs = lambda now: now.translates and not now.translates_by_ear
        switch = SwitchRow(settings, "translates", self.tr("&Translate captions"))
        self.card("", switch, self.target, self.model)
        self.interpreter = InterpreterRows(settings)
        self.card(self.tr("Spoken translation"), self.interpreter.speaks, self.interpreter.device)
        bias, display, mask, stable = (each.row(settings) for each in Editors().steadiness())
        self.card(self.tr("Steadiness"), bias, display, mask, stable)
        self.keep_for_details(bias, display, mask)
        terms = GlossaryRow(
            settings,
            "translation.glossary",
            self.tr("&Glossary"),
            self.tr("A term and its translation on each line. The model is told to use them."),
        )
        self.card(self.tr("Your own terms"), terms)
        settings.changed.connect(self._follow_model)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._inquiry.ask(lambda: self._here.models("language"), self.model.offer)
        self._ask_for_targets()

    def offer_targets(self, codes: Sequence[str]) -> None:
        """Offer the target languages of the chosen model; if that is missing, only the chosen language."""
        codes = codes or (self._settings.preferences.translation.target,)
        self.target.offer(sorted(((code, language_name(code)) for code in codes), key=lambda each: each[1]))

    def _ask_for_targets(self) -> None:
        model = self._settings.preferences.models.translation
        self._inquiry.ask(lambda: self._here.targets(model), self.offer_targets)

    def _follow_model(self, before: Preferences, after: Preferences) -> None:
        if before.models.translation != after.models.translation:
            self._ask_for_targets()
