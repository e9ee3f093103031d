"""The engine behind a conversation: asked for when it is needed, and brought back when it stops."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal, Slot

from app.assistant.conversation_model import ConversationModel
from app.engine_link.crashes import Crashes, Link, after_crash
from app.engine_link.engine_client import EngineClient
from app.preferences.settings import Settings
from engine.turns import Turn


class Readiness(Enum):
    """A stage of getting the engine ready.

    Attributes:
        ABSENT: nothing is asked of it.
        LOADING, RESTARTING: it is getting ready; for the first time, or after it stopped.
        READY: it hears and answers.
        UNABLE: a model could not be loaded.
        STOPPED: it stopped too often.
    """

    ABSENT = auto()
    LOADING = auto()
    RESTARTING = auto()
    READY = auto()
    UNABLE = auto()
    STOPPED = auto()


@dataclass(frozen=True, slots=True)
class _Models:
    """The models that a session was begun with; without one that hears, questions are typed."""

    hearing: str | None
    answering: str


class ConversationEngine(QObject):
    """Begins sessions with an EngineClient, and hands it the questions that were typed, one at a time.

    A new session is told what was asked and answered before.

    Attributes:
        readiness: how far it is.

    Signals:
        started: it is ready.
        failed: it cannot do what it was asked, in one sentence; questions that waited are given up.
        crashed: it stopped; `go_on` brings it back.
        gave_up: it stopped too often; `go_on` brings it back all the same.
        turn_settled: a Turn that will not be completed, with what was answered of it.
    """

    started = Signal()
    failed = Signal(str)
    crashed = Signal()
    gave_up = Signal()
    turn_settled = Signal(Turn)

    def __init__(
        self, client: EngineClient, settings: Settings, conversation: ConversationModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.readiness = Readiness.ABSENT
        self._client = client
        self._settings = settings
        self._conversation = conversation
        self._models: _Models | None = None  # of the present session
        self._unasked: deque[str] = deque()  # typed, while it is not ready
        self._crashes = Crashes()
        client.session_started.connect(self._begin)
        client.failed.connect(self._fail)
        client.crashed.connect(self._notice_crash)

    @property
    def is_ready(self) -> bool:
        return self.readiness is Readiness.READY

    @property
    def has_session(self) -> bool:
        """Tell whether it hears and answers, or will."""
        return self._models is not None

    def have_session(self, *, hears: bool) -> None:
        """Begin a session unless there is one that will do."""
        preferences = self._settings.preferences
        models = preferences.models
        there = self._models
        if there is not None and there.answering == models.assistant and (there.hearing == models.hearing or not hears):
            return
        self.leave_session()
        self._models = _Models(models.hearing if hears else None, models.assistant)
        restarting = self.readiness is Readiness.RESTARTING
        self.readiness = Readiness.RESTARTING if restarting else Readiness.LOADING
        self._client.start()
        # What is asked is wanted as it is said, whatever is written of meetings.
        asked = replace(preferences.captions, decode=replace(preferences.captions.decode, into_english=False))
        self._client.start_conversation(
            self._models.hearing,
            self._models.answering,
            preferences.assistant,
            asked,
            preferences.behaviour.speaks,
            self._conversation.begin_session(),
            models.translation,
        )

    def leave_session(self) -> None:
        """Give the session up with what is under way in it."""
        if self._models is not None:
            self._models = None
            self.readiness = Readiness.ABSENT
            self._client.drop_session()
            self.settle()

    def begin_again(self, hears: bool) -> bool:
        """Go on with another session: an answer that has begun ends here, questions that wait are asked again.

        Gives whether there is anything to do.
        """
        for turn in self._conversation.settle(begun_only=True):
            self.turn_settled.emit(turn)
        if self._models is not None:
            self._models = None
            self._client.drop_session()
        self.readiness = Readiness.ABSENT
        return self._ask_again(hears)

    def settle(self) -> None:
        """Leave off all that is under way on the screen."""
        self._unasked.clear()
        for turn in self._conversation.settle():
            self.turn_settled.emit(turn)

    def ask(self, text: str) -> None:
        """Have a question answered, in its turn where others wait for the engine to be ready."""
        if self.is_ready and not self._unasked:
            self._client.ask(text)
        else:
            self._unasked.append(text)

    def note_answer(self) -> None:
        """The answer to the last question is complete: go on with one that waits."""
        self._crashes = self._crashes.achieved()
        self._ask_next()

    def _ask_next(self) -> None:
        if self.is_ready and self._unasked:
            self._client.ask(self._unasked.popleft())

    def forgive(self) -> None:
        """Let it stop as often again."""
        self._crashes = Crashes()
        self.readiness = Readiness.ABSENT

    def go_on(self, hears: bool) -> bool:
        """After a crash: have what was not answered answered; give whether there is anything to do."""
        self.readiness = Readiness.RESTARTING
        goes_on = self._ask_again(hears)
        if not goes_on:
            self.readiness = Readiness.ABSENT
        return goes_on

    def _ask_again(self, hears: bool) -> bool:
        waiting, broken = self._conversation.leave_to_next()
        for turn in broken:
            self.turn_settled.emit(turn)
        self._unasked = deque(each.asked for each in waiting if each.typed)
        if waiting or hears:
            self.have_session(hears=hears)
        return bool(waiting) or hears

    @Slot()
    def _begin(self) -> None:
        self.readiness = Readiness.READY
        self._ask_next()
        self.started.emit()

    @Slot(str)
    def _fail(self, message: str) -> None:
        unable = not self.is_ready
        self._models = None
        self.settle()
        self.readiness = Readiness.UNABLE if unable else Readiness.ABSENT
        self.failed.emit(message)

    @Slot()
    def _notice_crash(self) -> None:
        self._models = None
        self.readiness = Readiness.ABSENT
        link, self._crashes = after_crash(self._crashes, time.monotonic())
        if link is Link.RESTARTING:
            self.crashed.emit()
        else:
            self.readiness = Readiness.STOPPED
            self.gave_up.emit()
