"""The caption session of the window: a source, the engine, the transcript and the state."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from app.captions.figures import Figures, Sample
from app.captions.recording import Recording
from app.captions.state import State, Status
from app.engine_link.crashes import Link
from app.engine_link.engine_client import EngineClient
from app.engine_link.unbroken_captions import Hearing, UnbrokenCaptions
from app.engine_link.uncovered_audio import UncoveredAudio
from app.sound.audio_sources import AudioFile, Microphone, Source, TwoSides, hears_room, sides_of
from app.sound.sided_feed import SidedFeed
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import UNSURE
from app.transcript.time_of_day import Clock
from engine.audio import Samples
from engine.events import Caption, KnownVoice, LoadShed, RoundStats, SpeakerLabel, Translation
from engine.machine.threads import ThreadAllocation
from engine.options import CaptionOptions
from engine.process.messages import Ready, TranslationChoice

if TYPE_CHECKING:
    from app.sound.alignment import Deliver

TICK_MILLISECONDS = 200
BEHIND_SECONDS = 2.5
"""Audio that may wait for the engine before people are told."""

_WITHOUT_HEARING = {
    Link.LOADING: State.LOADING,
    Link.RESTARTING: State.RESTARTING,
    Link.NO_MODEL: State.NO_MODEL,
    Link.STOPPED: State.ENGINE_STOPPED,
}

__all__ = ["Hearing", "LiveSession", "State", "Status"]


class LiveSession(QObject):
    """Captions one source at a time, which may have two sides, into one transcript.

    Attributes:
        captions: the transcript.
        clock: when the seconds of the transcript were, if that is known.
        known_voices: returns the voices that a new recording knows by name.
        without_own_voice: removes what Earshot says itself from a microphone's samples, on the thread that records.
        status: the newest Status.

    Signals:
        status_changed: a Status.
        level_measured: dBFS of the newest audio of a side, and the number of that side.
        time_passed: seconds of the recording so far.
        figures_changed: Figures.
        figure_measured: a Sample, as soon as there is one.
        model_loaded: the Ready of the hearing model.
        language_model_loaded: the Ready of the language model.
        noticed: a problem that does not end the session, in one sentence.
        flawed: a fault of the source itself, in one sentence.
        change_refused: why a change of `hearing` was undone, in one sentence.
        failed: why a recording ended or did not begin, in one sentence.
        engine_crashed: the engine crashed too often; `restart_engine` starts it again.
        began: a recording begins; it has no captions yet.
        paused: a recording rests; all its captions so far are final.
        resumed: it goes on.
        finished: a recording has ended; all its captions are final.
        voice_named: a person has given this name to the speaker with this voice print.
    """

    status_changed = Signal(Status)
    level_measured = Signal(float, int)
    time_passed = Signal(float)
    figures_changed = Signal(Figures)
    figure_measured = Signal(Sample)
    model_loaded = Signal(Ready)
    language_model_loaded = Signal(Ready)
    noticed = Signal(str)
    flawed = Signal(str)
    change_refused = Signal(str)
    failed = Signal(str)
    engine_crashed = Signal()
    began = Signal()
    paused = Signal()
    resumed = Signal()
    finished = Signal()
    voice_named = Signal(str, bytes)

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
        self.known_voices: Callable[[], Sequence[KnownVoice]] = lambda: ()
        self.without_own_voice: Callable[[Samples], Samples] = lambda chunk: chunk
        self._client = client
        self._link = UnbrokenCaptions(client, Hearing(model, options, threads), translation, self)
        self._feed: SidedFeed | None = None
        self._pauses = False  # whether what is being finished will go on
        self._paused: Source | None = None  # what will go on
        self.clock: Clock = ()
        self._begin_seconds = 0.0  # of the recording in the transcript, whatever pauses it had
        self._recording = Recording(UncoveredAudio(1, client.send_audio), {"": ""})  # the present one, or the last
        self._tick = QTimer(self, interval=TICK_MILLISECONDS)
        self._tick.timeout.connect(self._look)
        self._listen_to(self._link)
        client.model_loaded.connect(self.model_loaded)
        client.language_model_loaded.connect(self.language_model_loaded)

    def _listen_to(self, link: UnbrokenCaptions) -> None:
        link.caption_changed.connect(self._show)
        link.speaker_labelled.connect(self._label)
        link.translation_changed.connect(self._show_translation)
        link.round_measured.connect(self._count_round)
        link.state_changed.connect(self._follow_link)
        link.noticed.connect(self.noticed)
        link.change_refused.connect(self._begin_measuring)
        link.change_refused.connect(self.change_refused)
        link.failed.connect(self._give_up)
        link.finished.connect(self._end_recording)

    @property
    def hearing(self) -> Hearing:
        """Return what hears, and how; `change` changes it."""
        return self._link.hearing

    @property
    def model(self) -> str:
        """Return the name or folder of the hearing model."""
        return self._link.hearing.model

    @property
    def translation(self) -> TranslationChoice | None:
        """Return what captions are translated with; None where they are not. `translate` changes it."""
        return self._link.translation

    @property
    def is_recording(self) -> bool:
        """Return whether there is a recording that `stop` would end."""
        return self._feed is not None and self.status.state is not State.FINISHING

    @property
    def is_busy(self) -> bool:
        """Return whether a recording is under way, paused, or being finished."""
        return self._feed is not None or self.is_paused

    @property
    def is_paused(self) -> bool:
        """Return whether the recording rests until `resume`."""
        return self._paused is not None

    @property
    def source(self) -> Source | None:
        """Return what is being recorded."""
        return self._feed.source if self._feed is not None else None

    @property
    def clock_seconds(self) -> float:
        """Return the second of the recording, since its last pause, at which what is being said now will stand."""
        return self._recording.clock_seconds

    @property
    def recording_start_seconds(self) -> float:
        """Return the second of the transcript at which the newest recording begins, or went on after a pause."""
        return self._recording.start_seconds

    @property
    def speakers(self) -> Mapping[str, str]:
        """Return what the speakers of the newest recording's sides are called now, by what they were at first."""
        return self._recording.names

    def give_audio_to(self, listener: Callable[[Samples], None] | None) -> None:
        """Pass the newest recording's samples to a listener, on a thread that records; as it `began`, all of them."""
        self._recording.give_audio_to(listener)

    def call_speakers(self, names: Mapping[str, str]) -> None:
        """Rename sides, by their first names, in captions that are still to come."""
        before = self._recording.names
        self._recording.names = {own: names.get(own, name) for own, name in before.items()}
        for own, name in self._recording.names.items():
            if name not in (before[own], *before) and (voice := self._link.voice_of(own)):
                self.voice_named.emit(name, voice)

    # --- what is asked for ---

    def prepare(self) -> None:
        """Start the engine and load the models ahead of the first recording."""
        self._link.prepare()

    def change(self, hearing: Hearing) -> None:
        """Change what hears, from now on; nothing that was said is lost.

        While the last words of a recording are being heard, the change applies from the next recording on. A change
        that cannot be made is undone, and `change_refused` says why.
        """
        at_once = self._feed is None or not self._feed.is_stopping
        if self._link.change(hearing, at_once=at_once):
            self._begin_measuring()

    def translate(self, translation: TranslationChoice | None) -> None:
        """Change the translation of the open caption and of those to come, or stop it; finished translations stay.

        Captions that are still waiting for their translation get it the new way.
        """
        if translation == self.translation:
            return
        if translation is None:
            self.captions.drop_open_translations()  # half a sentence, for which nothing more will come
        self._recording.meter.begin_translating()
        self._link.translate(translation)

    def start(self, source: Source) -> None:
        """Caption a source, below what the transcript holds already; do nothing while busy."""
        if self.is_busy:
            return
        self._begin_seconds = self.captions.next_seconds
        self._begin(source, {}, self._begin_seconds, self.began)

    def pause(self) -> None:
        """Let the recording rest; `paused` follows once its last words are there."""
        if self.is_recording:
            self._pauses = True
            self.stop()

    def resume(self) -> None:
        """Let a paused recording go on: what is said from now on follows what was said before the pause."""
        source, self._paused = self._paused, None
        if source is None:
            return
        before = self._recording
        at = before.start_seconds + before.seconds
        if isinstance(source, AudioFile):
            source = replace(source, begin_seconds=at - self._begin_seconds)
        self._begin(source, before.names, at, self.resumed)

    def _begin(self, source: Source, names: Mapping[str, str], at_seconds: float, begun: SignalInstance) -> None:
        """Begin to caption a source at a second of the transcript; `names` are as in `speakers`."""
        earlier = tuple(each for each in self.clock if each[0] < at_seconds)
        self.clock = (*earlier, (at_seconds, time.time())) if source.passes_by else ()
        sides = self._names_of(source)
        audio = UncoveredAudio(len(sides), self._client.send_audio, at_seconds)
        self._recording = Recording(audio, {own: own for own in sides} | dict(names), len(sides))
        deliver = [partial(audio.add, side=side) for side in range(len(sides))]
        feed = self._feed = SidedFeed(source, [self._here_cleaned(source, deliver[0]), *deliver[1:]], self)
        feed.level_measured.connect(self._note_level)
        feed.noticed.connect(self.noticed)
        feed.flawed.connect(self.flawed)
        feed.interrupted.connect(self.noticed)
        feed.resumed.connect(self.noticed)
        feed.ended.connect(self._end_of_audio)
        feed.failed.connect(self._lose_source)
        begun.emit()
        voices = [f"{side} {{}}" if side else self.tr("Speaker {}") for side in sides]
        first_id = self.captions.next_id
        self._link.start(
            audio,
            sides,
            first_id,
            live=source.passes_by,
            voices=voices,
            goes_on=begun is self.resumed,
            known=self.known_voices() if self.hearing.options.speakers else (),
        )
        if source.passes_by:
            feed.start()
        self._tick.start()
        self._look()

    def _here_cleaned(self, source: Source, deliver: Deliver) -> Deliver:
        """Return what takes the first side's chunks, and removes Earshot's own voice if that is a microphone."""
        return (lambda chunk: deliver(self.without_own_voice(chunk))) if hears_room(sides_of(source)[0]) else deliver

    def stop(self) -> None:
        """End the recording; `finished` follows once its last words are there, or at once when asked again."""
        feed = self._feed
        if feed is None:
            self._end_pause()
            return
        if self._pauses and feed.is_stopping:
            self._pauses = False
            return
        if self._link.state is not Link.STOPPED and feed.has_started and not feed.is_stopping:
            feed.stop()
            return
        is_untranslated = self._link.stop()
        self._end_recording()
        if is_untranslated:
            self.noticed.emit(self.tr("The recording was stopped at once, so the last captions have no translation."))

    def restart_engine(self) -> None:
        """Replace the engine process, dead or alive, by another one; no word is lost."""
        self._link.restart()

    def shut_down(self) -> None:
        """End recording and engine at once; what is shown stays."""
        self._tick.stop()
        if self._feed is not None:
            self._recording.close()
            self._feed.wait(seconds=1.0)
            self._feed = None
        self._link.shut_down()

    # --- what the engine says ---

    @Slot(Caption)
    def _show(self, caption: Caption) -> None:
        recording = self._recording
        nobody = UNSURE if self.hearing.options.speakers and self._feed is not None else ""
        speaker = recording.names.get(caption.speaker, caption.speaker) or nobody
        self.captions.show(replace(caption, speaker=speaker))
        if not (caption.is_gap or caption.first_text):  # the delay and the steadiness are those of live words
            self._tell_measured(recording.meter.add_caption(caption, recording.clock_seconds + recording.start_seconds))

    @Slot(SpeakerLabel)
    def _label(self, label: SpeakerLabel) -> None:
        """Set the speaker of a caption, unless a person has set it."""
        recording = self._recording
        if not label.speaker:
            return
        name = recording.names.setdefault(label.speaker, label.speaker)
        before = recording.labels.get(label.id)
        own = {"", UNSURE, *recording.side_names()} if before is None else {recording.names[before]}
        recording.labels[label.id] = label.speaker
        self.captions.label(label.id, name, instead_of=own)

    @Slot(Translation)
    def _show_translation(self, translation: Translation) -> None:
        self.captions.translate(translation)
        self._tell_measured(self._recording.meter.add_translation(translation))

    @Slot(RoundStats)
    def _count_round(self, stats: RoundStats) -> None:
        self._tell_measured(self._recording.meter.add_round(stats, self._link.heard_seconds))

    def _tell_measured(self, samples: Sequence[Sample]) -> None:
        for sample in samples:
            self.figure_measured.emit(sample)

    @Slot()
    def _begin_measuring(self) -> None:
        self._recording.meter.begin_hearing()

    @Slot(Link)
    def _follow_link(self, link: Link) -> None:
        if self._feed is None:
            self._set(_WITHOUT_HEARING.get(link, State.PAUSED if self.is_paused else State.IDLE))
        elif link is Link.HEARS and not self._feed.has_started:
            self._feed.start()
        self._look()
        if link is Link.STOPPED:
            self.engine_crashed.emit()

    @Slot(str)
    def _give_up(self, message: str) -> None:
        self._pauses = False
        self.failed.emit(message)
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
        if self.sender() is self._feed:
            self._link.finish()
            self._look()

    @Slot(str)
    def _lose_source(self, message: str) -> None:
        if self.sender() is not self._feed:
            return
        self._pauses = False
        self.failed.emit(message)
        if self._recording.seconds > 0:
            self._link.finish()
            self._look()
        else:
            self._link.stop()
            self._end_recording()

    @Slot()
    def _end_recording(self) -> None:
        """End the recording, whether all of it was heard or not."""
        if self._feed is None:
            return
        self._look()
        self._tick.stop()
        self._recording.close()
        self.captions.drop_dashes()
        self._feed.stop()
        source, self._feed = self._feed.source, None
        if self._pauses:
            self._pauses, self._paused = False, source
            self._set(State.PAUSED)
            self.paused.emit()
        else:
            self._finish()

    def _end_pause(self) -> None:
        if self.is_paused:
            self._paused = None
            self._finish()

    def _finish(self) -> None:
        self._set(State.FINISHED if self.captions.rowCount() else State.IDLE)
        self.finished.emit()

    @Slot()
    def _look(self) -> None:
        """Publish the present state, time and figures."""
        if self._feed is None:
            return
        recording, link = self._recording, self._link
        state = self._state_of(self._feed)
        shed = LoadShed.NOTHING if state is State.FINISHING else link.shed  # what is left is heard, however late
        self._set(state, link.behind_seconds, shed)
        self.time_passed.emit(recording.start_seconds + recording.seconds - self._begin_seconds)
        self.figures_changed.emit(recording.meter.figures)

    def _state_of(self, feed: SidedFeed) -> State:
        """Return what the recording is doing."""
        link, recording = self._link, self._recording
        if link.state is not Link.HEARS:
            return _WITHOUT_HEARING[link.state]
        if feed.is_over:
            return State.FINISHING
        if feed.source.passes_by and not recording.seconds:
            return State.OPENING
        if feed.is_interrupted:
            return State.NO_SOURCE
        if link.behind_seconds > BEHIND_SECONDS:
            return State.BEHIND
        if feed.source.passes_by and recording.is_silent:
            return State.NO_SOUND
        return State.HEARING if link.is_speaking else State.LISTENING

    def _set(self, state: State, behind_seconds: float = 0.0, shed: LoadShed = LoadShed.NOTHING) -> None:
        source = self.source
        status = Status(
            state,
            round(max(behind_seconds, 0.0)) if state is State.BEHIND else 0.0,
            shed,
            of_computer=isinstance(source, Microphone) and source.is_monitor,
            half_silent=isinstance(source, TwoSides) and self._recording.is_side_silent(0),
        )
        if status != self.status:
            self.status = status
            self.status_changed.emit(status)
