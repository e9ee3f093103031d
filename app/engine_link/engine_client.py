"""The engine process as a Qt object: commands are methods, events are signals.

Neither direction can hold up the window: a thread writes commands to the pipe and another reads events from it, so a
child that computes, swaps or has been stopped only lets its commands wait.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from app.engine_link.engine_pulse import Patience, Pulse
from engine.answer.safety.region import region_of
from engine.answer.tools.outcomes import ToolOutcome
from engine.audio import Samples
from engine.events import (
    FIRST_CAPTION,
    Caption,
    Incident,
    RoundStats,
    Side,
    SpeakerLabel,
    SpokenTranslation,
    Summary,
    Translation,
)
from engine.machine.threads import ThreadAllocation
from engine.options import AssistantOptions, CaptionOptions
from engine.process.messages import (
    Ask,
    AudioChunk,
    Beat,
    ChangeAnswers,
    Command,
    Converse,
    Ended,
    Failed,
    FindSpeakers,
    Finish,
    Interrupt,
    Load,
    MakeNotes,
    NotesMade,
    Played,
    Press,
    Progress,
    Ready,
    Release,
    Shutdown,
    SpeakersFound,
    Start,
    Started,
    Stop,
    StopReply,
    ToolDone,
    Transcribed,
    TranscribeFile,
    Translate,
    TranslateAlso,
    TranslateTranscript,
    TranslationChoice,
)
from engine.process.process import serve
from engine.speakers.search import SpeakerSearch
from engine.turns import ToolCall, Turn

ORDERLY_END_SECONDS = 0.5

Serve = Callable[[Connection], None]


class EngineClient(QObject):
    """Owns the child process and speaks for it.

    Events of a session that was ended or replaced are dropped: what arrives belongs to the newest session.

    Signals:
        model_loaded: the Ready of a hearing model.
        language_model_loaded: the Ready of a language model.
        session_started: the engine has taken up the newest session.
        caption_changed, translation_changed, translation_spoken, speaker_labelled, round_measured, progressed: as they
            come.
        incident_came: something went wrong and was made good, in one or two sentences.
        session_finished: the Summary that ends a session of captions.
        transcribed: the Transcribed that ends the transcription of a file.
        speakers_found: the SpeakersFound that ends a search for speakers.
        notes_made: the NotesMade of a transcript, whatever session runs.
        turn_event_came: what happens in a conversation, a TurnEvent.
        conversation_finished: the conversation is over, and all that was asked is answered; or a transcript is
            translated.
        failed: a command could not be carried out, in one sentence; the process lives on, the session is over.
        arrived: an event, on the thread that reads the pipe and before anything else is done with it: for measuring.
        got_stuck: the process does not move any more; it is killed, and `crashed` follows.
        crashed: the process ended by itself; `start` makes a new one.
    """

    model_loaded = Signal(Ready)
    language_model_loaded = Signal(Ready)
    session_started = Signal()
    caption_changed = Signal(Caption)
    translation_changed = Signal(Translation)
    translation_spoken = Signal(SpokenTranslation)
    speaker_labelled = Signal(SpeakerLabel)
    round_measured = Signal(RoundStats)
    progressed = Signal(Progress)
    incident_came = Signal(str)
    session_finished = Signal(Summary)
    transcribed = Signal(Transcribed)
    speakers_found = Signal(SpeakersFound)
    notes_made = Signal(object)
    turn_event_came = Signal(object)
    conversation_finished = Signal()
    failed = Signal(str)
    arrived = Signal(object)
    got_stuck = Signal()
    crashed = Signal()

    def __init__(self, parent: QObject | None = None, serve: Serve = serve, patience: Patience = Patience()) -> None:  # noqa: B008 - it is frozen
        """Make a client whose child process runs `serve`; `patience` limits the silence of the child."""
        super().__init__(parent)
        self._serve = serve
        self._pulse = Pulse(patience)
        self._looks = QTimer(self, interval=round(patience.look_seconds * 1000))
        self._looks.timeout.connect(self._look)
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
            self._pulse.begin()
            self._child = _Child(self._serve, self._pulse.record_beat, self)
            self._child.event_came.connect(self.arrived, Qt.ConnectionType.DirectConnection)
            self._child.event_came.connect(self._handle_event, Qt.ConnectionType.QueuedConnection)
            self._child.ended.connect(self._notice_end, Qt.ConnectionType.QueuedConnection)
            self._child.start()
            self._looks.start()

    def restart(self) -> None:
        """Kill the process, if there is one, and start another; that is no crash."""
        self._let_go(patience_seconds=0.0)
        self.start()

    def load(
        self, model: str, translation: TranslationChoice | None = None, threads: ThreadAllocation | None = None
    ) -> None:
        """Load models ahead of their first session."""
        self._send(Load(model, translation, threads))

    def start_session(
        self,
        model: str,
        options: CaptionOptions,
        translation: TranslationChoice | None = None,
        threads: ThreadAllocation | None = None,
        sides: tuple[Side, ...] = (Side(),),
        live: bool = False,
        first_id: int = FIRST_CAPTION,
    ) -> None:
        """Begin to caption, `live` where the audio passes by; `session_started` follows, or `failed`."""
        self._send(Start(self._next_session(), model, options, translation, threads, sides, live, first_id))

    def transcribe_file(
        self,
        path: Path,
        model: str,
        options: CaptionOptions,
        translation: TranslationChoice | None = None,
        speakers: SpeakerSearch | None = None,
    ) -> None:
        """Transcribe a recording; `progressed` and `transcribed` follow, or `failed`."""
        self._send(TranscribeFile(self._next_session(), path, model, options, translation, speakers))

    def find_speakers(self, path: Path, captions: Iterable[Caption], search: SpeakerSearch) -> None:
        """Find the speakers of a kept recording; `progressed` and `speakers_found` follow, or `failed`."""
        self._send(FindSpeakers(self._next_session(), path, tuple(captions), search))

    def translate_transcript(self, captions: Iterable[Caption], translation: TranslationChoice) -> None:
        """Translate final captions of an earlier recording; `conversation_finished` follows, or `failed`."""
        self._send(TranslateTranscript(self._next_session(), tuple(captions), translation))

    def make_notes(self, request: MakeNotes) -> None:
        """Make notes in the time in which there is nothing else to do; `notes_made` follows."""
        self._send(request)

    def start_conversation(
        self,
        hearing: str | None,
        model: str,
        options: AssistantOptions,
        captions: CaptionOptions,
        voiced: bool,
        earlier: tuple[Turn, ...] = (),
        first_turn: int = 1,
        translation: str | None = None,
    ) -> None:
        """Begin a conversation, behind earlier turns; `session_started` follows, or `failed`.

        Without a model that hears, questions are typed. `translation` is the model that translates a few words.
        """
        region = region_of(os.environ) or QLocale.territoryToCode(QLocale.system().territory()) or None
        number = self._next_session()
        self._send(
            Converse(number, hearing, model, options, captions, voiced, earlier, first_turn, region, translation)
        )

    def ask(self, text: str) -> None:
        """Ask a typed question."""
        self._send(Ask(text))

    def tell_done(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """Answer a tool call with its outcome."""
        self._send(ToolDone(call.turn, call.revision, call.language, outcome))

    def press(self) -> None:
        """Report that the key of push-to-talk is held from here on."""
        self._send(Press())

    def release(self) -> None:
        """Report that the key of push-to-talk was released."""
        self._send(Release())

    def interrupt(self, spoken_seconds: float | None = None, samples: Samples | None = None) -> None:
        """Report that the user speaks over the reply, of which `spoken_seconds` were played; callable from any thread.

        `samples` (n,), float32 at 16 kHz, is the newest sound of the microphone without the reply, if that is known.
        """
        self._send(Interrupt(spoken_seconds, None if samples is None else samples.tobytes()))

    def played(self, seconds: float) -> None:
        """Report how much of the present reply has been played; callable from any thread."""
        self._send(Played(seconds))

    def stop_reply(self, spoken_seconds: float | None = None) -> None:
        """End the reply for good, after `spoken_seconds` of it were played."""
        self._send(StopReply(spoken_seconds))

    def change_answers(self, options: AssistantOptions, voiced: bool | None = None) -> None:
        """Change answers, voice and turn-taking from the next turn on; `voiced` None leaves that as it is."""
        self._send(ChangeAnswers(options, voiced))

    def translate(self, translation: TranslationChoice | None) -> None:
        """Change how the captions of the session are translated, or stop translating them."""
        self._send(Translate(translation))

    def translate_also(self, captions: Iterable[Caption]) -> None:
        """Translate these final captions too, of this session or an earlier one."""
        self._send(TranslateAlso(tuple(captions)))

    def send_audio(self, samples: Samples, side: int = 0) -> None:
        """Send the next float32 samples (n,) at 16 kHz of a side of the session; callable from any thread."""
        self._send(AudioChunk(samples.tobytes(), side))

    def finish_session(self) -> None:
        """Ask for the last words and the Summary, or for the answer to the last turn."""
        self._send(Finish())

    def drop_session(self) -> None:
        """End the session without a result."""
        self._next_session()  # so that nothing that is still to come of it belongs to the newest session
        self._send(Stop())

    def shut_down(self, patience_seconds: float = ORDERLY_END_SECONDS) -> None:
        """End the process; kill it if it has not left by itself within so many seconds."""
        self._let_go(patience_seconds)

    def _let_go(self, patience_seconds: float) -> None:
        child, self._child = self._child, None
        self._session_open = False
        self._looks.stop()
        if child is not None:
            child.end(patience_seconds)

    @Slot()
    def _look(self) -> None:
        """Kill a process that does not move any more; its end is a crash."""
        if self._child is not None and self._pulse.is_stuck():
            self._looks.stop()
            self.got_stuck.emit()
            self._child.kill()

    def _next_session(self) -> int:
        self._session += 1
        self._session_open = False
        return self._session

    def _send(self, command: Command) -> None:
        if (child := self._child) is not None:
            child.send(command)

    @Slot(object)
    def _handle_event(self, event: object) -> None:
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
            case NotesMade():
                self.notes_made.emit(event)
            case _ if self._session_open:
                self._pass_on(event)

    def _pass_on(self, event: object) -> None:
        match event:
            case Caption():
                self.caption_changed.emit(event)
            case Translation():
                self.translation_changed.emit(event)
            case SpokenTranslation():
                self.translation_spoken.emit(event)
            case SpeakerLabel():
                self.speaker_labelled.emit(event)
            case RoundStats():
                self.round_measured.emit(event)
            case Progress():
                self.progressed.emit(event)
            case Summary():
                self._session_open = False
                self.session_finished.emit(event)
            case Transcribed():
                self._session_open = False
                self.transcribed.emit(event)
            case SpeakersFound():
                self._session_open = False
                self.speakers_found.emit(event)
            case Ended():
                self._session_open = False
                self.conversation_finished.emit()
            case _:
                self.turn_event_came.emit(event)

    @Slot()
    def _notice_end(self) -> None:
        if self.sender() is self._child:
            self._child = None
            self._session_open = False
            self._looks.stop()
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

    def __init__(self, serve: Serve, take_beat: Callable[[Beat], None], parent: QObject) -> None:
        """Prepare a process that runs `serve`; `take_beat` is called on the reading thread."""
        super().__init__(parent)
        self._take_beat = take_beat
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

    def end(self, patience_seconds: float) -> None:
        """Let the process leave by itself for a moment, then kill it."""
        self.send(Shutdown())
        self._reader.join(patience_seconds)
        if self._reader.is_alive():
            self.process.kill()
            self._reader.join()
        self.deleteLater()

    def kill(self) -> None:
        """End the process at once, stopped as it may be; `ended` follows."""
        self.process.kill()

    def _read(self) -> None:
        try:
            self._read_to_the_end()
        except RuntimeError:
            if isValid(self):
                raise
            # Qt has let go of this object at the app's end: there is nobody left to tell.

    def _read_to_the_end(self) -> None:
        while True:
            try:
                event = self._connection.recv()
            except (EOFError, OSError):
                break
            if isinstance(event, Beat):
                self._take_beat(event)
            else:
                self.event_came.emit(event)
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
