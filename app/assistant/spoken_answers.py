"""Answers spoken on the chosen device, if that is wanted, and again on request."""

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
"""Time without sound after which the loudspeaker is closed."""


class SpokenAnswers(QObject):
    """The sound of a conversation's answers.

    Attributes:
        player: plays it; the thread that reads the microphone uses it too.

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
        settings.changed.connect(self._apply_preferences)

    def handle(self, event: Heard | Interrupted | Speech) -> None:
        """Play sound, or note whose sound comes next."""
        try:
            self.player.handle(event)
        except AudioError as error:
            self._tell(str(error))

    def replay(self, number: int) -> None:
        """Play an answer again, in place of the present sound."""
        try:
            self.player.replay(number)
        except AudioError as error:
            self._tell(str(error))

    def can_replay(self, number: int | None) -> bool:
        """Return whether the sound of an answer is kept, and can be played."""
        return number is not None and self._wanted and self.player.can_replay(number)

    @property
    def newest_kept(self) -> int | None:
        """The newest answer that may be played again."""
        return self.player.newest_kept if self._wanted else None

    def rest_soon(self) -> None:
        """Close the device after a while, unless there is sound to play before."""
        self._quiet.start()

    def stay(self) -> None:
        """Keep the device open: sound may come at any moment."""
        self._quiet.stop()

    def shut_down(self) -> None:
        """Close the device at once."""
        self._quiet.stop()
        self.player.close()

    @property
    def _wanted(self) -> bool:
        return self._settings.preferences.behaviour.speaks

    def _make_loudspeaker(self) -> Loudspeaker:
        from app.sound.loudspeaker import Loudspeaker  # imported late: the window's first picture does not need them
        from app.sound.playback import Player

        return Loudspeaker(Player(self._settings.preferences.sound.output) if self._wanted else None)

    @Slot(Preferences, Preferences)
    def _apply_preferences(self, before: Preferences, now: Preferences) -> None:
        if (before.sound.output, before.behaviour.speaks) != (now.sound.output, now.behaviour.speaks):
            self.player.change(self._make_loudspeaker)
            self._told = ""

    def _tell(self, why: str) -> None:
        """Report a failure once: the next attempt may fail in the same way."""
        if why != self._told:
            self._told = why
            self.noticed.emit(why)
