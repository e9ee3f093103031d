"""One live caption session as the window knows it: a source, the engine, the transcript, and an honest state."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.captions.caption_translations import CaptionTranslations
from app.captions.committed_words import KEPT_WORDS
from app.captions.engine_health import EngineHealth
from app.captions.figures import Figures, Sample
from app.captions.heard_recording import HeardRecording
from app.captions.hearing import SAME, ChosenHearing, Hearing, Same
from app.captions.intake import Intake
from app.captions.state import State, Status, state_of
from app.engine_link.engine_client import EngineClient
from app.sound.audio_sources import Source, TwoSides
from app.sound.sided_feed import SidedFeed
from app.transcript.caption_model import CaptionModel
from engine.audio import Samples
from engine.events import Shed, Side, Translation
from engine.machine.threads import ThreadAllocation
from engine.options import CaptionOptions
from engine.process.messages import Ready, TranslationChoice

TICK_MILLISECONDS = 200

__all__ = ["SAME", "Hearing", "LiveSession", "State", "Status"]


class LiveSession(QObject):
    """Captions one source at a time, which may have two sides, into one transcript.

    The engine may crash at any moment: the recording goes on meanwhile, and a new engine hears what the old one had
    not committed, and translates what it had not translated to the end. What hears can be changed in the same way.

    Attributes:
        captions: the transcript.
        status: the newest Status.

    Signals:
        status_changed: a Status.
        level_measured: dBFS of the newest audio of a side, and the number of that side.
        time_passed: seconds of the recording so far.
        figures_changed: Figures.
        figure_measured: a Sample, as soon as there is one.
        model_loaded: the Ready of the hearing model.
        language_model_loaded: the Ready of the language model.
        translation_changed: a Translation, which `captions` has.
        noticed: something odd, in one sentence; the session goes on.
        change_refused: what hears could not be changed, in one sentence; it goes on as `hearing` says.
        failed: what ended or prevented a recording, in one sentence.
        engine_crashed: the engine is gone and is not started again by itself; `restart_engine` brings it back.
        began: a recording begins; none of its captions has come.
        finished: a recording has ended, with all its captions final.
    """

    status_changed = Signal(Status)
    level_measured = Signal(float, int)
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
        self._hearing = ChosenHearing(Hearing(model, options, threads))
        self._translations = CaptionTranslations(client, self.captions, translation)
        self._client = client
        self._feed: SidedFeed | None = None
        self._engine = EngineHealth()
        recording = HeardRecording(client, self.captions)
        self._intake = Intake(client, recording, self._translations, self._engine, self)
        self._intake.figure_measured.connect(self.figure_measured)
        self._intake.translation_changed.connect(self.translation_changed)
        self._tick = QTimer(self, interval=TICK_MILLISECONDS)
        self._tick.timeout.connect(self._look)
        self._listen_to(client)

    def _listen_to(self, client: EngineClient) -> None:
        client.model_loaded.connect(self._note_model)
        client.language_model_loaded.connect(self.language_model_loaded)
        client.session_started.connect(self._begin_hearing)
        client.incident_came.connect(self.noticed)
        client.session_finished.connect(self._end_recording)
        client.failed.connect(self._give_up)
        client.got_stuck.connect(self._engine.note_stuck)
        client.crashed.connect(self._notice_crash)

    @property
    def hearing(self) -> Hearing:
        """Return what hears, and how; `change` changes it."""
        return self._hearing.now

    @property
    def model(self) -> str:
        """Name or folder of the hearing model."""
        return self._hearing.now.model

    @property
    def translation(self) -> TranslationChoice | None:
        """Return what captions are translated with; None where they are not. `translate` changes it."""
        return self._translations.choice

    @property
    def is_recording(self) -> bool:
        """Tell whether there is a recording that `stop` would end."""
        return self._feed is not None and self.status.state is not State.FINISHING

    @property
    def is_busy(self) -> bool:
        """Tell whether a recording is under way or being finished."""
        return self._feed is not None

    @property
    def _recording(self) -> HeardRecording:
        """The present one, or the last."""
        return self._intake.recording

    @property
    def clock_seconds(self) -> float:
        """Return the second of the recording at which what is being said now will stand."""
        return self._recording.clock_seconds

    @property
    def recording_start_seconds(self) -> float:
        """Where in the transcript the newest recording begins."""
        return self._recording.start_seconds

    @property
    def speakers(self) -> Mapping[str, str]:
        """Return what the speakers of the newest recording's sides are called now, by what they were at first."""
        return self._recording.names

    def give_audio_to(self, listener: Callable[[Samples], None] | None) -> None:
        """Have somebody take the newest recording's samples, on a thread that records; as it `began`, all of them."""
        self._recording.give_audio_to(listener)

    def call_speakers(self, names: Mapping[str, str]) -> None:
        """Call sides otherwise in captions that are still to come, by what they were called at first."""
        self._recording.names = {own: names.get(own, name) for own, name in self._recording.names.items()}

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
        before = self._hearing.change(model, options, threads)
        if before is not None:
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
            self._translations.ask_for_the_rest()
        elif self._client.is_running:
            self._load()

    def start(self, source: Source) -> None:
        """Caption a source from now on, below what is there already; does nothing while busy."""
        if self._feed is not None:
            return
        self._hearing.prove()
        names = self._names_of(source)
        recording = self._intake.recording = HeardRecording(self._client, self.captions, names)
        self._translations.expect()
        feed = self._feed = SidedFeed(source, [side.audio.add for side in recording.sides], self)
        feed.level_measured.connect(self._note_level)
        feed.noticed.connect(self.noticed)
        feed.interrupted.connect(self.noticed)
        feed.resumed.connect(self.noticed)
        feed.ended.connect(self._end_of_audio)
        feed.failed.connect(self._lose_source)
        self._engine.begin_recording()
        self._client.start()
        self.began.emit()
        self._open_engine_session(recording.begin_session([0.0] * len(names)))
        if source.passes_by:
            feed.start()
        self._tick.start()
        self._look()

    def stop(self) -> None:
        """End the recording; `finished` follows once its last words are there, or at once when asked again."""
        if self._feed is None:
            return
        if self._engine.has_died or not self._feed.has_started or self._feed.is_stopping:
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
        self._engine.begin_anew()
        self._bring_back()

    def shut_down(self) -> None:
        """End recording and engine at once, with what is shown so far."""
        self._tick.stop()
        if self._feed is not None:
            self._recording.close()
            self._feed.wait(seconds=1.0)
            self._feed = None
        self._client.shut_down()

    # --- the engine's sessions ---

    def _load(self) -> None:
        self._client.load(self.hearing.model, self.translation, self.hearing.threads)

    def _bring_back(self) -> None:
        self._engine.has_died = False
        self._client.restart()
        if self._feed is None:
            self._load()
        else:
            self._hear_on(self._feed)
        self._set(State.RESTARTING)

    def _hear_on(self, feed: SidedFeed, *, at_once: bool = False) -> None:
        """Have a new session of the engine go on behind the last committed word; `at_once` with a model it has."""
        hears = self._engine.hears
        self.captions.drop_pending(KEPT_WORDS)
        self._recording.send_again(self._open_engine_session, shown=not at_once)
        if at_once:  # nothing of it is worth being told
            self._engine.hears = hears
        self._translations.ask_for_the_rest()
        if feed.is_over:
            self._client.finish_session()

    def _open_engine_session(self, sides: tuple[Side, ...]) -> None:
        self._engine.hears = False
        hearing = self.hearing
        live = self._feed is not None and self._feed.source.passes_by
        first_id = self.captions.next_id
        self._client.start_session(
            hearing.model, hearing.options, self.translation, hearing.threads, sides, live, first_id
        )

    def _take_up_change(self, before: Hearing) -> None:
        """Hear as is wanted now; where the last words are being written down already, from the next recording on."""
        feed = self._feed
        if self._engine.has_died or not self._client.is_running or (feed and feed.is_stopping):
            return
        same_model = before.model == self.hearing.model
        if sys.platform == "darwin" and before.threads != self.hearing.threads:
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
            self._hearing.prove()
            self._set(State.IDLE)
        self.model_loaded.emit(ready)

    @Slot()
    def _begin_hearing(self) -> None:
        self._engine.hears = True
        self._hearing.prove()
        if self._feed is not None and not self._feed.has_started:
            self._feed.start()
        self._look()

    @Slot()
    def _notice_crash(self) -> None:
        """Start the engine again, unless that has been to no avail: then people are asked."""
        stuck = self._engine.is_stuck
        if not self._engine.survives_crash(self._recording.heard_seconds):
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
        if self._feed is not None and self._hearing.take_back():
            self._hear_on(self._feed)
            self.change_refused.emit(self.tr("{} Captions go on as before.").format(message))
            return
        if self._feed is None and self.status.state in (State.LOADING, State.RESTARTING):
            self._set(State.NO_MODEL)
        self.failed.emit(message)
        if self._feed is not None:
            self._end_recording()

    # --- the recording ---

    def _names_of(self, source: Source) -> Sequence[str]:
        return (self.tr("You"), self.tr("Call")) if isinstance(source, TwoSides) else ("",)

    @Slot(float, int)
    def _note_level(self, dbfs: float, side: int) -> None:
        self._recording.note_level(dbfs, side)
        self.level_measured.emit(dbfs, side)

    @Slot()
    def _end_of_audio(self) -> None:
        if self.sender() is self._feed and not self._engine.has_died:
            self._client.finish_session()
            self._set(State.FINISHING)

    @Slot(str)
    def _lose_source(self, message: str) -> None:
        if self.sender() is not self._feed:
            return
        self.failed.emit(message)
        if self._recording.seconds > 0:
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
        self._recording.close()
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
        state = state_of(self._feed, recording, self._engine, self.status.state)
        shed = Shed.NOTHING if state is State.FINISHING else recording.shed  # what is left is heard, however late
        self._set(state, recording.behind_seconds, shed)
        self.time_passed.emit(recording.seconds)
        self.figures_changed.emit(recording.meter.figures)

    def _set(self, state: State, behind_seconds: float = 0.0, shed: Shed = Shed.NOTHING) -> None:
        status = Status(state, round(max(behind_seconds, 0.0)) if state is State.BEHIND else 0.0, shed)
        if status != self.status:
            self.status = status
            self.status_changed.emit(status)
