"""One live conversation of the window: a microphone, the engine, a loudspeaker, and the present state."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.assistant.assistant_state import BUSY, AssistantState, present_state
from app.assistant.completed_call import CompletedCall
from app.assistant.conversation_model import ConversationModel
from app.assistant.listening import Listening
from app.assistant.spoken_answers import SpokenAnswers
from app.assistant.turn_figures import TurnMeter
from app.assistant.unbroken_conversation import UnbrokenConversation
from app.captions.figures import Sample
from app.engine_link.engine_client import EngineClient
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.sound.audio_sources import AudioSource
from engine.answer.tools.outcomes import ToolOutcome
from engine.process.messages import Ready
from engine.turns import Heard, Interrupted, Speech, ToolCall, Turn, TurnEvent

CarryOut = Callable[[ToolCall, Callable[[CompletedCall], None]], None]
"""Carries out a call, and passes its outcome to the second argument."""

TICK_MILLISECONDS = 50


class LiveAssistant(QObject):
    """Holds one conversation at a time, spoken and typed.

    The engine starts when it is first needed, and again when it crashes: see UnbrokenConversation.

    Attributes:
        conversation: the exchanges.
        state: the newest AssistantState.
        carry_out: carries out a ToolCall, its number counted through the whole conversation.

    Signals:
        state_changed: an AssistantState.
        microphone_changed: whether the microphone is open.
        talking_changed: whether the key is held.
        level_measured: dBFS of the newest audio.
        model_loaded: the Ready of a model.
        noticed: something odd that ends nothing, in one sentence.
        failed: what could not be done, in one sentence.
        engine_crashed: the engine has stopped too often; `restart_engine` starts it again.
        conversation_began, conversation_ended: its first question, and no more after it.
        turn_ended: a Turn, its number counted through the whole conversation; again if its end changes afterwards.
        figure_measured: a Sample.
    """

    state_changed = Signal(AssistantState)
    microphone_changed = Signal(bool)
    talking_changed = Signal(bool)
    level_measured = Signal(float)
    model_loaded = Signal(Ready)
    noticed = Signal(str)
    failed = Signal(str)
    engine_crashed = Signal()
    conversation_began = Signal()
    conversation_ended = Signal()
    turn_ended = Signal(Turn)
    figure_measured = Signal(Sample)

    def __init__(
        self,
        client: EngineClient,
        settings: Settings,
        parent: QObject | None = None,
        source: Callable[[Preferences], AudioSource] | None = None,
    ) -> None:
        """Hold conversations by the engine of `client`; listen to `source`, or to the chosen microphone."""
        super().__init__(parent)
        self.conversation = ConversationModel(self)
        self.carry_out: CarryOut = _in_the_window_alone
        self.state = AssistantState.READY
        self._client = client
        self._settings = settings
        self._answers = SpokenAnswers(settings, self)
        self._player = self._answers.player
        self._listening = Listening(client, self._player, source, self)
        self._engine = UnbrokenConversation(client, settings, self.conversation, self._listening, self)
        self._began = False
        self._told_seconds = 0.0  # last reported to the engine
        self._meter = TurnMeter()
        self._tick = QTimer(self, interval=TICK_MILLISECONDS)
        self._tick.timeout.connect(self._look)
        self._connect(client)

    def _connect(self, client: EngineClient) -> None:
        client.turn_event_came.connect(self._handle)
        client.model_loaded.connect(self.model_loaded)
        client.language_model_loaded.connect(self.model_loaded)
        client.incident_came.connect(self.noticed)
        self._answers.noticed.connect(self.noticed)
        self._engine.state_changed.connect(self._watch)
        self._engine.broke_off.connect(self._player.hush)
        self._engine.turn_settled.connect(self.turn_ended)
        self._engine.noticed.connect(self.noticed)
        self._engine.failed.connect(self._give_up)
        self._engine.stopped.connect(self._note_stop)
        self._listening.level_measured.connect(self.level_measured)
        self._listening.noticed.connect(self.noticed)
        self._listening.talking_changed.connect(self.talking_changed)
        self._listening.talking_changed.connect(self._look)
        self._listening.closed.connect(self._end_listening)
        self._listening.failed.connect(self.failed)

    # --- commands ---

    @property
    def is_listening(self) -> bool:
        """Return whether the microphone is open."""
        return self._listening.is_open

    @property
    def is_talking(self) -> bool:
        """Return whether the key of push-to-talk is held."""
        return self._listening.is_talking

    @property
    def pushes_to_talk(self) -> bool:
        """Return whether a turn lasts as long as a key is held; otherwise silence ends a turn."""
        return self._settings.preferences.assistant.turns.push_to_talk

    @property
    def can_stop(self) -> bool:
        """Return whether there is an answer that `stop` would end."""
        newest = self.conversation.newest
        return self._player.playing or (newest is not None and newest.phase in BUSY)

    def ask(self, text: str) -> None:
        """Ask a typed question, in place of the present one; text without a word is ignored."""
        text = text.strip()
        if not any(character.isalnum() for character in text):
            return
        self._begin_conversation()
        self._player.get_ready()
        if self._player.playing:
            self.stop()
        self._engine.have_session(hears=self._listening.is_open)
        self.conversation.expect(text)
        self._engine.ask(text)
        self._watch()

    def open_microphone(self) -> None:
        """Open the microphone; an answer that is being spoken falls silent."""
        if self._listening.is_open:
            return
        self._engine.begin_again(hears=True)  # the clock of the present session ran on without sound
        self._player.get_ready()
        self._listening.open(self._settings.preferences)
        self.microphone_changed.emit(True)
        self._watch()

    def close_microphone(self) -> None:
        """Close the microphone; a question so far is answered."""
        self._listening.close()

    def press(self) -> None:
        """Record one question until `release`; an answer that is being spoken falls silent."""
        if self.is_talking:
            return
        self.open_microphone()
        if self._player.playing:
            self._client.played(self._player.hush())
        self._listening.press()

    def release(self) -> None:
        """End the question."""
        self._listening.release()

    def stop(self) -> None:
        """End the present answer, or its replay."""
        replaying = self._player.replaying
        spoken = self._player.hush()
        if not self._engine.is_ready:
            self._engine.settle()
        elif not replaying:
            self._client.stop_reply(spoken)
        self._look()

    def replay(self, number: int) -> None:
        """Play an answer again."""
        if self.can_stop:
            self.stop()
        self._answers.replay(number)
        self._watch()

    def can_replay(self, number: int | None) -> bool:
        """Return whether the sound of an answer is kept, and can be played."""
        return self._answers.can_replay(number)

    def replay_last(self) -> None:
        """Play the newest answer with sound again."""
        if (number := self._answers.newest_kept) is not None:
            self.replay(number)

    @property
    def can_replay_last(self) -> bool:
        """Return whether there is such an answer."""
        return self._answers.newest_kept is not None

    def begin_anew(self) -> None:
        """Forget the conversation; the microphone stays as it is."""
        self._player.hush()
        self._engine.settle()
        self._engine.leave_session()
        self.conversation.clear()
        self._player.forget()
        self._listening.forget()
        self._meter = TurnMeter()
        if self._listening.is_open:
            self._engine.have_session(hears=True)
        self._end_conversation()
        self._look()

    def follow(self, before: Preferences, now: Preferences) -> None:
        """Apply changed preferences; the conversation goes on."""
        answers = now.assistant, now.behaviour.speaks
        if answers != (before.assistant, before.behaviour.speaks) and self._engine.has_session:
            self._client.change_answers(*answers)
        if (before.sound.input, before.assistant.turns) != (now.sound.input, now.assistant.turns):
            self.close_microphone()
        if (before.models, before.captions) != (now.models, now.captions) and self._engine.has_session:
            self._engine.begin_again()
        self._look()

    def restart_engine(self) -> None:
        """Start an engine again that has stopped too often."""
        self._engine.restart()

    def shut_down(self) -> None:
        """End conversation and engine at once."""
        self._tick.stop()
        self._listening.shut_down()
        self._player.hush()
        self._engine.settle()
        self._end_conversation()
        self._answers.shut_down()
        self._client.shut_down()

    # --- events ---

    def _begin_conversation(self) -> None:
        if not self._began:
            self._began = True
            self.conversation_began.emit()

    def _end_conversation(self) -> None:
        if self._began:
            self._began = False
            self.conversation_ended.emit()

    @Slot(object)
    def _handle(self, event: TurnEvent) -> None:
        self._begin_conversation()
        if isinstance(event, Heard):
            self._listening.note_question(asked=not event.final)
        if isinstance(event, Heard | Interrupted | Speech):
            self._answers.handle(event)
        exchange = self.conversation.handle(event)
        if isinstance(event, ToolCall):
            self._carry_out(event)
        if isinstance(event, Turn):
            self._listening.forget()
            if exchange is not None and exchange.turn is not None:
                self.turn_ended.emit(exchange.turn)
                for sample in self._meter.samples(exchange.turn, time.monotonic()):
                    self.figure_measured.emit(sample)
            self._engine.note_answer()
        self._watch()

    def _carry_out(self, call: ToolCall) -> None:
        """Carry out a call once; undo first what was done for an earlier revision of the question."""

        def tell(done: CompletedCall) -> None:
            self.conversation.note_done(call, done)
            self._client.tell_done(call, done.outcome)
            self._watch()

        if (done := self.conversation.done_already(call)) is not None:
            tell(done)
            return
        self.conversation.undo(call.turn)
        self.carry_out(call, tell)

    @Slot()
    def _end_listening(self) -> None:
        self._engine.end_question()
        self.microphone_changed.emit(False)
        self._look()

    @Slot(str)
    def _give_up(self, message: str) -> None:
        self.close_microphone()
        self._look()
        self.failed.emit(message)

    @Slot()
    def _note_stop(self) -> None:
        self.close_microphone()
        self._look()
        self.engine_crashed.emit()

    # --- the state ---

    @Slot()
    def _watch(self) -> None:
        """Update the state regularly until nothing goes on."""
        self._answers.stay()
        self._tick.start()
        self._look()

    @Slot()
    def _look(self) -> None:
        self._tell_played()
        hearing = self._listening.state(pushes_to_talk=self.pushes_to_talk)
        state = present_state(self._engine.state, self._player, self.conversation, hearing)
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)
        if not self._listening.is_open and not self._player.playing and not self.conversation.is_open:
            if self._tick.isActive():
                self._answers.rest_soon()
            self._tick.stop()

    def _tell_played(self) -> None:
        """Report how much of the reply has been played, if that has changed."""
        seconds = self._player.played_seconds
        if self._engine.is_ready and not self._player.silenced and seconds != self._told_seconds:
            self._told_seconds = seconds
            self._client.played(seconds)


def _in_the_window_alone(call: ToolCall, tell: Callable[[CompletedCall], None]) -> None:
    tell(CompletedCall(ToolOutcome("only_in_window")))
