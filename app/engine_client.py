"""The engine process as a Qt object: commands are methods, events are signals, a crash is a sentence.

Neither direction can hold up the window: a thread writes commands to the pipe and another reads events from it, so a
child that computes, swaps or has been stopped only lets its commands wait.
"""

from __future__ import annotations

import itertools
import multiprocessing
import queue
import signal
import threading
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from PySide6.QtCore import QObject, Qt, Signal, Slot

from engine.audio import Samples
from engine.events import Caption, Incident, RoundStats, Summary, Translation
from engine.messages import (
    AudioChunk,
    Command,
    Failed,
    Finish,
    Load,
    Progress,
    Ready,
    Shutdown,
    Start,
    Started,
    Stop,
    Translate,
    TranslateAlso,
    TranslationChoice,
)
from engine.options import CaptionOptions
from engine.process import serve

ORDERLY_END_SECONDS = 0.5

Serve = Callable[[Connection], None]


class EngineClient(QObject):
    """Owns the child process and speaks for it.

    Events of a session that was ended or replaced are dropped: what arrives belongs to the newest session.

    Signals:
        model_loaded: the Ready of a hearing model.
        language_model_loaded: the Ready of a language model.
        session_started: the engine has taken up the newest session.
        caption_changed, translation_changed, round_measured, progressed: as they come.
        incident_came: something went wrong and was made good, in one or two sentences.
        session_finished: the Summary that ends a session.
        failed: a command could not be carried out, in one sentence; the process lives on, the session is over.
        crashed: the process ended by itself; `start` makes a new one.
    """

    model_loaded = Signal(Ready)
    language_model_loaded = Signal(Ready)
    session_started = Signal()
    caption_changed = Signal(Caption)
    translation_changed = Signal(Translation)
    round_measured = Signal(RoundStats)
    progressed = Signal(Progress)
    incident_came = Signal(str)
    session_finished = Signal(Summary)
    failed = Signal(str)
    crashed = Signal()

    def __init__(self, parent: QObject | None = None, serve: Serve = serve) -> None:
        """`serve` is what the child runs."""
        super().__init__(parent)
        self._serve = serve
        self._child: _Child | None = None
        self._session = 0
        self._session_open = False

    @property
    def is_running(self) -> bool:
        return self._child is not None

    @property
    def process_id(self) -> int | None:
        return self._child.process.pid if self._child else None

    def start(self) -> None:
        """Start the process; does nothing while it runs."""
        if self._child is None:
            self._child = _Child(self._serve, self)
            self._child.event_came.connect(self._take_event, Qt.ConnectionType.QueuedConnection)
            self._child.ended.connect(self._notice_end, Qt.ConnectionType.QueuedConnection)
            self._child.start()

    def load(self, model: str, translation: TranslationChoice | None = None) -> None:
        """Have models made ready ahead of their first session."""
        self._send(Load(model, translation))

    def start_session(self, model: str, options: CaptionOptions, translation: TranslationChoice | None = None) -> None:
        self._session += 1
        self._session_open = False
        self._send(Start(self._session, model, options, translation))

    def translate(self, translation: TranslationChoice | None) -> None:
        """Have the session's captions translated otherwise from now on, or no longer."""
        self._send(Translate(translation))

    def translate_also(self, captions: Iterable[Caption]) -> None:
        """Have these final captions translated too; those that are not of this session have ids below 0."""
        self._send(TranslateAlso(tuple(captions)))

    def send_audio(self, samples: Samples) -> None:
        """Give the session its next float32 samples (n,) at 16 kHz; callable from any thread."""
        self._send(AudioChunk(samples.tobytes()))

    def finish_session(self) -> None:
        """Ask for the last words and the Summary."""
        self._send(Finish())

    def drop_session(self) -> None:
        """End the session without a result."""
        self._session += 1  # so that nothing that is still to come of it belongs to the newest session
        self._session_open = False
        self._send(Stop())

    def shut_down(self) -> None:
        """End the process, at once if it does not do so itself."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def _send(self, command: Command) -> None:
        if (child := self._child) is not None:
            child.send(command)

    @Slot(object)
    def _take_event(self, event: object) -> None:
        if self.sender() is not self._child:
            return  # from a process that has been given up
        match event:
            case Ready(kind="language"):
                self.language_model_loaded.emit(event)
            case Ready():
                self.model_loaded.emit(event)
            case Started(session):
                self._session_open = session == self._session
                if self._session_open:
                    self.session_started.emit()
            case Failed(message, session) if session in (0, self._session):
                self._session_open = False
                self.failed.emit(message)
            case Incident(message):
                self.incident_came.emit(message)
            case _ if self._session_open:
                self._pass_on(event)

    def _pass_on(self, event: object) -> None:
        match event:
            case Caption():
                self.caption_changed.emit(event)
            case Translation():
                self.translation_changed.emit(event)
            case RoundStats():
                self.round_measured.emit(event)
            case Progress():
                self.progressed.emit(event)
            case Summary():
                self._session_open = False
                self.session_finished.emit(event)

    @Slot()
    def _notice_end(self) -> None:
        if self.sender() is self._child:
            self._child = None
            self._session_open = False
            self.crashed.emit()


class _Child(QObject):
    """One engine process with its pipe and the two threads at this end of it.

    Signals:
        event_came: what the process sent, from the reading thread.
        ended: the process is over and buried, from the reading thread.
    """

    event_came = Signal(object)
    ended = Signal()
    _numbers = itertools.count(1)

    def __init__(self, serve: Serve, parent: QObject) -> None:
        super().__init__(parent)
        context = multiprocessing.get_context("spawn")
        self._connection, self._far_end = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=serve, args=(self._far_end,), name=f"engine {next(self._numbers)}", daemon=True
        )
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="engine events", daemon=True)
        self._writer = threading.Thread(target=self._write, name="engine commands", daemon=True)

    def start(self) -> None:
        # Ctrl-C reaches the whole process group; until the child has said that it is not meant, it must wait.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        self.process.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self._far_end.close()  # so that the pipe ends with the process
        self._writer.start()
        self._reader.start()

    def send(self, command: Command) -> None:
        self._commands.put(command)

    def end(self) -> None:
        """Let the process leave by itself for a moment, then kill it."""
        self.send(Shutdown())
        self._reader.join(ORDERLY_END_SECONDS)
        if self._reader.is_alive():
            self.process.kill()
            self._reader.join()
        self.deleteLater()

    def _read(self) -> None:
        while True:
            try:
                self.event_came.emit(self._connection.recv())
            except (EOFError, OSError):
                break
        self.process.join()  # here alone, so that two threads never wait for one process
        self._commands.put(None)
        self._writer.join()  # a pipe is never closed under a command that is being written to it
        self._connection.close()
        self.ended.emit()

    def _write(self) -> None:
        while (command := self._commands.get()) is not None:
            try:
                self._connection.send(command)
            except OSError:
                return  # the process is over: the reading thread says so
