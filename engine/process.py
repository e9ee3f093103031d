"""The engine as a child process: commands in, events out, one thread that computes.

`serve` is what the child runs. Its main thread loads the models and hears; a second one only takes commands from
the pipe, so that audio piles up neither in the app nor in the pipe while a round computes, and so that the child is
gone at once when the app is.
"""

from __future__ import annotations

import itertools
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.messages import AudioChunk, Command, Event, Failed, Finish, Load, Progress, Ready, Shutdown, Start, Started
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.captions import CaptionSession
    from engine.hear.recognizer import Recognizer

PROGRESS_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class _Wake:
    """A round that was heard in the background is done."""


RecognizerMaker = Callable[[CaptionOptions], "Recognizer"]
ModelLoader = Callable[[str], tuple[Ready, RecognizerMaker]]


def serve(connection: Connection, load: ModelLoader | None = None) -> None:
    """Carry out the commands that come over `connection` until Shutdown or until its other end closes.

    `load` is what makes a model ready: `load_recognizer` where none is given.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the app decides what it means
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    commands: queue.SimpleQueue[Command | _Wake] = queue.SimpleQueue()
    threading.Thread(target=_take_commands, args=(connection, commands), name="commands", daemon=True).start()

    def send(event: Event) -> None:
        try:
            connection.send(event)
        except OSError:
            os._exit(0)  # the app is gone

    EngineServer(send, load or load_recognizer).run(commands)


def _take_commands(connection: Connection, commands: queue.SimpleQueue[Command | _Wake]) -> None:
    while True:
        try:
            commands.put(connection.recv())
        except (EOFError, OSError):
            # Nobody is left to read a result, and the main thread may be deep in one: there is nothing to tidy.
            os._exit(0)


def load_recognizer(model: str) -> tuple[Ready, RecognizerMaker]:
    """Load a hearing model and run it once, so that the first round of speech pays for nothing but itself.

    Threads and pipeline are those that `earshot profile` found best for it here, if it was asked.
    """
    import numpy as np

    from engine.audio import SAMPLE_RATE_HZ
    from engine.hear.ready import make_ready

    started = time.perf_counter()
    ready = make_ready(model)
    hearing = ready.hearing
    noise = np.random.default_rng(0).normal(0, 0.01, SAMPLE_RATE_HZ).astype(np.float32)  # silence would cost nothing
    warm = ready.recognizer(CaptionOptions())
    warm.hear(noise, offset_seconds=0.0, prompt="", language=hearing.languages[0])
    seconds = time.perf_counter() - started
    return Ready(hearing.name, ready.device, seconds, ready.warnings), ready.recognizer


class EngineServer:
    """The commands' order of business, apart from pipes and models.

    Attributes:
        send: takes every event, in order.
        load: makes a model ready; raises ModelError.
    """

    def __init__(self, send: Callable[[Event], None], load: ModelLoader) -> None:
        self.send = send
        self.load = load
        self._loaded: tuple[str, Ready, RecognizerMaker] | None = None
        self._session: CaptionSession | None = None
        self._number = 0
        self._reported_seconds = 0.0
        self._reported_round = -1
        self._wake: Callable[[], None] = lambda: None

    def run(self, commands: queue.SimpleQueue[Command | _Wake]) -> None:
        """Work until Shutdown; audio that piled up during a round is taken in whole before the next one."""
        self._wake = lambda: commands.put(_Wake())
        while True:
            command: Command | _Wake | None = commands.get()
            while command is not None:
                if isinstance(command, Shutdown):
                    self._drop()
                    return
                if not isinstance(command, _Wake):
                    self.carry_out(command)
                command = _next_waiting(commands)
            self.hear()

    def carry_out(self, command: Command) -> None:
        """Do what one command asks; what cannot be done becomes a Failed."""
        try:
            match command:
                case Load(model):
                    self._ready(model)
                case Start():
                    self._start(command)
                case AudioChunk(samples):
                    self._add_audio(samples)
                case Finish():
                    self._finish()
                case _:
                    self._drop()
                    self._number = 0
        except EngineError as error:
            self._fail(error)

    def hear(self) -> None:
        """Run a round if one is due, and say how far hearing has come."""
        session = self._session
        if session is None:
            return
        try:
            for caption in session.update():
                self.send(caption)
        except EngineError as error:
            self._fail(error)
            return
        self._report(session)

    def _drop(self) -> None:
        """Give the session up, with what it has in flight."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def _fail(self, error: EngineError) -> None:
        self._drop()
        self.send(Failed(str(error), self._number))
        self._number = 0

    def _ready(self, model: str) -> RecognizerMaker:
        if self._loaded is None or self._loaded[0] != model:
            self._loaded = None  # never two models in memory
            ready, make = self.load(model)
            self._loaded = model, ready, make
            self.send(ready)
        return self._loaded[2]

    def _start(self, start: Start) -> None:
        from engine.captions import CaptionSession

        self._drop()
        self._number = start.session
        make = self._ready(start.model)
        self._session = CaptionSession(make(start.options), start.options)
        self._session.on_round_done = self._wake
        self._reported_seconds = 0.0
        self._reported_round = -1
        self.send(Started(start.session))

    def _add_audio(self, samples: bytes) -> None:
        import numpy as np

        if self._session is not None:  # else it is audio that was under way while the session failed
            self._session.add_audio(np.frombuffer(samples, dtype=np.float32))

    def _finish(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return  # it failed while this was under way
        try:
            for caption in session.finish():
                self.send(caption)
        finally:
            session.close()
        self._report(session, whole=True)
        self.send(session.summary)
        self._number = 0

    def _report(self, session: CaptionSession, *, whole: bool = False) -> None:
        new = list(itertools.takewhile(lambda stats: stats.round > self._reported_round, reversed(session.stats)))
        for stats in reversed(new):
            self._reported_round = stats.round
            self.send(stats)
        while session.incidents:
            self.send(session.incidents.popleft())
        if whole or session.audio_seconds - self._reported_seconds >= PROGRESS_SECONDS:
            self._reported_seconds = session.audio_seconds
            self.send(Progress(session.audio_seconds, session.speaking))


def _next_waiting(commands: queue.SimpleQueue[Command | _Wake]) -> Command | _Wake | None:
    try:
        return commands.get_nowait()
    except queue.Empty:
        return None
