"""Captions that outlive the engine process that makes them.

A recording is heard by one engine session after another: a process may crash or get stuck, and a person may want it
heard by another model. What the next session needs is kept here: the audio that no committed word covers, the newest
committed words, the captions that are open, those that wait for their translation, and the hearing to fall back to.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal, Slot

from app.engine_link.crashes import Crashes, Link, after_crash
from app.engine_link.engine_client import EngineClient
from app.engine_link.uncovered_audio import UncoveredAudio
from engine.events import (
    FIRST_CAPTION,
    Caption,
    KnownVoice,
    LoadShed,
    RoundStats,
    Side,
    SpeakerLabel,
    Translation,
    Word,
)
from engine.machine.threads import ThreadAllocation
from engine.options import CaptionOptions
from engine.process.messages import Progress, TranslationChoice

KEPT_WORDS = 200
"""Most committed words that another session is told: more than a prompt or the audio that is heard again can hold."""

ACHIEVED_SECONDS = 5.0
"""Audio heard beyond the place of the last crash, after which an engine has achieved something."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """The model that hears, and how it does.

    Attributes:
        model: name or folder of the hearing model.
        threads: what it may use; None is what `earshot profile` found best.
    """

    model: str
    options: CaptionOptions
    threads: ThreadAllocation | None = None


@dataclass(slots=True)
class _HeardSide:
    """One side of the recording, as far as it is heard.

    Attributes:
        heard_seconds: second of the transcript up to which it was heard.
        speaking: whether the newest of that is speech.
        shed: what is left out, since the machine is too slow.
        words: the newest committed words, in order.
        counts: how many words of an open caption are among them, by its id.
        voice_name: name of a voice that is told apart on it, with a place for its number.
        voices: the print of each of these voices, by its name.
    """

    speaker: str
    heard_seconds: float
    speaking: bool = False
    shed: LoadShed = LoadShed.NOTHING
    words: deque[Word] = field(default_factory=lambda: deque(maxlen=KEPT_WORDS))
    counts: dict[int, int] = field(default_factory=dict)
    voice_name: str = "Speaker {}"
    voices: dict[str, bytes] = field(default_factory=dict)

    def keep(self, caption: Caption) -> None:
        """Keep the committed words of a caption that are new.

        Better words of a final caption are left out: another session finds the words again that were heard live.
        """
        if caption.first_text:
            return
        self.words.extend(caption.committed[max(self.counts.get(caption.id, 0), caption.moved) :])
        if caption.final:
            self.counts.pop(caption.id, None)
        elif caption.committed:
            self.counts[caption.id] = len(caption.committed)


class UnbrokenCaptions(QObject):
    """Captions of one recording at a time, by an engine that is started again when it crashes.

    No word is lost or doubled. Captions and translations have the ids and seconds of the transcript.

    Attributes:
        state: the newest Link.
        hearing: what hears; `change` changes it.
        translation: what captions are translated with; None where they are not. `translate` changes it.

    Signals:
        caption_changed: a Caption; one without words was taken back.
        translation_changed: a Translation.
        speaker_labelled: a SpeakerLabel.
        round_measured: the RoundStats of a round.
        state_changed: the Link, as often as it is determined.
        noticed: a problem that was solved, in one sentence.
        change_refused: why a change of `hearing` was undone, in one sentence.
        failed: why a recording ended or did not begin, in one sentence.
        finished: the recording has ended; all its captions are final and translated.
    """

    caption_changed = Signal(Caption)
    translation_changed = Signal(Translation)
    speaker_labelled = Signal(SpeakerLabel)
    round_measured = Signal(RoundStats)
    state_changed = Signal(Link)
    noticed = Signal(str)
    change_refused = Signal(str)
    failed = Signal(str)
    finished = Signal()

    def __init__(
        self, client: EngineClient, hearing: Hearing, translation: TranslationChoice | None, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.state = Link.LOADING
        self.hearing = hearing
        self.translation = translation
        self._client = client
        self._fallback: Hearing | None = None  # what heard before a change that has not shown to work
        self._crashes = Crashes()
        self._died_at = 0.0  # second up to which the engine had heard when it crashed last
        self._is_stuck = False
        self._audio: UncoveredAudio | None = None  # of the present recording
        self._sides: tuple[_HeardSide, ...] = ()  # of the newest recording
        self._is_live = self._is_finishing = False
        self._is_catching_up = self._has_waiting_change = False  # a session heard again has told nothing; one waits
        self._next_id = FIRST_CAPTION
        self._open: dict[int, Caption] = {}  # captions that are not final, the newest last
        self._untranslated: dict[int, Caption] = {}  # final captions whose translation is not
        self._unlabelled: dict[int, int] = {}  # the side of each final caption whose speaker is told apart, by its id
        client.caption_changed.connect(self._handle_caption)
        client.translation_changed.connect(self._handle_translation)
        client.speaker_labelled.connect(self._handle_label)
        client.round_measured.connect(self.round_measured)
        client.progressed.connect(self._note_progress)
        client.incident_came.connect(self.noticed)
        client.model_loaded.connect(self._note_model)
        client.session_started.connect(self._note_session)
        client.session_finished.connect(self._finish)
        client.failed.connect(self._fail)
        client.got_stuck.connect(self._note_stuck)
        client.crashed.connect(self._note_crash)

    @property
    def behind_seconds(self) -> float:
        """Return how much audio of the recording is waiting for the engine."""
        audio = self._audio
        if audio is None:
            return 0.0
        ends = (audio.start_seconds + audio.seconds_of(number) for number in range(len(self._sides)))
        return max(end - side.heard_seconds for end, side in zip(ends, self._sides, strict=True))

    @property
    def is_speaking(self) -> bool:
        """Return whether the newest audio that was heard is speech."""
        return any(side.speaking for side in self._sides)

    @property
    def shed(self) -> LoadShed:
        """Return what the engine leaves out, since the machine is too slow."""
        return max((side.shed for side in self._sides), default=LoadShed.NOTHING)

    @property
    def heard_seconds(self) -> float:
        """Return the second of the transcript up to which was heard."""
        return max((side.heard_seconds for side in self._sides), default=0.0)

    # --- what is asked for ---

    def prepare(self) -> None:
        """Start the engine and load the models ahead of the first recording."""
        self._client.start()
        self._load()
        self._set(Link.LOADING)

    def start(
        self,
        audio: UncoveredAudio,
        speakers: Sequence[str],
        first_id: int,
        *,
        live: bool,
        voices: Sequence[str] = (),
        goes_on: bool = False,
        known: Sequence[KnownVoice] = (),
    ) -> None:
        """Caption what is added to `audio` from now on, which has one side for each speaker.

        Its first caption is `first_id`; `live` says that the audio passes by. `voices` are the names of voices that are
        told apart on each side, with a place for the number; the `known` ones have names, and so have those of the last
        recording where it `goes_on`. An engine that has stopped is started again.
        """
        if self.state is Link.STOPPED:
            self._crashes = Crashes()
        self._fallback = None
        self._died_at = audio.start_seconds
        self._is_live, self._is_finishing = live, False
        self._is_catching_up = self._has_waiting_change = False
        self._next_id = first_id
        remembered = {voice.name: voice.voice_print for voice in known}
        heard = [side.voices for side in self._sides] if goes_on else [{} for _ in speakers]
        named = voices or [Side().voice_name] * len(speakers)
        self._sides = tuple(
            _HeardSide(speaker, audio.start_seconds, voice_name=voice, voices=remembered | before)
            for speaker, voice, before in zip(speakers, named, heard, strict=True)
        )
        self._unlabelled.clear()
        self._audio = audio
        self._client.start()
        self._begin_session(audio.starts)
        self._set(Link.LOADING)

    def voice_of(self, name: str) -> bytes:
        """Return the voice print of a speaker who was told apart in the newest recording; empty if there is none."""
        return next((side.voices[name] for side in self._sides if name in side.voices), b"")

    def change(self, hearing: Hearing, *, at_once: bool) -> bool:
        """Change what hears, `at_once` or from the next recording on; return False if nothing changes.

        Another session hears again what no committed word covers, so that nothing that was said is lost. Until it has
        got somewhere, further changes of the same model wait and are made together: quick ones hold no captions up.
        """
        before, self.hearing = self.hearing, hearing
        if hearing == before:
            return False
        self._fallback = self._fallback or before
        if not at_once or self.state is Link.STOPPED or not self._client.is_running:
            return True
        if sys.platform == "darwin" and hearing.threads != before.threads:
            self._bring_back()  # there a process reads its number of threads once
            return True
        same_model = hearing.model == before.model
        if self._audio is None:
            self._load()
        elif same_model and self._is_catching_up:
            self._has_waiting_change = True
        else:
            self._hear_on(self._audio, quietly=same_model)
        if not same_model:
            self._set(Link.LOADING)
        return True

    def translate(self, translation: TranslationChoice | None) -> None:
        """Change the translation of open captions and of those to come, or stop it; finished translations stay.

        Captions that wait for their translation get it the new way.
        """
        self.translation = translation
        if translation is None:
            self._untranslated.clear()
        if self._audio is not None:
            self._client.translate(translation)
            self._ask_for_translations()
        elif self._client.is_running:
            self._load()

    def finish(self) -> None:
        """Finish the recording, of which all audio has been added; `finished` follows."""
        self._is_finishing = True
        if self.state is not Link.STOPPED:
            self._client.finish_session()

    def stop(self) -> bool:
        """End the recording at once; return whether captions are left without their translation."""
        self._client.drop_session()
        return self._close()

    def restart(self) -> None:
        """Replace the engine process by another one, which goes on where it was; forget earlier crashes."""
        self._crashes = Crashes()
        self._bring_back()

    def shut_down(self) -> None:
        """End recording and engine at once."""
        if self._audio is not None:
            self._audio.close()
        self._client.shut_down()

    # --- the engine's sessions ---

    def _set(self, state: Link) -> None:
        self.state = state
        self.state_changed.emit(state)

    def _load(self) -> None:
        self._client.load(self.hearing.model, self.translation, self.hearing.threads)

    def _bring_back(self) -> None:
        self._client.restart()
        if self._audio is None:
            self._load()
        else:
            self._hear_on(self._audio)
        self._set(Link.RESTARTING)

    def _hear_on(self, audio: UncoveredAudio, *, quietly: bool = False) -> None:
        """Begin another session behind the last committed word; `quietly`, as if it had heard as much already."""
        self._is_catching_up, self._has_waiting_change = True, False
        self._drop_pending(KEPT_WORDS)
        audio.send_again(self._begin_session)
        for side, start in zip(self._sides, audio.starts, strict=True):
            side.shed = LoadShed.NOTHING
            if not quietly:
                side.speaking, side.heard_seconds = False, start
        self._ask_for_translations()
        if self._is_finishing:
            self._client.finish_session()

    def _begin_session(self, starts: Sequence[float]) -> None:
        """Begin a session that hears each side from a second on and goes on with the captions that are open."""
        goes_on = {each.speaker: each for each in self._open.values() if each.committed}
        sides = tuple(
            Side(
                side.speaker,
                start,
                tuple(side.words),
                goes_on.get(side.speaker),
                side.voice_name,
                tuple(KnownVoice(name, voice) for name, voice in side.voices.items()),
            )
            for side, start in zip(self._sides, starts, strict=True)
        )
        hearing = self.hearing
        self._client.start_session(
            hearing.model, hearing.options, self.translation, hearing.threads, sides, self._is_live, self._next_id
        )

    def _drop_pending(self, most_words: int) -> None:
        """Remove all pending words; a caption of more than `most_words` becomes final."""
        for caption in tuple(self._open.values()):
            final = len(caption.committed) > most_words
            if caption.pending or final:
                self._handle_caption(replace(caption, pending=(), final=final, revision=caption.revision + 1))

    def _ask_for_translations(self) -> None:
        """Ask for the translations of final captions, which no session makes by itself."""
        if self.translation is not None and self._untranslated:
            self._client.translate_also(self._untranslated.values())

    def _close(self) -> bool:
        """End the recording with what is shown; return whether captions are left without their translation."""
        self._drop_pending(0)
        is_untranslated = self.translation is not None and bool(self._untranslated)
        self._untranslated.clear()
        if self._audio is not None:
            self._audio.close()
            self._audio = None
        return is_untranslated

    # --- what the engine says ---

    @Slot(Caption)
    def _handle_caption(self, caption: Caption) -> None:
        if self._audio is None:
            return
        self._next_id = max(self._next_id, caption.id + 1)
        self._open.pop(caption.id, None)
        if not caption.final and (caption.committed or caption.pending):
            self._open[caption.id] = caption
        elif caption.final and self._awaits_translation(caption):
            self._untranslated[caption.id] = caption
        numbers = (number for number, side in enumerate(self._sides) if side.speaker == caption.speaker)
        number = next(numbers, 0)
        if caption.final and self.hearing.options.speakers:
            self._unlabelled[caption.id] = number
        if not caption.is_gap:
            self._sides[number].keep(caption)
        if caption.committed and not caption.first_text:
            self._audio.note_committed(number, caption.committed[-1].end)
        self.caption_changed.emit(caption)

    def _awaits_translation(self, caption: Caption) -> bool:
        """Return whether a final caption will have a translation: better words have none where no text may change."""
        choice = self.translation
        return choice is not None and not (caption.first_text and choice.live_options.stable)

    @Slot(SpeakerLabel)
    def _handle_label(self, label: SpeakerLabel) -> None:
        """Keep the voice, by which another session finds the same names again, and pass the label on."""
        if self._audio is None:
            return
        if label.voice:
            self._sides[self._unlabelled.get(label.id, 0)].voices[label.speaker] = label.voice
        self.speaker_labelled.emit(label)

    @Slot(Translation)
    def _handle_translation(self, translation: Translation) -> None:
        """Pass a translation on, unless it was under way when translation was turned off or changed."""
        if self.translation is not None and translation.language == self.translation.options.target:
            waiting = self._untranslated.get(translation.id)
            if translation.final and waiting is not None and translation.revision >= waiting.revision:
                del self._untranslated[translation.id]
            self.translation_changed.emit(translation)

    @Slot(Progress)
    def _note_progress(self, progress: Progress) -> None:
        if self._audio is None:
            return
        side = self._sides[progress.side]
        side.heard_seconds, side.speaking, side.shed = progress.audio_seconds, progress.speaking, progress.shed
        self._audio.note_heard(progress.side, progress.audio_seconds)
        if self.heard_seconds > self._died_at + ACHIEVED_SECONDS:
            self._crashes = self._crashes.achieved()
        self._is_catching_up = False
        if self._has_waiting_change:
            self._hear_on(self._audio, quietly=True)

    @Slot()
    def _note_model(self) -> None:
        if self._audio is None:
            self._note_session()

    @Slot()
    def _note_session(self) -> None:
        """Note that the engine hears, or could: the last change of hearing works."""
        self._fallback = None
        self._set(Link.HEARS)

    @Slot()
    def _finish(self) -> None:
        if self._audio is not None:
            self._close()
            self.finished.emit()

    @Slot(str)
    def _fail(self, message: str) -> None:
        """Undo a change of hearing that cannot be made; else the recording is over."""
        if self._audio is not None and self._fallback is not None:
            self.hearing, self._fallback = self._fallback, None
            self._hear_on(self._audio)
            self._set(Link.LOADING)
            self.change_refused.emit(self.tr("{} Captions go on as before.").format(message))
            return
        if self._audio is None and self.state in (Link.LOADING, Link.RESTARTING):
            self._set(Link.NO_MODEL)
        self._close()
        self.failed.emit(message)

    @Slot()
    def _note_stuck(self) -> None:
        self._is_stuck = True

    @Slot()
    def _note_crash(self) -> None:
        """Start the engine again, or ask a person after several crashes in a row."""
        was_stuck, self._is_stuck = self._is_stuck, False
        self._died_at = self.heard_seconds
        state, self._crashes = after_crash(self._crashes, time.monotonic())
        if state is Link.STOPPED:
            self._set(state)
        else:
            self._bring_back()
            if was_stuck:
                self.noticed.emit(self.tr("The engine stopped responding and was restarted. No words were lost."))
            else:
                self.noticed.emit(self.tr("The engine stopped unexpectedly and was restarted. No words were lost."))
