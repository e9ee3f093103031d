"""Settings of speech recognition: model, languages, commitment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QShowEvent

from app.look.language_names import language_name
from app.models.uses import title_of
from app.preferences.heard_languages import HEARD_LANGUAGES
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.inquiry import Inquiry
from app.settings.language_list import LanguageList
from app.settings.page import SettingsPage
from app.settings.words_row import WordsRow
from app.widgets.editors import Editors
from app.widgets.rows import ChoiceRow, SwitchRow

TUNED = ("policy", "step_seconds", "decode.decoder", "decode.beam_size", "padding")


class CaptionsSettings(SettingsPage):
    """The page of the captions' settings.

    Attributes:
        model, second_model: the rows of the models, which offer the local ones.
    """

    def __init__(self, title: str, settings: Settings, here: Surroundings, inquiry: Inquiry) -> None:
        super().__init__(settings, title)
        self._here = here
        self._inquiry = inquiry
        self.model = ChoiceRow(
            settings,
            "models.hearing",
            self.tr("&Model"),
            self.tr("Get more on the Models page."),
            title_of=title_of,
        )
        self.card(self.tr("Model and language"), self.model, *self._language_rows())
        self.card("", WordsRow(settings))
        self.second_model = ChoiceRow(
            settings,
            "captions.second_model",
            self.tr("Cor&rect them with"),
            self.tr(
                "A much larger model may find more mistakes; in English Whisper base finds no more. It takes "
                "memory, and time to spare."
            ),
            title_of=title_of,
        )
        self.second_model.needs = lambda now: now.captions.second_look
        gate = SwitchRow(
            settings,
            "captions.voice_gate",
            self.tr("&Pause while nobody speaks"),
            self.tr("Turn this off if quiet or unusual voices are missed."),
        )
        editors = Editors()
        policy, step, decoder, beam, padding = (editors.row(settings, f"captions.{name}") for name in TUNED)
        stable, second_look, speakers = self._shown_rows()
        self.card(self.tr("What is shown"), stable, second_look, self.second_model, speakers, policy)
        self.card(self.tr("How it listens"), step, decoder, beam, gate, padding)
        self.keep_for_details(policy, step, decoder, beam, padding)

    def _language_rows(self) -> tuple[ChoiceRow, LanguageList]:
        settings = self._settings
        languages = sorted(((code, language_name(code)) for code in HEARD_LANGUAGES), key=lambda each: each[1])
        spoken = ChoiceRow(
            settings,
            "captions.language",
            self.tr("&Spoken language"),
            self.tr("If you choose it, words appear sooner and with fewer mistakes."),
            ((None, self.tr("Detect automatically")), *languages),
        )
        spoken.write = _with_language
        allowed = LanguageList(
            settings,
            "captions.allowed_languages",
            self.tr("L&imit detection to"),
            self.tr("Only these languages are detected; with none ticked, any language is."),
            languages,
        )
        allowed.needs = lambda now: now.captions.language is None
        return spoken, allowed

    def _shown_rows(self) -> tuple[SwitchRow, SwitchRow, SwitchRow]:
        settings = self._settings
        stable = SwitchRow(
            settings,
            "appearance.stable_only",
            self.tr("Show &confirmed words only"),
            self.tr("Words that are shown never change; they appear a little later."),
        )
        second_look = SwitchRow(
            settings,
            "captions.second_look",
            self.tr("Correct &finished lines"),
            self.tr(
                "Each line is heard once more with what follows it, if there is time. Other words that this finds "
                "are underlined with dots. Floating captions stay as they are."
            ),
        )
        speakers = SwitchRow(
            settings,
            "captions.speakers",
            self.tr("Sa&y who speaks"),
            self.tr(
                "Voices are told apart and numbered, a second or more after each line. This takes a little more "
                "computing time."
            ),
        )
        return stable, second_look, speakers

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look_for_models(self._settings.preferences)  # another page of the window may have changed them

    def _look_for_models(self, now: Preferences) -> None:
        wanted, chosen = now.appearance.details, now.models.hearing
        self._inquiry.ask(lambda: self._here.models("hearing", research=wanted, chosen=chosen), self._offer)

    def _offer(self, models: Sequence[tuple[str, str]]) -> None:
        self.model.offer(models)
        self.second_model.offer((("", self.tr("The same model")), *models))

    def _follow(self, before: Preferences, after: Preferences) -> None:
        super()._follow(before, after)
        if self.isVisible() and before.appearance.details != after.appearance.details:
            self._look_for_models(after)


def _with_language(now: Preferences, language: Any) -> Preferences:
    """Return preferences with a fixed language, which needs no list of allowed ones, or with detection."""
    captions = replace(now.captions, language=language, allowed_languages=())
    return replace(now, captions=captions if language else replace(now.captions, language=None))
