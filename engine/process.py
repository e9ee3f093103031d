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
from engine.events import Incident
from engine.messages import (
    AudioChunk,
    Command,
    Event,
    Failed,
    Finish,
    Load,
    Progress,
    Ready,
    Shutdown,
    Start,
    Started,
    Translate,
    TranslateAlso,
    TranslationChoice,
)
from engine.options import CaptionOptions, TranslationOptions

if TYPE_CHECKING:
    from engine.captions import CaptionSession
    from engine.hear.recognizer import Recognizer
    from engine.translate.live import LiveTranslation

PROGRESS_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class _Wake:
    """A round that was heard in the background is done."""


RecognizerMaker = Callable[[CaptionOptions], "Recognizer"]
ModelLoader = Callable[[str], tuple[Ready, RecognizerMaker]]
TranslationMaker = Callable[[TranslationOptions], "LiveTranslation"]
LanguageLoader = Callable[[str], tuple[Ready, TranslationMaker]]


def serve(connection: Connection, load: ModelLoader | None = None, load_language: LanguageLoader | None = None) -> None:
    """Carry out the commands that come over `connection` until Shutdown or until its other end closes.

    `load` and `load_language` are what makes models ready: `load_recognizer` and `load_translation` where not given.
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

    EngineServer(send, load or load_recognizer, load_language or load_translation).run(commands)


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


def load_translation(model: str) -> tuple[Ready, TranslationMaker]:
    """Load a language model and run it once, so that the first translation pays for nothing but itself."""
    from engine import backend

    started = time.perf_counter()
    prepared = backend.prepare()
    from engine.language_model import load_language_model
    from engine.translate.live import LiveTranslation
    from engine.translate.translator import Translator

    loaded = load_language_model(model)

    def make(options: TranslationOptions) -> LiveTranslation:
        return LiveTranslation(Translator(loaded, options))

    loaded.logits(loaded.encode("Good morning."), loaded.new_cache(), 1)
    seconds = time.perf_counter() - started
    return Ready(loaded.name, prepared.device, seconds, prepared.warnings, "language"), make


class EngineServer:
    """The commands' order of business, apart from pipes and models.

    Attributes:
        send: takes every event, in order.
        load: makes a hearing model ready; raises ModelError.
        load_language: makes a language model ready; raises ModelError.
    """

    def __init__(
        self, send: Callable[[Event], None], load: ModelLoader, load_language: LanguageLoader = load_translation
    ) -> None:
        self.send = send
        self.load = load
        self.load_language = load_language
        self._loaded: tuple[str, RecognizerMaker] | None = None
        self._loaded_language: tuple[str, TranslationMaker] | None = None
        self._session: CaptionSession | None = None
        self._number = 0
        self._reported_seconds = 0.0
        self._reported_round = -1
        self._wake: Callable[[], None] = lambda: None

    def run(self, commands: queue.SimpleQueue[Command | _Wake]) -> None:
        """Work until Shutdown; audio that piled up during a round is taken in whole before the next one.

        While no command waits there is nothing to hear, and captions are translated.
        """
        self._wake = lambda: commands.put(_Wake())
        while True:
            translating = self._session is not None and self._session.translating
            command = _next_waiting(commands) if translating else commands.get()
            if command is None:
                self.translate()
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
        """Do what one command asks; what cannot be done becomes a Failed."""
        try:
            match command:
                case Load(model, translation):
                    self._ready(model)
                    self._prepare(translation)
                case Start():
                    self._start(command)
                case Translate(translation):
                    self._translate_with(translation)
                case TranslateAlso(captions):
                    if self._session is not None:
                        self._session.translate_also(captions)
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
            for shown in session.update():
                self.send(shown)
        except EngineError as error:
            self._fail(error)
            return
        self._report(session)

    def translate(self) -> None:
        """Translate for the time of one forward."""
        if (session := self._session) is not None:
            if (translation := session.translate()) is not None:
                self.send(translation)
            self._report_incidents(session)

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
            self._loaded = None  # never two of a kind in memory
            ready, make = self.load(model)
            self._loaded = model, make
            self.send(ready)
        return self._loaded[1]

    def _prepare(self, choice: TranslationChoice | None) -> None:
        """Load a language model ahead of its first use; hearing needs none, so that its absence is no failure."""
        try:
            if choice is not None:
                self._ready_language(choice.model)
        except EngineError as error:
            self.send(Incident(f"Captions are not translated: {error}"))

    def _ready_language(self, model: str) -> TranslationMaker:
        if self._loaded_language is None or self._loaded_language[0] != model:
            self._loaded_language = None
            ready, make = self.load_language(model)
            self._loaded_language = model, make
            self.send(ready)
        return self._loaded_language[1]

    def _start(self, start: Start) -> None:
        from engine.captions import CaptionSession

        self._drop()
        self._number = start.session
        make = self._ready(start.model)
        self._session = CaptionSession(make(start.options), start.options)
        self._session.on_round_done = self._wake
        self._reported_seconds = 0.0
        self._reported_round = -1
        self._translate_with(start.translation)
        self.send(Started(start.session))

    def _translate_with(self, choice: TranslationChoice | None) -> None:
        """Have the session's captions translated, or not; where that cannot be, they go on without it."""
        if self._session is None:
            return
        self._session.translate_with(None)  # nothing of the old one's is kept while a new model is loaded
        try:
            if choice is not None:
                self._session.translate_with(self._ready_language(choice.model)(choice.options))
        except EngineError as error:
            self._session.incidents.append(Incident(f"Captions are not translated: {error}"))

    def _add_audio(self, samples: bytes) -> None:
        import numpy as np

        if self._session is not None:  # else it is audio that was under way while the session failed
            self._session.add_audio(np.frombuffer(samples, dtype=np.float32))

    def _finish(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return  # it failed while this was under way
        try:
            for shown in session.finish():
                self.send(shown)
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
        self._report_incidents(session)
        if whole or session.audio_seconds - self._reported_seconds >= PROGRESS_SECONDS:
            self._reported_seconds = session.audio_seconds
            self.send(Progress(session.audio_seconds, session.speaking))

    def _report_incidents(self, session: CaptionSession) -> None:
        while session.incidents:
            self.send(session.incidents.popleft())


def _next_waiting(commands: queue.SimpleQueue[Command | _Wake]) -> Command | _Wake | None:
    try:
        return commands.get_nowait()
    except queue.Empty:
        return None
