"""Settings of hearing: which model, which languages, and when a word is certain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtGui import QShowEvent

from app.look.decimals import decimal
from app.look.language_names import language_name
from app.preferences.heard_languages import HEARD_LANGUAGES
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.inquiry import Inquiry
from app.settings.language_list import LanguageList
from app.settings.page import SettingsPage
from app.widgets.rows import ChoiceRow, NumberRow, SliderRow, SwitchRow
from engine.options import MIN_STEP_SECONDS

MOST_STEP_SECONDS = 2.0


class CaptionsSettings(SettingsPage):
    """How captions are made.

    Attributes:
        model: the row of the model, which offers those that are here.
    """

    def __init__(self, title: str, settings: Settings, here: Surroundings, inquiry: Inquiry) -> None:
        super().__init__(settings, title)
        self._here = here
        self._inquiry = inquiry
        self.model = ChoiceRow(
            settings,
            "models.hearing",
            self.tr("&Model"),
            self.tr("More can be had under Models in the window."),
        )
        languages = sorted(((code, language_name(code)) for code in HEARD_LANGUAGES), key=lambda each: each[1])
        spoken = ChoiceRow(
            settings,
            "captions.language",
            self.tr("&Spoken language"),
            self.tr("Where you know it, words come sooner and are more often right."),
            ((None, self.tr("Found out by listening")), *languages),
        )
        spoken.write = _with_language
        allowed = LanguageList(
            settings,
            "captions.allowed_languages",
            self.tr("L&isten only for"),
            self.tr("What is found out is one of these; none ticked means any language."),
            languages,
        )
        allowed.needs = lambda now: now.captions.language is None
        self.card(self.tr("Model and language"), self.model, spoken, allowed)
        self.card(self.tr("What is shown"), *self._shown(settings))
        self.card(self.tr("How it listens"), *self._listening(settings), self._padding(settings))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._inquiry.ask(
            lambda: self._here.models("hearing"), self.model.offer
        )  # they come and go on another page of the window

    def _shown(self, settings: Settings) -> tuple[SwitchRow, ChoiceRow]:
        stable = SwitchRow(
            settings,
            "appearance.stable_only",
            self.tr("Show &certain words only"),
            self.tr("Nothing that is shown changes any more; words come a little later."),
        )
        policy = ChoiceRow(
            settings,
            "captions.policy",
            self.tr("A &word is certain"),
            self.tr("The first is sooner, the second a little more often right."),
            (
                ("alignatt", self.tr("as soon as the model is sure")),
                ("local-agreement", self.tr("when it was heard alike twice")),
            ),
        )
        return stable, policy

    def _listening(self, settings: Settings) -> tuple[SliderRow, ChoiceRow, NumberRow, SwitchRow]:
        step = SliderRow(
            settings,
            "captions.step_seconds",
            self.tr("&Listen again every"),
            self.tr("Shorter steps bring words sooner and keep the machine busier."),
            (MIN_STEP_SECONDS, MOST_STEP_SECONDS, 0.05),
            lambda seconds: self.tr("{} seconds").format(decimal(seconds, 2)),
        )
        decoder = ChoiceRow(
            settings,
            "captions.decode.decoder",
            self.tr("&Decoder"),
            self.tr("Several words at once needs a model that was taught to, such as Speech-LLaMA."),
            (("beam", self.tr("Word by word")), ("multitoken", self.tr("Several words at once"))),
        )
        decoder.write = _with_decoder
        beam = NumberRow(
            settings,
            "captions.decode.beam_size",
            self.tr("Candidates &at a time"),
            self.tr("More find better words and take longer; three are usual."),
            (1, 16, 1),
            whole=True,
        )
        beam.needs = lambda now: now.captions.decode.decoder == "beam"
        gate = SwitchRow(
            settings,
            "captions.voice_gate",
            self.tr("&Rest while nobody speaks"),
            self.tr("Switch this off where quiet or unusual voices are missed."),
        )
        return step, decoder, beam, gate

    def _padding(self, settings: Settings) -> ChoiceRow:
        return ChoiceRow(
            settings,
            "captions.padding",
            self.tr("After the s&ound"),
            self.tr("What the model is given after the newest sound, so that it knows the end."),
            (
                (None, self.tr("As the model needs it")),
                ("hush", self.tr("A learned hush: fast and right")),
                ("full", self.tr("Silence up to 30 seconds: slow")),
                ("silence_cache", self.tr("Silence computed beforehand")),
                ("zeros:1", self.tr("A second of silence")),
                ("none", self.tr("Nothing: fast, often wrong")),
            ),
        )


def _with_language(now: Preferences, language: Any) -> Preferences:
    """A language that is known beforehand needs no list to choose from."""
    captions = replace(now.captions, language=language, allowed_languages=())
    return replace(now, captions=captions if language else replace(now.captions, language=None))


def _with_decoder(now: Preferences, decoder: Any) -> Preferences:
    """Pruning is for beams that write one token at a time; the multi-token decoder verifies by itself."""
    decode = replace(now.captions.decode, decoder=decoder)
    if decoder == "multitoken" and decode.reuse == "prune":
        decode = replace(decode, reuse="verify")
    return replace(now, captions=replace(now.captions, decode=decode))
