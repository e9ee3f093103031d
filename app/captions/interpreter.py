"""Spoken translation in the window: on the chosen device, and how far it is behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.captions.session import LiveSession
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.audio import Samples
from engine.errors import AudioError
from engine.events import SpokenTranslation

if TYPE_CHECKING:
    from app.sound.own_voice import OwnVoice
    from app.sound.playback import Player

MakePlayer = Callable[[str | None], "Player"]
"""Makes a player on a device by its name; None is the system's default."""


class Interpreter(QObject):
    """Plays translations that the engine speaks, and keeps them out of the captions.

    Signals:
        behind_changed: how many seconds the voice is behind the speaker; None while it says nothing.
    """

    behind_changed = Signal(object)

    def __init__(
        self, session: LiveSession, client: EngineClient, settings: Settings, make_player: MakePlayer, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._make_player = make_player
        self._voice: OwnVoice | None = None  # from the first sound on
        self._is_recorded: bool | None = None  # asked of the sound server once, which takes its time
        self._told = ""  # why nothing is heard
        client.translation_spoken.connect(self._play)
        session.began.connect(self._begin)
        session.resumed.connect(self._begin)
        for over in (session.paused, session.finished):
            over.connect(lambda: self.behind_changed.emit(None))
        settings.changed.connect(self._follow)
        session.without_own_voice = self._without

    @property
    def output(self) -> str | None:
        """The device to play on."""
        now = self._settings.preferences
        return now.interpreting.output or now.sound.output

    def shut_down(self) -> None:
        """Close the device."""
        voice, self._voice = self._voice, None
        if voice is not None:
            voice.close()

    @Slot(SpokenTranslation)
    def _play(self, spoken: SpokenTranslation) -> None:
        from app.sound.own_voice import OwnVoice, is_recorded

        source = self._session.source
        if not self._settings.preferences.interpreting.speaks:
            return
        if self._is_recorded is None and source is not None:
            self._is_recorded = is_recorded(source, self.output)
        if self._is_recorded:
            self._tell(
                self.tr("The translation is not spoken, because it would be captioned: choose another device for it.")
            )
            return
        if self._voice is None:
            self._voice = OwnVoice(self._make_player(self.output))
        try:
            self._voice.play(spoken)
        except AudioError as error:
            self._tell(str(error))
        if spoken.text:
            self.behind_changed.emit(spoken.behind_seconds)

    def _without(self, chunk: Samples) -> Samples:
        """Return recorded samples (n,) without the voice; on the thread that records."""
        return chunk if (voice := self._voice) is None else voice.without(chunk)

    @Slot()
    def _begin(self) -> None:
        """Drop what is left of the recording before, and what was found out for it."""
        self.shut_down()
        self._is_recorded, self._told = None, ""

    @Slot(Preferences, Preferences)
    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.interpreting != after.interpreting or before.sound.output != after.sound.output:
            self._begin()
            self.behind_changed.emit(None)

    def _tell(self, why: str) -> None:
        """Report once why nothing is heard."""
        if why != self._told:
            self._told = why
            self._session.noticed.emit(why)
