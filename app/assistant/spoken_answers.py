"""The answers as they are said aloud: on the device that was chosen, where that is wanted, and again when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.assistant.reply_player import ReplyPlayer
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.errors import AudioError
from engine.turns import Heard, Interrupted, Speech

if TYPE_CHECKING:
    from app.sound.loudspeaker import Loudspeaker

QUIET_MILLISECONDS = 30_000
"""After so long without a sound the loudspeaker is let go."""


class SpokenAnswers(QObject):
    """The sound of a conversation's answers.

    Attributes:
        player: what plays it, for the thread that listens too.

    Signals:
        noticed: why nothing can be heard, in one sentence.
    """

    noticed = Signal(str)

    def __init__(self, settings: Settings, parent: QObject) -> None:
        super().__init__(parent)
        self.player = ReplyPlayer(self._make_loudspeaker)
        self._settings = settings
        self._told = ""  # why nothing can be heard
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MILLISECONDS)
        self._quiet.timeout.connect(self.player.rest)
        settings.changed.connect(self._take_preferences)

    def take(self, event: Heard | Interrupted | Speech) -> None:
        """Play sound, or learn whose it will be."""
        try:
            self.player.take(event)
        except AudioError as error:
            self._tell(str(error))

    def replay(self, number: int) -> None:
        """Play an answer again, in place of what is being said."""
        try:
            self.player.replay(number)
        except AudioError as error:
            self._tell(str(error))

    def can_replay(self, number: int | None) -> bool:
        """Tell whether the sound of an answer is still there, and may be played."""
        return number is not None and self._wanted and self.player.can_replay(number)

    @property
    def newest_kept(self) -> int | None:
        """The newest answer that may be played again."""
        return self.player.newest_kept if self._wanted else None

    def rest_soon(self) -> None:
        """Let the device go after a while, unless something is said before."""
        self._quiet.start()

    def stay(self) -> None:
        """Keep the device: something may be said at any moment."""
        self._quiet.stop()

    def shut_down(self) -> None:
        """Let the device go at once."""
        self._quiet.stop()
        self.player.close()

    @property
    def _wanted(self) -> bool:
        return self._settings.preferences.behaviour.speaks

    def _make_loudspeaker(self) -> Loudspeaker:
        from app.sound.loudspeaker import Loudspeaker  # these load what the window does not need to be shown
        from app.sound.playback import Player

        return Loudspeaker(Player(self._settings.preferences.sound.output) if self._wanted else None)

    @Slot(Preferences, Preferences)
    def _take_preferences(self, before: Preferences, now: Preferences) -> None:
        if (before.sound.output, before.behaviour.speaks) != (now.sound.output, now.behaviour.speaks):
            self.player.change(self._make_loudspeaker)
            self._told = ""

    def _tell(self, why: str) -> None:
        """Say it once: the next attempt may fail the same way."""
        if why != self._told:
            self._told = why
            self.noticed.emit(why)
