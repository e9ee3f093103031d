"""Settings of the assistant: who answers, how it sounds, and whose turn it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtGui import QShowEvent

from app.look.decimals import decimal
from app.look.language_names import language_name
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.inquiry import Inquiry
from app.settings.page import SettingsPage
from app.widgets.rows import ChoiceRow, NumberRow, SliderRow, SwitchRow
from engine.options import VOICES, TurnOptions

LEAST_SILENCE_SECONDS, MOST_SILENCE_SECONDS = 0.2, 3.0


class AssistantSettings(SettingsPage):
    """How the assistant answers.

    Attributes:
        model: the row of the model, which offers those that are here.
    """

    def __init__(self, title: str, settings: Settings, here: Surroundings, inquiry: Inquiry) -> None:
        super().__init__(settings, title)
        self._here = here
        self._inquiry = inquiry
        self.model = ChoiceRow(
            settings,
            "models.assistant",
            self.tr("&Model"),
            self.tr("More can be had under Models in the window."),
        )
        self.speaker = ChoiceRow(settings, "assistant.voice.speaker", self.tr("S&peaker"), "")
        self.card(self.tr("Answers"), self.model, *self._answers(settings))
        self.card(self.tr("Voice"), *self._voice(settings))
        self.card(self.tr("Whose turn it is"), *self._turns(settings))
        settings.changed.connect(self._follow_voice)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._inquiry.ask(lambda: self._here.models("language"), self.model.offer)
        self._ask_for_speakers()

    def offer_speakers(self, speakers: Sequence[str]) -> None:
        """Take the speakers that the chosen voice has."""
        self.speaker.offer(((None, self.tr("The usual one")), *((name, self._name(name)) for name in speakers)))

    def _answers(self, settings: Settings) -> tuple[SwitchRow, ChoiceRow, NumberRow]:
        ahead = SwitchRow(
            settings,
            "assistant.answer.speculate",
            self.tr("Begin to answer while I sp&eak"),
            self.tr("Answers are heard sooner; the machine is busier while you speak."),
        )
        verifier = ChoiceRow(
            settings,
            "assistant.answer.verifier",
            self.tr("&Keep of the draft"),
            self.tr("What stays of an answer that was begun, when you have said more."),
            (
                ("greedy", self.tr("what it would say anyway")),
                ("top-k", self.tr("what is among the likeliest")),
                ("biased", self.tr("what is nearly as likely")),
                ("reflection", self.tr("sentences it finds fitting")),
            ),
        )
        verifier.needs = lambda now: now.assistant.answer.speculate
        likeliest = NumberRow(
            settings,
            "assistant.answer.top_k",
            self.tr("Among the &likeliest"),
            self.tr("How many words count as likely enough."),
            (1, 20, 1),
            whole=True,
        )
        likeliest.needs = lambda now: now.assistant.answer.speculate and now.assistant.answer.verifier == "top-k"
        return ahead, verifier, likeliest

    def _voice(self, settings: Settings) -> tuple[SwitchRow, ChoiceRow, ChoiceRow, SliderRow]:
        speaks = SwitchRow(settings, "behaviour.speaks", self.tr("&Speak the answers"))
        names = {"espeak": self.tr("Built in"), "system": self.tr("The Mac's"), "kokoro": self.tr("Kokoro")}
        voice = ChoiceRow(
            settings,
            "assistant.voice.voice",
            self.tr("&Voice"),
            self.tr("Kokoro sounds most like a person, and has to be installed."),
            tuple((name, names[name]) for name in VOICES),
        )
        voice.write = _with_voice
        rate = SliderRow(
            settings,
            "assistant.voice.words_per_minute",
            self.tr("&Rate"),
            "",
            (80, 450, 5),
            lambda words: self.tr("{:.0f} words a minute").format(words),
        )
        for row in (voice, self.speaker, rate):
            row.needs = lambda now: now.behaviour.speaks
        return speaks, voice, self.speaker, rate

    def _turns(self, settings: Settings) -> tuple[SwitchRow, SliderRow, SwitchRow]:
        push = SwitchRow(
            settings,
            "assistant.turns.push_to_talk",
            self.tr("&Only listen while I hold a button"),
            self.tr("Otherwise the microphone is open and a pause ends your turn."),
        )
        pause = SliderRow(
            settings,
            "assistant.turns.silence_seconds",
            self.tr("A pause en&ds my turn after"),
            self.tr("Sooner where you have clearly finished, later where you clearly have not."),
            (LEAST_SILENCE_SECONDS, MOST_SILENCE_SECONDS, 0.1),
            lambda seconds: self.tr("{} seconds").format(decimal(seconds, 1)),
        )
        pause.write = _with_silence
        pause.needs = lambda now: not now.assistant.turns.push_to_talk
        barge_in = SwitchRow(
            settings,
            "assistant.turns.barge_in",
            self.tr("I may &interrupt by speaking"),
            self.tr("With loudspeakers the assistant may hear itself; use headphones, or switch this off."),
        )
        barge_in.needs = pause.needs
        return push, pause, barge_in

    def _follow_voice(self, before: Preferences, after: Preferences) -> None:
        if before.assistant.voice.voice != after.assistant.voice.voice:
            self._ask_for_speakers()

    def _ask_for_speakers(self) -> None:
        voice = self._settings.preferences.assistant.voice.voice
        self._inquiry.ask(lambda: self._here.speakers(voice), self.offer_speakers)

    def _name(self, speaker: str) -> str:
        title = language_name(speaker.partition("-")[0])
        return speaker if title == speaker else self.tr("{} ({})").format(title, speaker)


def _with_voice(now: Preferences, voice: Any) -> Preferences:
    """Speakers are one voice's own."""
    options = replace(now.assistant.voice, voice=voice, speaker=None)
    return replace(now, assistant=replace(now.assistant, voice=options))


def _with_silence(now: Preferences, seconds: Any) -> Preferences:
    """The shorter pause after what is complete, and the longer one after what is not, keep their proportions."""
    usual = TurnOptions()
    share = float(seconds) / usual.silence_seconds
    turns = replace(
        now.assistant.turns,
        silence_seconds=seconds,
        sure_silence_seconds=max(0.1, round(usual.sure_silence_seconds * share, 3)),
        doubtful_silence_seconds=round(usual.doubtful_silence_seconds * share, 3),
    )
    return replace(now, assistant=replace(now.assistant, turns=turns))
