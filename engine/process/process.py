"""The engine as a child process: commands in, events out, one thread that computes.

The child runs `serve`. Its main thread loads the models, hears and answers. A second thread only receives commands
from the pipe, so that audio piles up neither in the app nor in the pipe while a round computes, and so that the child
ends as soon as the app does. A third thread reports that the child is alive.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from engine.errors import EngineError, error_sentence
from engine.events import Incident
from engine.machine import backend
from engine.machine.threads import ThreadAllocation
from engine.process import loading
from engine.process.heartbeat import BEAT_SECONDS, Heartbeat
from engine.process.loading import (
    AssistantLoader,
    LanguageLoader,
    ModelLoader,
    RecognizerMaker,
    TranslationMaker,
    load_recognizer,
    load_translation,
)
from engine.process.messages import (
    Command,
    Converse,
    Event,
    Failed,
    FindSpeakers,
    Load,
    MakeNotes,
    Sent,
    Shutdown,
    Start,
    Started,
    Stop,
    TranscribeFile,
    TranslateTranscript,
    TranslationChoice,
)
from engine.process.notes_work import NotesWork
from engine.process.worker import Worker

if TYPE_CHECKING:
    from engine.language.answering import AnyAnsweringModel

__all__ = [
    "EngineServer",
    "LanguageLoader",
    "ModelLoader",
    "RecognizerMaker",
    "TranslationMaker",
    "load_recognizer",
    "load_translation",
    "serve",
]


BACKGROUND_NICENESS = 10
"""Niceness that is added to a process that nobody waits for."""


@dataclass(frozen=True, slots=True)
class _Wake:
    """A round that was heard in the background is done."""


def serve(
    connection: Connection,
    load: ModelLoader | None = None,
    load_language: LanguageLoader | None = None,
    load_assistant: AssistantLoader | None = None,
    beat_seconds: float = BEAT_SECONDS,
    background: bool = False,
) -> None:
    """Carry out the commands that come over `connection` until Shutdown or until its other end closes.

    Arguments:
        load, load_language, load_assistant: loaders of models; those of engine.process.loading unless others are given.
        background: other processes compute first, if the system has such priorities.
    """
    if background and sys.platform != "win32":
        os.nice(BACKGROUND_NICENESS)  # before there are other threads: on Linux each has a niceness of its own
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the app decides what it means
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    commands: queue.SimpleQueue[Command | _Wake] = queue.SimpleQueue()
    threading.Thread(target=_receive_commands, args=(connection, commands), name="commands", daemon=True).start()
    turn = threading.Lock()  # a pipe takes one message at a time

    def send(message: Sent) -> None:
        try:
            with turn:
                connection.send(message)
        except OSError:
            os._exit(0)  # the app is gone

    heartbeat = Heartbeat(send, beat_seconds)
    heartbeat.start()
    server = EngineServer(
        send,
        load or loading.load_recognizer,
        load_language or partial(loading.load_translation, hides_unsure=True),
        load_assistant or loading.load_assistant,
        heartbeat,
    )
    server.run(commands)
    heartbeat.stop()


def _receive_commands(connection: Connection, commands: queue.SimpleQueue[Command | _Wake]) -> None:
    while True:
        try:
            commands.put(connection.recv())
        except (EOFError, OSError):
            # Nobody is left to read a result, and the main thread may be deep in one: there is nothing to tidy.
            os._exit(0)


class EngineServer:
    """Carries out commands, apart from pipes and models.

    Attributes:
        load: makes a hearing model ready; raises ModelError.
        load_language: makes a language model ready to translate; raises ModelError.
        load_assistant: makes a language model ready to answer; raises ModelError.
    """

    def __init__(
        self,
        send: Callable[[Event], None],
        load: ModelLoader,
        load_language: LanguageLoader = loading.load_translation,
        load_assistant: AssistantLoader = loading.load_assistant,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        """Send all events by `send`, in order; report the present work to `heartbeat`."""
        self.load = load
        self.load_language = load_language
        self.load_assistant = load_assistant
        self._tell = send
        self._heartbeat = heartbeat or Heartbeat(lambda beat: None)
        self._loaded: tuple[str, RecognizerMaker] | None = None
        self._loaded_language: tuple[str, TranslationMaker] | None = None
        self._loaded_assistant: tuple[str, AnyAnsweringModel] | None = None
        self._loads_language, self._loads_assistant = threading.Lock(), threading.Lock()  # one of a kind at a time
        self._threads: ThreadAllocation | None = None
        self._worker: Worker | None = None
        self._number = 0
        self._wake: Callable[[], None] = lambda: None
        self._notes = NotesWork(self.send, self._ready_assistant, lambda: self._wake())

    def send(self, event: Event) -> None:
        """Send an event, which counts as progress of the present work."""
        self._heartbeat.got_on()
        self._tell(event)

    @property
    def busy(self) -> bool:
        """Return whether `work` has anything to do."""
        return self._notes.busy or (self._worker is not None and self._worker.busy)

    def run(self, commands: queue.SimpleQueue[Command | _Wake]) -> None:
        """Work until Shutdown; all audio that piled up during a round is added before the next one.

        Captions are translated and questions answered while no command waits, since there is nothing to hear then.
        """
        self._wake = lambda: commands.put(_Wake())
        while True:
            command = _next_waiting(commands) if self.busy else commands.get()
            with self._heartbeat.working():
                if command is None:
                    self.work()
                    continue
                while command is not None:
                    if isinstance(command, Shutdown):
                        self._drop()
                        return
                    if not isinstance(command, _Wake):
                        self.carry_out(command)
                    command = _next_waiting(commands)
                self.hear()

    def carry_out(self, command: Command) -> None:
        """Carry out one command; if it fails, send Failed."""
        with self._failing():
            match command:
                case Load(model, translation, threads):
                    self._ready(model, threads)
                    self._prepare(translation)
                case Start():
                    self._begin(command.session, lambda: self._captioning(command))
                case Converse():
                    self._begin(command.session, lambda: self._conversing(command))
                case TranscribeFile():
                    self._begin(command.session, lambda: self._transcribing(command))
                case FindSpeakers():
                    self._begin(command.session, lambda: self._finding_speakers(command))
                case TranslateTranscript():
                    self._begin(command.session, lambda: self._translating(command))
                case MakeNotes():
                    self._notes.take(command)
                case Stop():
                    self._drop()
                case _ if self._worker is not None:  # else it was under way while the session failed
                    self._worker.carry_out(command)

    def hear(self) -> None:
        """Run a round if one is due, and report progress."""
        with self._failing():
            if self._worker is not None:
                self._worker.hear()

    def work(self) -> None:
        """Translate, answer or transcribe for the time of one forward or round; else write notes."""
        with self._failing():
            if self._worker is not None and self._worker.busy:
                self._worker.work()
                return
        if self._notes.busy:
            self._notes.work()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """End the session at an EngineError or a damaged installation and send it as Failed; drop a session that is
        over.
        """
        try:
            yield
        except (EngineError, ImportError) as error:
            number = self._number
            self._drop()
            self.send(Failed(error_sentence(error), number))
        if self._worker is not None and self._worker.over:
            self._drop()

    def _drop(self) -> None:
        """Drop the session and its work in flight."""
        worker, self._worker = self._worker, None
        self._number = 0
        if worker is not None:
            worker.close()
            backend.release_unused()

    def _ready(self, model: str, threads: ThreadAllocation | None = None) -> RecognizerMaker:
        """Load a hearing model unless it is loaded, for these threads; None are those that it is loaded with."""
        by_hand = self._threads is not None
        self._threads = threads
        if threads is not None and sys.platform == "darwin":  # Accelerate reads its number of threads once
            backend.prepare(threads.cpu_threads)
        if self._loaded is None or self._loaded[0] != model or (by_hand and threads is None):
            self._loaded = None  # never two of a kind in memory
            with self._heartbeat.loading():
                ready, make = self.load(model)
            self._loaded = model, make
            self.send(ready)
        if threads is not None:
            backend.allot(threads)
        return self._loaded[1]

    def _prepare(self, choice: TranslationChoice | None) -> None:
        """Load a language model ahead of its first use; hearing needs none, so its absence is no failure."""
        try:
            if choice is not None and not choice.by_ear:
                self._ready_language(choice.model_used)
        except EngineError as error:
            self.send(Incident(f"Captions are not translated: {error}"))

    def _ready_language(self, model: str) -> TranslationMaker:
        """Load a model that translates unless it is loaded, on any thread."""
        with self._heartbeat.loading(), self._loads_language:
            if self._loaded_language is None or self._loaded_language[0] != model:
                self._loaded_language = None
                ready, make = self.load_language(model)
                self._loaded_language = model, make
                self.send(ready)
            return self._loaded_language[1]

    def _ready_assistant(self, model: str) -> AnyAnsweringModel:
        """Load a model that answers unless it is loaded, on any thread."""
        with self._heartbeat.loading(), self._loads_assistant:
            if self._loaded_assistant is None or self._loaded_assistant[0] != model:
                self._loaded_assistant = None
                ready, loaded = self.load_assistant(model)
                self._loaded_assistant = model, loaded
                self.send(ready)
            return self._loaded_assistant[1]

    def _begin(self, number: int, make: Callable[[], Worker]) -> None:
        """Begin a session, dropping any other."""
        self._drop()
        self._number = number
        self._worker = make()
        self.send(Started(number))

    def _captioning(self, start: Start) -> Worker:
        from engine.process.caption_worker import CaptionWorker

        make = self._ready(start.model, start.threads)
        get_on = self._heartbeat.got_on
        return CaptionWorker(start, make, self.send, self._wake, self._ready_language, get_on)

    def _transcribing(self, start: TranscribeFile) -> Worker:
        from engine.process.file_worker import FileWorker

        return FileWorker(start, self._ready, self._ready_language, self.send, self._heartbeat.got_on)

    def _finding_speakers(self, start: FindSpeakers) -> Worker:
        from engine.process.speakers_worker import SpeakersWorker

        return SpeakersWorker(start, self.send, self._heartbeat.got_on)

    def _translating(self, start: TranslateTranscript) -> Worker:
        from engine.process.transcript_worker import TranscriptWorker

        choice = start.translation.for_files()
        if choice.by_ear:
            raise EngineError("The model that hears translates speech only: choose a language model.")
        return TranscriptWorker(start, self._ready_language(choice.model_used)(choice.options), self.send)

    def _conversing(self, start: Converse) -> Worker:
        from engine.process.assistant_worker import AssistantWorker
        from engine.speak.choice import usable_voice

        recognizer = None if start.hearing is None else self._ready(start.hearing)(start.captions)
        model = self._ready_assistant(start.model)
        return AssistantWorker(start, recognizer, model, self.send, self._wake, usable_voice, self._ready_language)


def _next_waiting(commands: queue.SimpleQueue[Command | _Wake]) -> Command | _Wake | None:
    try:
        return commands.get_nowait()
    except queue.Empty:
        return None
