"""One live caption session as the window knows it: a source, the engine, the transcript, and an honest state."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.audio_feed import QUIETEST_DBFS, AudioFeed
from app.audio_sources import AudioSource
from app.captions.caption_model import CaptionModel
from app.captions.figures import FigureMeter, Figures
from app.captions.timeline import Place
from app.captions.uncommitted_audio import UncommittedAudio
from app.engine_client import EngineClient
from engine.events import Caption, RoundStats, Translation
from engine.messages import Progress, Ready, TranslationChoice
from engine.options import CaptionOptions

BEHIND_SECONDS = 2.5
DEAD_SILENCE_SECONDS = 3.0
TICK_MILLISECONDS = 200


class State(Enum):
    """What is going on.

    Attributes:
        IDLE, FINISHED: nothing; before and after a recording.
        OPENING: the microphone has not delivered anything yet.
        LOADING: the engine is not ready yet; a microphone is recorded meanwhile, a file waits.
        NO_MODEL: the model could not be loaded.
        LISTENING, HEARING: all is well; without and with speech.
        NO_SOUND: the microphone delivers nothing but zeros, as one does that is muted or denied.
        BEHIND: audio is waiting for the engine.
        FINISHING: the source is through, the last words are still to come.
        ENGINE_STOPPED, RESTARTING: the engine crashed; a microphone is recorded meanwhile.
    """

    IDLE = auto()
    OPENING = auto()
    LOADING = auto()
    NO_MODEL = auto()
    LISTENING = auto()
    HEARING = auto()
    NO_SOUND = auto()
    BEHIND = auto()
    FINISHING = auto()
    FINISHED = auto()
    ENGINE_STOPPED = auto()
    RESTARTING = auto()


@dataclass(frozen=True, slots=True)
class Status:
    """A state, and how much audio is waiting for the engine."""

    state: State
    behind_seconds: float = 0.0


class LiveSession(QObject):
    """Captions one source at a time into one transcript.

    The engine may crash at any moment: the recording goes on meanwhile, and `restart_engine` has the new engine hear
    what the old one had not committed, and translate what it had not translated to the end.

    Attributes:
        captions: the transcript.
        model: name or folder of the hearing model.
        translation: what captions are translated with; None where they are not. `translate` changes it.
        status: the newest Status.

    Signals:
        status_changed: a Status.
        level_measured: dBFS of the newest audio.
        time_passed: seconds of the recording so far.
        figures_changed: Figures.
        model_loaded: the Ready of the hearing model.
        language_model_loaded: the Ready of the language model.
        translation_changed: a Translation, with the id that its caption has in the transcript; `captions` has it.
        noticed: something odd, in one sentence; the session goes on.
        failed: what ended or prevented a recording, in one sentence.
        engine_crashed: the engine is gone; `restart_engine` brings it back.
        finished: a recording has ended, with all its captions final.
    """

    status_changed = Signal(Status)
    level_measured = Signal(float)
    time_passed = Signal(float)
    figures_changed = Signal(Figures)
    model_loaded = Signal(Ready)
    language_model_loaded = Signal(Ready)
    translation_changed = Signal(Translation)
    noticed = Signal(str)
    failed = Signal(str)
    engine_crashed = Signal()
    finished = Signal()

    def __init__(
        self,
        client: EngineClient,
        model: str,
        options: CaptionOptions,
        parent: QObject | None = None,
        translation: TranslationChoice | None = None,
    ) -> None:
        super().__init__(parent)
        self.captions = CaptionModel(self)
        self.model = model
        self.translation = translation
        self.status = Status(State.IDLE)
        self._options = options
        self._client = client
        self._feed: AudioFeed | None = None
        self._audio = UncommittedAudio(client.send_audio)
        self._meter = FigureMeter()
        self._recording_start = 0.0  # seconds of the transcript
        self._session_start = 0.0  # seconds of the recording at which the engine's session begins
        self._place = Place()
        self._first_translated = 0  # id of the first caption that is to have a translation
        self._translated: set[int] = set()  # ids of captions whose translation will not change any more
        self._clock_zero = math.inf  # time.monotonic() of the recording's first sample
        self._engine_hears = False
        self._engine_died = False
        self._speaking = False
        self._heard_seconds = 0.0  # of the recording
        self._sound_at = 0.0  # seconds of the recording at which there was last any
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
        client.crashed.connect(self._notice_crash)

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
        return time.monotonic() - self._clock_zero

    def prepare(self) -> None:
        """Start the engine and have it load the models, ahead of the first recording."""
        self._client.start()
        self._client.load(self.model, self.translation)
        self._set(State.LOADING)

    def translate(self, translation: TranslationChoice | None) -> None:
        """Translate otherwise from the caption that is being spoken on, or no longer; what is translated stays.

        Captions that are still waiting for their translation are translated the new way.
        """
        if translation == self.translation:
            return
        waiting = [each.id for each in self._untranslated()]
        self.translation = translation
        self._expect_translations()
        self._first_translated = min([self._first_translated, *waiting])
        if translation is None:
            self.captions.drop_open_translations()  # half a sentence, for which nothing more will come
        if self._feed is not None:
            self._client.translate(translation)
            self._translate_what_is_left()
        elif self._client.is_running:
            self._client.load(self.model, translation)

    def start(self, source: AudioSource) -> None:
        """Caption a source from now on, below what is there already; does nothing while busy."""
        if self._feed is not None:
            return
        self._recording_start = float(math.ceil(self.captions.end_seconds))
        self._clock_zero = math.inf
        self._heard_seconds = self._sound_at = 0.0
        self._meter = FigureMeter()
        self._expect_translations()
        self._audio = UncommittedAudio(self._client.send_audio)
        feed = self._feed = AudioFeed(source, self._audio.add, self)
        feed.level_measured.connect(self._note_level)
        feed.noticed.connect(self.noticed)
        feed.ended.connect(self._end_of_audio)
        feed.failed.connect(self._lose_source)
        self._engine_died = False
        self._client.start()
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
            untranslated = self._untranslated()
            self._end_recording()
            if untranslated:
                self.noticed.emit(self.tr("The recording was ended at once: the last captions have no translation."))
        else:
            self._feed.stop()

    def restart_engine(self) -> None:
        """After a crash: have a new engine hear what the old one had not committed, and go on."""
        self._engine_died = False
        self._client.start()
        if self._feed is None:
            self._client.load(self.model, self.translation)
            self._set(State.RESTARTING)
            return
        self.captions.settle()
        self._open_engine_session(self._audio.start_seconds)
        self._translate_what_is_left()
        self._audio.send_again()
        if self._feed.is_over:
            self._client.finish_session()
        self._set(State.RESTARTING)

    def shut_down(self) -> None:
        """End recording and engine at once, with what is shown so far."""
        self._tick.stop()
        if self._feed is not None:
            self._audio.close()
            self._feed.wait(seconds=1.0)
            self._feed = None
        self._client.shut_down()

    def _open_engine_session(self, start_seconds: float) -> None:
        self._engine_hears = False
        self._speaking = False
        self._session_start = start_seconds
        self._heard_seconds = start_seconds
        self._place = Place(self.captions.next_id, self._recording_start + start_seconds)
        self._client.start_session(self.model, self._options, self.translation)

    def _expect_translations(self) -> None:
        """From the caption on that is being spoken, or else the next one."""
        still_open = (each.id for each in self.captions.captions if not each.final)
        self._first_translated = min(still_open, default=self.captions.next_id)
        self._translated.clear()

    def _translate_what_is_left(self) -> None:
        """Have the final captions translated of which the engine will say nothing more by itself."""
        still_open = {each.id for each in self.captions.captions if not each.final}
        left = [each for each in self._untranslated() if each.id not in still_open]
        if left:
            self._client.translate_also(replace(each, id=each.id - self._place.first_id) for each in left)

    def _untranslated(self) -> tuple[Caption, ...]:
        """Captions that are final, or would be if the recording ended here, and whose translation is not."""
        if self.translation is None:
            return ()
        kept = (each for each in self.captions.final_captions() if each.id >= self._first_translated)
        return tuple(each for each in kept if each.id not in self._translated)

    @Slot(Ready)
    def _note_model(self, ready: Ready) -> None:
        if self._feed is None:
            self._set(State.IDLE)
        self.model_loaded.emit(ready)

    @Slot()
    def _begin_hearing(self) -> None:
        self._engine_hears = True
        if self._feed is not None and not self._feed.has_started:
            self._feed.start()
        self._look()

    @Slot(Caption)
    def _show(self, caption: Caption) -> None:
        placed = self._place.of(caption)
        self.captions.show(placed)
        self._meter.add_caption(placed, self.clock_seconds + self._recording_start)
        if caption.committed:
            self._audio.committed(self._session_start + caption.committed[-1].end)

    @Slot(Translation)
    def _show_translation(self, translation: Translation) -> None:
        if self.translation is None or translation.language != self.translation.options.target:
            return  # it was under way while translation was turned off or changed
        placed = self._place.of_translation(translation)
        if placed.final:
            self._translated.add(placed.id)
        self.captions.translate(placed)
        self.translation_changed.emit(placed)

    @Slot(RoundStats)
    def _count_round(self, stats: RoundStats) -> None:
        self._meter.add_round(stats, self._heard_seconds)

    @Slot(Progress)
    def _note_progress(self, progress: Progress) -> None:
        self._heard_seconds = self._session_start + progress.audio_seconds
        self._speaking = progress.speaking
        self._audio.heard(self._heard_seconds)

    @Slot(float)
    def _note_level(self, dbfs: float) -> None:
        recorded = self._audio.seconds
        # Chunks may come late, never early: the earliest reckoning is the truest.
        self._clock_zero = min(self._clock_zero, time.monotonic() - recorded)
        if dbfs > QUIETEST_DBFS:
            self._sound_at = recorded
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
        if self._audio.seconds > 0:
            self._end_of_audio()
        else:
            self._client.drop_session()
            self._end_recording()

    @Slot(str)
    def _give_up(self, message: str) -> None:
        self.failed.emit(message)
        if self._feed is not None:
            self._end_recording()
        elif self.status.state in (State.LOADING, State.RESTARTING):
            self._set(State.NO_MODEL)

    @Slot()
    def _notice_crash(self) -> None:
        self._engine_died = True
        self._engine_hears = False
        self._set(State.ENGINE_STOPPED)
        self.engine_crashed.emit()

    @Slot()
    def _end_recording(self) -> None:
        """Close the books, whether all was heard or not."""
        if self._feed is None:
            return
        self._look()
        self._tick.stop()
        self._audio.close()
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
        behind = self._audio.seconds - self._heard_seconds
        self._set(self._state(self._feed, behind), behind)
        self.time_passed.emit(self._audio.seconds)
        self.figures_changed.emit(self._meter.figures)

    def _state(self, feed: AudioFeed, behind: float) -> State:
        if self._engine_died:
            return State.ENGINE_STOPPED
        if not self._engine_hears:
            return State.RESTARTING if self.status.state is State.RESTARTING else State.LOADING
        if feed.is_over:
            return State.FINISHING
        if feed.source.passes_by and not self._audio.seconds:
            return State.OPENING
        if behind > BEHIND_SECONDS:
            return State.BEHIND
        if feed.source.passes_by and self._audio.seconds - self._sound_at > DEAD_SILENCE_SECONDS:
            return State.NO_SOUND
        return State.HEARING if self._speaking else State.LISTENING

    def _set(self, state: State, behind_seconds: float = 0.0) -> None:
        status = Status(state, round(max(behind_seconds, 0.0)) if state is State.BEHIND else 0.0)
        if status != self.status:
            self.status = status
            self.status_changed.emit(status)
