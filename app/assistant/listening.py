"""The user's side of a conversation: the microphone, its sound on the way to the engine, and the push-to-talk key."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.assistant.assistant_state import AssistantState
from app.assistant.ears import Ears
from app.assistant.microphone import ConversationMicrophone
from app.assistant.reply_player import ReplyPlayer
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences import Preferences
from app.sound.audio_sources import AudioSource, Microphone
from app.sound.replies import barge_in_of


class Listening(QObject):
    """A listener to what the user says while the microphone is open.

    Attributes:
        is_talking: the key of push-to-talk is held.

    Signals:
        talking_changed: whether the key is held.
        level_measured: dBFS of the newest audio.
        noticed: something odd that ends nothing, in one sentence.
        closed: the microphone is closed, as was asked for or since it failed.
        failed: why, where it failed; in one sentence.
    """

    talking_changed = Signal(bool)
    level_measured = Signal(float)
    noticed = Signal(str)
    closed = Signal()
    failed = Signal(str)

    def __init__(
        self,
        client: EngineClient,
        player: ReplyPlayer,
        source: Callable[[Preferences], AudioSource] | None,
        parent: QObject,
    ) -> None:
        """Listen to `source`, or to the chosen microphone."""
        super().__init__(parent)
        self.is_talking = False
        self._client = client
        self._player = player
        self._source = source or _chosen_microphone
        self._ears = Ears(client, player, None)
        self._microphone = ConversationMicrophone(self)
        self._microphone.level_measured.connect(self.level_measured)
        self._microphone.noticed.connect(self.noticed)
        self._microphone.closed.connect(self.closed)
        self._microphone.failed.connect(self._lose_microphone)

    @property
    def is_open(self) -> bool:
        """Return whether the microphone is open."""
        return self._microphone.is_open

    def state(self, *, pushes_to_talk: bool) -> AssistantState | None:
        """Return the state of the microphone; None if it is closed."""
        if not self._microphone.is_open:
            return None
        if not self._microphone.delivers:
            return AssistantState.OPENING
        if self._microphone.is_dead:
            return AssistantState.NO_SOUND
        return AssistantState.HOLD if pushes_to_talk and not self.is_talking else AssistantState.LISTENING

    def open(self, preferences: Preferences) -> None:
        """Open the microphone; speech interrupts a reply according to these preferences."""
        self._ears = Ears(self._client, self._player, barge_in_of(preferences.assistant.turns))
        self._microphone.open(self._source(preferences), self._ears.pass_on)

    def close(self) -> None:
        """Close the microphone; `closed` follows."""
        self.release()
        self._microphone.close()

    def press(self) -> None:
        """Record one question until `release`."""
        self._microphone.stay()
        self._ears.press()
        self._set_talking(True)

    def release(self) -> None:
        """End the question for which the key was held."""
        if self.is_talking:
            self._ears.release()
            self._set_talking(False)
            self._microphone.close_soon()

    def note_question(self, *, asked: bool) -> None:
        """Note whether a question is being asked: all of its sound is kept."""
        self._ears.asked = asked

    def forget(self) -> None:
        """Forget all kept sound."""
        self._ears.forget()

    def hear_again(self) -> None:
        """Send the kept sound of the present question to another engine."""
        self._ears.hear_again()

    def shut_down(self) -> None:
        """Close the device before the app ends."""
        self._microphone.shut_down()

    @Slot(str)
    def _lose_microphone(self, message: str) -> None:
        if self.is_talking:
            self._ears.release()
            self._set_talking(False)
        self.closed.emit()
        self.failed.emit(message)

    def _set_talking(self, talking: bool) -> None:
        self.is_talking = talking
        self.talking_changed.emit(talking)


def _chosen_microphone(preferences: Preferences) -> AudioSource:
    return Microphone(preferences.sound.input, preferences.sound.input or "")
