"""A conversation that outlives the engine process that holds it.

Another session is told what was asked and answered before, is asked what was not answered, and hears again what was
being said.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.assistant.conversation_model import ConversationModel
from app.assistant.exchange import Phase
from app.assistant.listening import Listening
from app.engine_link.crashes import Crashes, Link, after_crash
from app.engine_link.engine_client import EngineClient
from app.preferences.settings import Settings
from engine.audio import SAMPLE_RATE_HZ
from engine.turns import Turn

LAST_SILENCE_SECONDS = 0.5
"""Silence beyond the longest that ends a turn, passed on when the microphone is closed behind a question."""


@dataclass(frozen=True, slots=True)
class _Models:
    """The models that a session was begun with; without one that hears, questions are typed."""

    hearing: str | None
    answering: str


class UnbrokenConversation(QObject):
    """Begins sessions of an engine as they are needed, starts it again when it crashes, and asks it what was typed.

    Attributes:
        state: the newest Link; HEARS, too, where nothing is asked of the engine.

    Signals:
        state_changed: the engine is ready, or has failed, or another session goes on.
        broke_off: what is being answered breaks off here.
        turn_settled: a Turn that will not be completed, with what was answered of it.
        noticed: a problem that was solved, in one sentence.
        failed: why a session ended or did not begin, in one sentence; questions that waited are dropped.
        stopped: the engine crashed too often; `restart` brings it back.
    """

    state_changed = Signal()
    broke_off = Signal()
    turn_settled = Signal(Turn)
    noticed = Signal(str)
    failed = Signal(str)
    stopped = Signal()

    def __init__(
        self,
        client: EngineClient,
        settings: Settings,
        conversation: ConversationModel,
        listening: Listening,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.state = Link.HEARS
        self._client = client
        self._settings = settings
        self._conversation = conversation
        self._listening = listening
        self._models: _Models | None = None  # of the present session
        self._unasked: deque[str] = deque()  # typed, while the engine is not ready
        self._crashes = Crashes()
        client.session_started.connect(self._note_session)
        client.failed.connect(self._fail)
        client.crashed.connect(self._note_crash)

    @property
    def has_session(self) -> bool:
        """Return whether the engine hears and answers, or will."""
        return self._models is not None

    @property
    def is_ready(self) -> bool:
        """Return whether the engine hears and answers."""
        return self.has_session and self.state is Link.HEARS

    # --- what is asked for ---

    def have_session(self, *, hears: bool) -> None:
        """Begin a session unless there is one that will do."""
        preferences = self._settings.preferences
        models = preferences.models
        there = self._models
        if there is not None and there.answering == models.assistant and (there.hearing == models.hearing or not hears):
            return
        self.leave_session()
        self._models = _Models(models.hearing if hears else None, models.assistant)
        if self.state is not Link.RESTARTING:
            self.state = Link.LOADING
        self._client.start()
        # What is asked is wanted as it is said, whatever is written of meetings.
        asked = replace(preferences.captions, decode=replace(preferences.captions.decode, into_english=False))
        self._client.start_conversation(
            self._models.hearing,
            self._models.answering,
            preferences.assistant,
            asked,
            preferences.behaviour.speaks,
            self._conversation.earlier,
            self._conversation.next_number,
            models.translation,
        )

    def leave_session(self) -> None:
        """End the session with all that is under way in it."""
        if self._models is not None:
            self._models = None
            self.state = Link.HEARS
            self._client.drop_session()
            self.settle()

    def begin_again(self, *, hears: bool = False) -> None:
        """Go on with another session: an answer that has begun ends here, and questions that wait are asked again."""
        self.broke_off.emit()
        for turn in self._conversation.settle(begun_only=True):
            self.turn_settled.emit(turn)
        if self._models is not None:
            self._models = None
            self._client.drop_session()
        self.state = Link.HEARS
        self._go_on(hears=hears)
        self.state_changed.emit()

    def restart(self) -> None:
        """Try again with an engine that has crashed too often."""
        self._crashes = Crashes()
        self._bring_back()

    def settle(self) -> None:
        """End all exchanges that are under way on the screen."""
        self._unasked.clear()
        for turn in self._conversation.settle():
            self.turn_settled.emit(turn)

    def ask(self, text: str) -> None:
        """Ask a question, after those that wait for the engine to be ready."""
        if self.is_ready and not self._unasked:
            self._client.ask(text)
        else:
            self._unasked.append(text)

    def end_question(self) -> None:
        """End a question with silence, since the microphone is closed while it is being asked."""
        import numpy as np  # here alone: the window waits for its first picture, not for this

        turns = self._settings.preferences.assistant.turns
        if self.has_session and not turns.push_to_talk:
            seconds = turns.doubtful_silence_seconds + LAST_SILENCE_SECONDS
            self._client.send_audio(np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32))

    def note_answer(self) -> None:
        """Note that the answer to the last question is complete: another one that waits is asked."""
        self._crashes = self._crashes.achieved()
        self._ask_next()

    # --- the engine's sessions ---

    def _ask_next(self) -> None:
        if self.is_ready and self._unasked:
            self._client.ask(self._unasked.popleft())

    def _bring_back(self) -> bool:
        """Start another engine for what was not answered; return whether there is anything to do."""
        self.state = Link.RESTARTING
        goes_on = self._go_on()
        if not goes_on:
            self.state = Link.HEARS
        self.state_changed.emit()
        return goes_on

    def _go_on(self, *, hears: bool = False) -> bool:
        """Begin a session for all that waits, with the sound of the present question; return whether there is any."""
        listens = self._listening.is_open
        spoken = any(each.phase is Phase.ASKING for each in self._conversation.exchanges)
        hears = hears or listens or spoken
        waiting, broken = self._conversation.leave_to_next()
        for turn in broken:
            self.turn_settled.emit(turn)
        self._unasked = deque(each.asked for each in waiting if each.typed)
        goes_on = hears or bool(waiting)
        if goes_on:
            self.have_session(hears=hears)
        if listens or spoken:
            self._listening.hear_again()
        if spoken and not listens:
            self.end_question()
        return goes_on

    @Slot()
    def _note_session(self) -> None:
        self.state = Link.HEARS
        self._ask_next()
        self.state_changed.emit()

    @Slot(str)
    def _fail(self, message: str) -> None:
        unable = not self.is_ready
        self._models = None
        self.settle()
        self.state = Link.NO_MODEL if unable else Link.HEARS
        self.state_changed.emit()
        self.failed.emit(message)

    @Slot()
    def _note_crash(self) -> None:
        """Start the engine again if there is anything to do, or stop after several crashes in a row."""
        self._models = None
        self.state, self._crashes = after_crash(self._crashes, time.monotonic())
        self.broke_off.emit()
        if self.state is Link.STOPPED:
            self.state_changed.emit()
            self.stopped.emit()
        elif self._bring_back():
            self.noticed.emit(self.tr("The assistant's engine stopped and was restarted. The conversation goes on."))
