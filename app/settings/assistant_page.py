"""Settings of the assistant: model, voice and turn-taking."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent

from app.look.language_names import language_name
from app.models.uses import title_of
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.inquiry import Inquiry
from app.settings.page import SettingsPage
from app.widgets.editors import Editors
from app.widgets.rows import ChoiceRow, Row, SwitchRow

TUNED = (
    *("answer.speculate", "answer.less_on_battery", "answer.verifier", "answer.top_k"),
    *("turns.silence_seconds", "voice.voice", "voice.words_per_minute"),
)


class AssistantSettings(SettingsPage):
    """The page of the assistant's settings.

    Attributes:
        model, voice: the rows of the model and the voice, which offer the local ones.
    """

    def __init__(self, title: str, settings: Settings, here: Surroundings, inquiry: Inquiry) -> None:
        super().__init__(settings, title)
        self._here = here
        self._inquiry = inquiry
        self.model = ChoiceRow(
            settings,
            "models.assistant",
            self.tr("&Model"),
            self.tr("Get more on the Models page."),
            title_of=title_of,
        )
        editors = self._editors = Editors()
        rows = (editors.row(settings, f"assistant.{name}") for name in TUNED)
        ahead, battery, verifier, likeliest, pause, voice, rate = rows
        speaks = SwitchRow(settings, "behaviour.speaks", self.tr("&Answer aloud"))
        assert isinstance(voice, ChoiceRow)
        self.voice = voice
        self.speaker = ChoiceRow(settings, "assistant.voice.speaker", self.tr("S&peaker"), "")
        self._several = True
        self.speaker.needs = lambda now: voice.needs(now) and (self._several or now.assistant.voice.speaker is not None)
        self.card(self.tr("Answers"), self.model, ahead, battery, verifier, likeliest)
        self.keep_for_details(verifier, likeliest)
        self.card(self.tr("Voice"), speaks, voice, self.speaker, rate)
        self.card(self.tr("Taking turns"), *self._turns(settings, pause))
        settings.changed.connect(self._follow_voice)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._inquiry.ask(lambda: self._here.models("language"), self.model.offer)
        self._inquiry.ask(lambda: self._here.models("voice"), self.offer_voices)
        self._ask_for_speakers()

    def offer_voices(self, voices: Sequence[tuple[str, str]]) -> None:
        """Offer the voices that need no download, and the downloaded and added ones."""
        known = self._editors.voices()
        self.voice.offer((*known, *(each for each in voices if each[0] not in dict(known))))

    def offer_speakers(self, speakers: Sequence[str]) -> None:
        """Offer the speakers of the chosen voice; without any there is nothing to choose."""
        self._several = bool(speakers)
        usual = self.tr("Default") if speakers else self.tr("Only one")
        self.speaker.offer(((None, usual), *((name, self._name(name)) for name in speakers)))

    def _turns(self, settings: Settings, pause: Row) -> tuple[Row, ...]:
        push = SwitchRow(
            settings,
            "assistant.turns.push_to_talk",
            self.tr("&Only listen while I hold a button"),
            self.tr("Otherwise the microphone is open and a pause ends your turn."),
        )
        barge_in = SwitchRow(
            settings,
            "assistant.turns.barge_in",
            self.tr("Let me &interrupt by speaking"),
            self.tr("It does not hear itself. Over loudspeakers, speak at least as loudly as they do."),
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
