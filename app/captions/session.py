"""One live caption session as the window knows it: a source, the engine, the transcript, and an honest state."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.captions.caption_translations import CaptionTranslations
from app.captions.committed_words import KEPT_WORDS
from app.captions.figures import Figures, Sample
from app.captions.heard_recording import HeardRecording
from app.captions.hearing import SAME, Hearing, Same
from app.captions.state import State, Status
from app.engine_link.engine_client import EngineClient
from app.engine_link.engine_restarts import Restarts
from app.sound.audio_feed import AudioFeed
from app.sound.audio_sources import AudioSource
from app.transcript.caption_model import CaptionModel
from engine.audio import Samples
from engine.events import Caption, RoundStats, Shed, Translation
from engine.machine.threads import ThreadAllocation
from engine.options import CaptionOptions
from engine.process.messages import Progress, Ready, TranslationChoice

BEHIND_SECONDS = 2.5
DEAD_SILENCE_SECONDS = 3.0
TICK_MILLISECONDS = 200
ACHIEVED_SECONDS = 5.0
"""An engine that has heard so much beyond where the last one died has achieved something."""


__all__ = ["SAME", "Hearing", "LiveSession", "State", "Status"]


class LiveSession(QObject):
    """Captions one source at a time into one transcript.

    The engine may crash at any moment: the recording goes on meanwhile, and a new engine hears what the old one had
    not committed, and translates what it had not translated to the end. What hears can be changed in the same way.

    Attributes:
        captions: the transcript.
        status: the newest Status.

    Signals:
        status_changed: a Status.
        level_measured: dBFS of the newest audio.
        time_passed: seconds of the recording so far.
        figures_changed: Figures.
        figure_measured: a Sample, as soon as there is one.
        model_loaded: the Ready of the hearing model.
        language_model_loaded: the Ready of the language model.
        translation_changed: a Translation, with the id that its caption has in the transcript; `captions` has it.
        noticed: something odd, in one sentence; the session goes on.
        change_refused: what hears could not be changed, in one sentence; it goes on as `hearing` says.
        failed: what ended or prevented a recording, in one sentence.
        engine_crashed: the engine is gone and is not started again by itself; `restart_engine` brings it back.
        began: a recording begins; none of its captions has come.
        finished: a recording has ended, with all its captions final.
    """

    status_changed = Signal(Status)
    level_measured = Signal(float)
    time_passed = Signal(float)
    figures_changed = Signal(Figures)
    figure_measured = Signal(Sample)
    model_loaded = Signal(Ready)
    language_model_loaded = Signal(Ready)
    translation_changed = Signal(Translation)
    noticed = Signal(str)
    change_refused = Signal(str)
    failed = Signal(str)
    engine_crashed = Signal()
    began = Signal()
    finished = Signal()

    def __init__(
        self,
        client: EngineClient,
        model: str,
        options: CaptionOptions,
        parent: QObject | None = None,
        translation: TranslationChoice | None = None,
        threads: ThreadAllocation | None = None,
    ) -> None:
        super().__init__(parent)
        self.captions = CaptionModel(self)
        self.status = Status(State.IDLE)
        self._hearing = Hearing(model, options, threads)
        self._proven: Hearing | None = None  # what heard before the newest change, until that has shown to work
        self._translations = CaptionTranslations(client, self.captions, translation)
        self._client = client
        self._feed: AudioFeed | None = None
        self._recording = HeardRecording(client, self.captions)  # the present one, or the last
        self._engine_hears = False
        self._engine_died = False
        self._engine_stuck = False
        self._restarts = Restarts()
        self._died_at = 0.0  # seconds of the recording that the engine had heard when it died last
        self._tick = QTimer(self, interval=TICK_MILLISECONDS)
        self._tick.timeout.connect(self._look)
        self._listen_to(client)

    def _listen_to(self, client: EngineClient) -> None:
        client.model_loaded.connect(self._note_model)
        client.language_model_loaded.connect(self.language_model_loaded)
        client.session_started.connect(self._begin_hearing)
        client.caption_changed.connect(self._show)
        client.translation_changed.connect(self._show_translation)
        client.round_measured.connect(self._count_round)
        client.progressed.connect(self._note_progress)
        client.incident_came.connect(self.noticed)
        client.session_finished.connect(self._end_recording)
        client.failed.connect(self._give_up)
        client.got_stuck.connect(self._note_stuck)
        client.crashed.connect(self._notice_crash)

    @property
    def hearing(self) -> Hearing:
        """What hears, and how; `change` changes it."""
        return self._hearing

    @property
    def model(self) -> str:
        """Name or folder of the hearing model."""
        return self._hearing.model

    @property
    def translation(self) -> TranslationChoice | None:
        """What captions are translated with; None where they are not. `translate` changes it."""
        return self._translations.choice

    @property
    def is_recording(self) -> bool:
        """Whether there is a recording that `stop` would end."""
        return self._feed is not None and self.status.state is not State.FINISHING

    @property
    def is_busy(self) -> bool:
        """Whether a recording is under way or being finished."""
        return self._feed is not None

    @property
    def clock_seconds(self) -> float:
        """What is being said now will stand at this second of the recording."""
        return self._recording.clock_seconds

    @property
    def recording_start_seconds(self) -> float:
        """Where in the transcript the newest recording begins."""
        return self._recording.start_seconds

    def give_audio_to(self, listener: Callable[[Samples], None] | None) -> None:
        """Have somebody take the newest recording's samples, on the thread that records; as it `began`, all of them."""
        self._recording.audio.listener = listener

    # --- what is asked for ---

    def prepare(self) -> None:
        """Start the engine and have it load the models, ahead of the first recording."""
        self._client.start()
        self._load()
        self._set(State.LOADING)

    def change(
        self,
        *,
        model: str | None = None,
        options: CaptionOptions | None = None,
        threads: ThreadAllocation | Same | None = SAME,
    ) -> None:
        """Hear otherwise from now on; what is not given stays as it is, and nothing that was said is lost.

        While recording, a new session of the engine hears again what no committed word covers. A change that cannot
        be made is taken back with `change_refused`.
        """
        before = self._hearing
        self._hearing = Hearing(
            before.model if model is None else model,
            before.options if options is None else options,
            before.threads if threads is SAME else threads,
        )
        if self._hearing != before:
            self._proven = self._proven or before
            self._take_up_change(before)

    def translate(self, translation: TranslationChoice | None) -> None:
        """Translate otherwise from the caption that is being spoken on, or no longer; what is translated stays.

        Captions that are still waiting for their translation are translated the new way.
        """
        if translation == self.translation:
            return
        self._translations.change(translation)
        self._recording.meter.begin_translating()
        if self._feed is not None:
            self._client.translate(translation)
            self._translations.ask_for_the_rest(self._recording.place)
        elif self._client.is_running:
            self._load()

    def start(self, source: AudioSource) -> None:
        """Caption a source from now on, below what is there already; does nothing while busy."""
        if self._feed is not None:
            return
        self._proven = None
        self._died_at = 0.0
        self._recording = HeardRecording(self._client, self.captions)
        self._translations.expect()
        feed = self._feed = AudioFeed(source, self._recording.audio.add, self)
        feed.level_measured.connect(self._note_level)
        feed.noticed.connect(self.noticed)
        feed.interrupted.connect(self.noticed)
        feed.resumed.connect(self.noticed)
        feed.ended.connect(self._end_of_audio)
        feed.failed.connect(self._lose_source)
        if self._engine_died:
            self._restarts.begin_anew()
            self._engine_died = False
        self._client.start()
        self.began.emit()
        self._open_engine_session(0.0)
        if source.passes_by:
            feed.start()
        self._tick.start()
        self._look()

    def stop(self) -> None:
        """End the recording; `finished` follows once its last words are there, or at once when asked again."""
        if self._feed is None:
            return
        if self._engine_died or not self._feed.has_started or self._feed.is_stopping:
            self._client.drop_session()
            untranslated = self._translations.waiting()
            self._end_recording()
            if untranslated:
                self.noticed.emit(
                    self.tr("The recording was stopped at once, so the last captions have no translation.")
                )
        else:
            self._feed.stop()

    def restart_engine(self) -> None:
        """Have a new engine process go on where the old one is, be it dead or alive, and lose nothing."""
        self._restarts.begin_anew()
        self._bring_back()

    def shut_down(self) -> None:
        """End recording and engine at once, with what is shown so far."""
        self._tick.stop()
        if self._feed is not None:
            self._recording.audio.close()
            self._feed.wait(seconds=1.0)
            self._feed = None
        self._client.shut_down()

    # --- the engine's sessions ---

    def _load(self) -> None:
        self._client.load(self._hearing.model, self.translation, self._hearing.threads)

    def _bring_back(self) -> None:
        self._engine_died = False
        self._client.restart()
        if self._feed is None:
            self._load()
        else:
            self._hear_on(self._feed)
        self._set(State.RESTARTING)

    def _hear_on(self, feed: AudioFeed, *, at_once: bool = False) -> None:
        """Have a new session of the engine go on behind the last committed word; `at_once` with a model it has."""
        recording = self._recording
        now = self._engine_hears, recording.speaking, recording.heard_seconds
        self.captions.drop_pending(KEPT_WORDS)
        recording.audio.send_again(self._open_engine_session)
        if at_once:  # nothing of it is worth being told
            self._engine_hears, recording.speaking, recording.heard_seconds = now
        self._translations.ask_for_the_rest(self._recording.place)
        if feed.is_over:
            self._client.finish_session()

    def _open_engine_session(self, start_seconds: float) -> None:
        self._engine_hears = False
        hearing = self._hearing
        known, begun = self._recording.begin_session(start_seconds)
        live = self._feed is not None and self._feed.source.passes_by
        self._client.start_session(
            hearing.model, hearing.options, self.translation, hearing.threads, known, begun, live
        )

    def _take_up_change(self, before: Hearing) -> None:
        """Hear as is wanted now; where the last words are being written down already, from the next recording on."""
        feed = self._feed
        if self._engine_died or not self._client.is_running or (feed and feed.is_stopping):
            return
        same_model = before.model == self._hearing.model
        if sys.platform == "darwin" and before.threads != self._hearing.threads:
            self._bring_back()  # there a process reads its number of threads once
        elif feed is None:
            self._load()
            if not same_model:
                self._set(State.LOADING)
        else:
            self._hear_on(feed, at_once=same_model)
            self._look()

    @Slot(Ready)
    def _note_model(self, ready: Ready) -> None:
        if self._feed is None:
            self._proven = None
            self._set(State.IDLE)
        self.model_loaded.emit(ready)

    @Slot()
    def _begin_hearing(self) -> None:
        self._engine_hears = True
        self._proven = None
        if self._feed is not None and not self._feed.has_started:
            self._feed.start()
        self._look()

    @Slot()
    def _note_stuck(self) -> None:
        self._engine_stuck = True

    @Slot()
    def _notice_crash(self) -> None:
        """Start the engine again, unless that has been to no avail: then people are asked."""
        stuck, self._engine_stuck = self._engine_stuck, False
        self._engine_hears = False
        self._died_at = self._recording.heard_seconds
        if not self._restarts.may_restart(time.monotonic()):
            self._engine_died = True
            self._set(State.ENGINE_STOPPED)
            self.engine_crashed.emit()
            return
        self._bring_back()
        if stuck:
            self.noticed.emit(self.tr("The engine stopped responding and was restarted. No words were lost."))
        else:
            self.noticed.emit(self.tr("The engine stopped unexpectedly and was restarted. No words were lost."))

    @Slot(str)
    def _give_up(self, message: str) -> None:
        refused = self._proven
        if refused is not None and self._feed is not None:
            self._hearing, self._proven = refused, None
            self._hear_on(self._feed)
            self.change_refused.emit(self.tr("{} Captions go on as before.").format(message))
            return
        self.failed.emit(message)
        if self._feed is not None:
            self._end_recording()
        elif self.status.state in (State.LOADING, State.RESTARTING):
            self._set(State.NO_MODEL)

    # --- what comes from it ---

    @Slot(Caption)
    def _show(self, caption: Caption) -> None:
        self._tell_measured(self._recording.show(caption))

    @Slot(Translation)
    def _show_translation(self, translation: Translation) -> None:
        placed = self._translations.take(translation, self._recording.place)
        if placed is not None:
            self._tell_measured(self._recording.meter.add_translation(placed))
            self.translation_changed.emit(placed)

    @Slot(RoundStats)
    def _count_round(self, stats: RoundStats) -> None:
        self._tell_measured(self._recording.count_round(stats))

    def _tell_measured(self, samples: list[Sample]) -> None:
        for sample in samples:
            self.figure_measured.emit(sample)

    @Slot(Progress)
    def _note_progress(self, progress: Progress) -> None:
        self._recording.note_progress(progress)
        if self._recording.heard_seconds > self._died_at + ACHIEVED_SECONDS:
            self._restarts.went_well()

    # --- the recording ---

    @Slot(float)
    def _note_level(self, dbfs: float) -> None:
        self._recording.note_level(dbfs)
        self.level_measured.emit(dbfs)

    @Slot()
    def _end_of_audio(self) -> None:
        if self.sender() is self._feed and not self._engine_died:
            self._client.finish_session()
            self._set(State.FINISHING)

    @Slot(str)
    def _lose_source(self, message: str) -> None:
        if self.sender() is not self._feed:
            return
        self.failed.emit(message)
        if self._recording.audio.seconds > 0:
            self._end_of_audio()
        else:
            self._client.drop_session()
            self._end_recording()

    @Slot()
    def _end_recording(self) -> None:
        """Close the books, whether all was heard or not."""
        if self._feed is None:
            return
        self._look()
        self._tick.stop()
        self._recording.audio.close()
        self._feed.stop()
        self._feed = None
        self.captions.settle()
        self._set(State.FINISHED if self.captions.rowCount() else State.IDLE)
        self.finished.emit()

    @Slot()
    def _look(self) -> None:
        """Say what is so now: the state, the time, the figures."""
        if self._feed is None:
            return
        recording = self._recording
        self._set(self._state(self._feed, recording), recording.behind_seconds, recording.shed)
        self.time_passed.emit(recording.audio.seconds)
        self.figures_changed.emit(recording.meter.figures)

    def _state(self, feed: AudioFeed, recording: HeardRecording) -> State:
        if self._engine_died:
            return State.ENGINE_STOPPED
        if not self._engine_hears:
            return State.RESTARTING if self.status.state is State.RESTARTING else State.LOADING
        if feed.is_over:
            return State.FINISHING
        if feed.source.passes_by and not recording.audio.seconds:
            return State.OPENING
        if feed.is_interrupted:
            return State.NO_SOURCE
        if recording.behind_seconds > BEHIND_SECONDS:
            return State.BEHIND
        if feed.source.passes_by and recording.silent_seconds > DEAD_SILENCE_SECONDS:
            return State.NO_SOUND
        return State.HEARING if recording.speaking else State.LISTENING

    def _set(self, state: State, behind_seconds: float = 0.0, shed: Shed = Shed.NOTHING) -> None:
        status = Status(state, round(max(behind_seconds, 0.0)) if state is State.BEHIND else 0.0, shed)
        if status != self.status:
            self.status = status
            self.status_changed.emit(status)
