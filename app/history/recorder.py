"""Recorder of the history: it keeps what is said and answered as it appears, if the person wants that."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, QObject, QTimer, Signal, Slot

from app.history.archive import Archive
from app.history.kept import audio_files
from app.history.kept.audio_writer import AudioWriter
from app.history.records import Kind, Transcript
from app.history.store import HistoryStore
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import UNSURE
from engine.audio import Samples
from engine.events import Caption
from engine.notes.records import NoteLine, Notes
from engine.turns import Turn

PURGE_MILLISECONDS = 3_600_000
SAME_SECONDS = 0.01
AUDIO_SECONDS = 2.0
"""Longest wait for the last of the sound at the end of the app, in seconds."""


@dataclass(slots=True)
class _Open:
    """A session that is being kept.

    Attributes:
        audio: what writes its sound down; None where that is not kept.
        session: its id; 0 until the first words are written. Known to the archive's thread alone.
        resumed: see Session; for the archive's thread alone.
    """

    kind: Kind
    source: str
    model: str
    language: str
    name: str = ""
    recording: str = ""
    audio: AudioWriter | None = None
    began: float = field(default_factory=time.time)
    session: int = 0
    resumed: list[tuple[float, float]] = field(default_factory=list)

    def end(self, store: HistoryStore, ended: float) -> None:
        """Mark the session as over in the store; if nothing of it is there, erase its sound."""
        if self.session:
            store.end(self.session, ended)
        elif self.audio is not None:
            self.audio.wait(AUDIO_SECONDS)
            audio_files.erase(store.audio_folder, [self.audio.path.name])

    def say_over(self, store: HistoryStore, ended: float) -> None:
        """Show the session as over, whether that can be written now or not."""
        if self.session:
            store.say_over(self.session, ended)

    def within(self, store: HistoryStore) -> int:
        """Return its id in the store; begin it there if needed."""
        if store.session(self.session) is None:
            about = self.kind, self.name, self.source, self.model, self.language, self.began, self.recording
            self.session = store.begin(*about, audio=self.audio.path.name if self.audio is not None else "")
            for each in self.resumed:
                store.note_resumed(self.session, *each)
        return self.session

    def go_on(self, store: HistoryStore, seconds: float, time_of_day: float) -> None:
        """Note that the recording went on after a pause."""
        self.resumed.append((seconds, time_of_day))
        if self.session:
            store.note_resumed(self.session, seconds, time_of_day)


class HistoryRecorder(QObject):
    """Passes captions, translations and turns to the archive, which writes them at once.

    A recording becomes a session when its first words are there, with times from its first sample; one in which
    nothing is said leaves none. Where Preferences.history says so, nothing is kept; what is kept is erased after the
    days that it says.

    Signals:
        audio_failed: why the sound of a recording is kept no further, in one sentence.
    """

    audio_failed = Signal(str)

    def __init__(self, archive: Archive, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._archive = archive
        self._settings = settings
        self._is_private = False
        self._model: CaptionModel | None = None
        self._clock: Callable[[], float] | None = None
        self._captions: _Open | None = None
        self._last: _Open | None = None  # the recording before, which may still be on the screen
        self._audio: AudioWriter | None = None
        self._conversation: _Open | None = None
        self._start_seconds = 0.0  # of the recording, in the transcript
        self._first_id = 0  # of the recording's first caption
        self._withheld: set[int] = set()  # captions with words that are not to be kept
        self._keeps_speakers = True  # False while the history itself renames speakers
        self._marked: set[float] = set()  # seconds of the recording
        self._written: dict[int, tuple[int, bool, str, str]] = {}  # words, whether final, who spoke, first text
        self._translated: dict[int, tuple[int, str, bool]] = {}
        settings.changed.connect(self._apply_settings)
        self._rounds = QTimer(self, interval=PURGE_MILLISECONDS)
        self._rounds.timeout.connect(self.purge)
        self._rounds.start()

    def follow(self, model: CaptionModel, clock: Callable[[], float]) -> None:
        """Keep what appears in a transcript while there is a recording.

        `clock` says at which second of the transcript what is being said now stands.
        """
        self._model = model
        self._clock = clock
        model.rowsInserted.connect(self._note_new_rows)
        model.dataChanged.connect(self._note_changed_rows)
        model.named.connect(self._keep_speakers)
        model.corrected.connect(self._keep_corrections)

    def begin_captions(self, source: str, model: str, language: str = "", file: Path | None = None) -> None:
        """Begin to keep a recording, which begins below what the transcript holds.

        Its session is named after the `file` that is heard, or by its first words. `language` is a code; it is empty
        where the language is detected.
        """
        self.end_captions()
        if self._model is not None:
            self._first_id, self._start_seconds = self._model.next_id, self._model.next_seconds
        self._withheld = set()
        self._marked = set()
        self._begin_audio()
        about = (file.name, str(file.absolute())) if file is not None else ("", "")
        self._captions = _Open("captions", source, model, language, *about, audio=self._audio)

    def go_on(self, at_seconds: float) -> None:
        """Note that the recording goes on after a pause, at a second of the transcript."""
        kept, now = self._captions, time.time()
        if kept is not None:
            seconds = at_seconds - self._start_seconds
            self._archive.write(lambda store: kept.go_on(store, seconds, now))

    def keep_marks(self, moments: Sequence[tuple[int, float]]) -> None:
        """Keep the marks of the transcript: the ids of captions, each with a second of the transcript."""
        kept, runs = self._captions or self._last, self._captions is not None
        if kept is None or not self._keeps:
            return
        ours = {max(0.0, second - self._start_seconds) for caption, second in moments if self._is_kept(caption)}
        gone, new = self._marked - ours, ours - self._marked
        self._marked = ours

        def write(store: HistoryStore) -> None:
            session = kept.within(store) if runs else kept.session
            if store.session(session) is not None:
                store.set_marks(session, (set(store.marks(session)) - gone) | new)

        self._archive.write(write)

    def keep_notes(self, notes: Notes) -> None:
        """Keep the notes of the recording, or of the last one; those of earlier recordings are not its own."""
        kept = self._captions or self._last
        if kept is None or not self._keeps:
            return

        def own(line: NoteLine) -> bool:
            return all(map(self._is_kept, line.rests_on))

        sections = (replace(each, lines=tuple(filter(own, each.lines))) for each in notes.sections)
        written = replace(notes, sections=tuple(sections))

        self._archive.write(lambda store: store.put_notes(kept.session, written), ("notes", id(kept)))

    def begin_unkept(self) -> None:
        """Note that a recording begins of which nothing is kept, and whose transcript takes the place of the last."""
        self.end_captions()
        self._last = None

    def _begin_audio(self) -> None:
        """Begin to keep the sound of the recording, if that is wanted."""
        if self._keeps and self._settings.preferences.history.audio:
            path = audio_files.audio_folder(self._archive.path) / audio_files.new_name()
            self._audio = AudioWriter(path, self.audio_failed.emit)

    @property
    def audio_listener(self) -> Callable[[Samples], None] | None:
        """Receiver of the sound of the recording that has just begun; None if it is not kept."""
        return None if self._audio is None else self._audio.put

    def _end_audio(self) -> None:
        if self._audio is not None:
            self._audio.finish()
            self._audio = None

    @Slot()
    def end_captions(self) -> None:
        """End the session of the recording."""
        self._end_audio()
        self._end(self._captions)
        self._last, self._captions = self._captions or self._last, None
        self._written.clear()
        self._translated.clear()

    @Slot(int)
    def show_corrected(self, session: int) -> None:
        """Show the corrections of a session in the transcript, if that is the session that was recorded last."""
        last = self._last
        if last is not None and self._captions is None:
            self._archive.ask(
                lambda store: store.captions(session) if last.session == session else (), self._apply_corrections
            )

    def _apply_corrections(self, captions: tuple[Caption, ...]) -> None:
        for kept in captions:
            caption = kept.delayed(self._start_seconds)
            row = self._model.row_of(caption.id) if self._model is not None else None
            if self._model is None or row is None or self._captions is not None:
                continue
            shown = self._model.caption_at(row)
            if abs(shown.start - caption.start) >= SAME_SECONDS:
                continue
            if shown.speaker != caption.speaker:
                self._keeps_speakers = False
                self._model.name_speakers({caption.id: caption.speaker})
                self._keeps_speakers = True
            if shown.text != caption.text:
                self._model.show(replace(caption, revision=shown.revision + 1))

    def reopen(self, transcript: Transcript) -> None:
        """Keep changes of the transcript in the session from which it was reopened."""
        if transcript.session is not None and self._captions is None:
            about = transcript.session
            self._last = _Open(about.kind, about.source, about.model, about.language, session=about.id)
            self._start_seconds, self._first_id, self._withheld = 0.0, 0, set()
            self._marked = set(transcript.marks)

    def _keep_speakers(self, captions: tuple[Caption, ...]) -> None:
        """Keep names of speakers that a person gives after the recording."""
        last = self._last
        if last is None or self._captions is not None or not self._keeps_speakers:
            return
        placed = [each.delayed(-self._start_seconds) for each in captions if self._is_kept(each.id)]

        def write(store: HistoryStore) -> None:
            if store.session(last.session) is not None:
                kept = {each.id: each.start for each in store.captions(last.session)}
                same = (each for each in placed if abs(kept.get(each.id, math.inf) - each.start) < SAME_SECONDS)
                store.name_speakers(last.session, {each.id: each.speaker for each in same})

        self._archive.write(write)

    def _keep_corrections(self, texts: Mapping[int, str | None]) -> None:
        """Keep corrections that a person makes in the transcript."""
        kept = self._captions or self._last
        if kept is None or not self._keeps:
            return

        def write(store: HistoryStore) -> None:
            if store.session(kept.session) is not None:
                for number, text in texts.items():
                    store.correct(kept.session, number, text)

        if texts := {number: text for number, text in texts.items() if self._is_kept(number)}:
            self._archive.write(write)

    @Slot(str, str)
    def begin_conversation(self, model: str, language: str = "") -> None:
        """Begin to keep a conversation."""
        self.end_conversation()
        self._conversation = _Open("conversation", "", model, language)

    @Slot(Turn)
    def keep_turn(self, turn: Turn) -> None:
        """Keep a turn that is complete, or a changed one in its place."""
        kept = self._conversation
        if kept is None or not self._keeps or not (turn.prompt or turn.reply):
            return
        now = time.time()
        key = "turn", id(kept), turn.turn
        self._archive.write(lambda store: store.put_turn(kept.within(store), turn, now), key)

    @Slot()
    def end_conversation(self) -> None:
        """End the session of the conversation."""
        self._end(self._conversation)
        self._conversation = None

    @Slot()
    def purge(self) -> None:
        """Erase what has been kept for as long as it should be."""
        days = self._settings.preferences.history.days
        self._archive.write(lambda store: store.purge(days), "purge")

    def shut_down(self) -> None:
        """End all sessions as they are, at the end of the app."""
        self._rounds.stop()
        writer = self._audio
        self.end_captions()
        self.end_conversation()
        if writer is not None:
            writer.wait(AUDIO_SECONDS)

    @property
    def _keeps(self) -> bool:
        return self._settings.preferences.history.keeps and not self._is_private

    @Slot(bool)
    def set_private(self, private: bool) -> None:
        """Keep nothing that is said from now on, whatever the preferences say, or what they say again."""
        self._is_private = private
        if private:
            self._end_audio()

    def _is_kept(self, caption: int) -> bool:
        """Return whether a caption of the transcript is one of the recording, without words that are not to be kept."""
        return caption >= self._first_id and caption not in self._withheld

    def _end(self, kept: _Open | None) -> None:
        if kept is not None:
            now = time.time()
            self._archive.write(lambda store: kept.end(store, now))
            self._archive.ask(lambda store: kept.say_over(store, now), lambda _: self._archive.changed.emit())

    def _note_new_rows(self, parent: QModelIndex, first: int, last: int) -> None:
        self._keep_rows(range(first, last + 1))

    def _note_changed_rows(self, first: QModelIndex, last: QModelIndex) -> None:
        self._keep_rows(range(first.row(), last.row() + 1))

    def _keep_rows(self, rows: range) -> None:
        if self._captions is None or self._model is None:
            return
        if not self._keeps:
            changed = (self._model.caption_at(row).id for row in rows)
            self._withheld.update(each for each in changed if not self._written.get(each, (0, False))[1])
            return
        for row in rows:
            caption = self._model.caption_at(row)
            if caption.speaker == UNSURE:
                caption = replace(caption, speaker="")
            if self._is_kept(caption.id):
                self._keep_caption(self._captions, caption)
                self._keep_translation(self._captions, self._model, row)

    def _keep_caption(self, kept: _Open, caption: Caption) -> None:
        state = len(caption.committed), caption.final, caption.speaker, caption.first_text
        if not caption.committed or self._written.get(caption.id) == state:
            return
        self._written[caption.id] = state
        if self._model is not None and self._model.is_corrected(caption.id):  # its words as heard are kept already
            name = {caption.id: caption.speaker}
            self._archive.write(lambda store: store.name_speakers(kept.within(store), name))
            return
        placed = caption.delayed(-self._start_seconds)
        now = self._clock() - self._start_seconds if self._clock is not None else math.nan
        shown_at = now if math.isfinite(now) else None
        self._archive.write(
            lambda store: store.put_caption(kept.within(store), placed, shown_at),
            ("caption", id(kept), placed.id),
        )

    def _keep_translation(self, kept: _Open, model: CaptionModel, row: int) -> None:
        translation = model.translation_at(row)
        if translation is None or translation.id not in self._written:
            return
        state = translation.revision, translation.text, translation.final
        if not translation.text or self._translated.get(translation.id) == state:
            return
        self._translated[translation.id] = state
        self._archive.write(
            lambda store: store.put_translation(kept.within(store), translation),
            ("translation", id(kept), translation.id),
        )

    @Slot(Preferences, Preferences)
    def _apply_settings(self, before: Preferences, after: Preferences) -> None:
        if not (after.history.keeps and after.history.audio):
            self._end_audio()
        if before.history.days != after.history.days:
            self.purge()
