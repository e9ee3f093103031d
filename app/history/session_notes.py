"""Notes of the session that the history shows: made, changed by hand, and kept with it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.history.archive import Archive
from app.history.records import Transcript
from app.history.transcript.transcript_view import TranscriptView
from app.look.problems import in_words
from app.notes.maker import NotesMaker, part_meant
from app.notes.notes_pane import NotesPane
from engine.errors import FileError
from engine.notes.records import Notes, kept_by_hand, lines_of, made_again


class SessionNotes(QObject):
    """Shows and keeps the notes of one transcript at a time.

    Signals:
        problem_found: why there are none, in one sentence.
    """

    problem_found = Signal(str)

    def __init__(
        self, archive: Archive, maker: NotesMaker, pane: NotesPane, view: TranscriptView, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._archive = archive
        self._maker = maker
        self._pane = pane
        self._view = view
        self._transcript: Transcript | None = None
        maker.made.connect(self._take)
        maker.failed.connect(self._tell)
        pane.wanted.connect(self.make_again)
        pane.edited.connect(self._keep)
        pane.lines_chosen.connect(view.show_captions)
        pane.problem_found.connect(lambda text: self.problem_found.emit(in_words(text)))

    def show(self, transcript: Transcript | None) -> None:
        """Show the notes of a transcript; if it has none and the pane is open, have them made."""
        self._transcript = transcript
        if transcript is not None and transcript.notes is None and not self._pane.isHidden():
            self._make()
        self._show()

    def show_pane(self, shown: bool) -> None:
        """Show or hide the pane."""
        self._pane.setVisible(shown)
        self.show(self._transcript)

    def make_again(self) -> None:
        """Request notes again: of the selected lines, if there are several, else of all."""
        notes = self._transcript.notes if self._transcript is not None else None
        self._make(part_meant(self._view.selected_captions, notes, self._pane.chosen_template))

    @property
    def _subject(self) -> str:
        session = self._transcript.session if self._transcript is not None else None
        return f"session {session.id}" if session is not None else ""

    def _make(self, part: tuple[int, ...] = ()) -> None:
        transcript, subject = self._transcript, self._subject
        if transcript is None or transcript.session is None or transcript.session.is_running:
            return
        lines = lines_of(transcript.captions)
        if part:
            lines = [line for line in lines if line.number in part]
        if not lines:
            return
        try:
            self._maker.make(subject, lines, self._pane.chosen_template, transcript.session.language, part)
        except FileError as error:
            self.problem_found.emit(in_words(str(error)))
        self._show()

    @Slot(str, object, tuple)
    def _take(self, subject: str, notes: Notes, part: tuple[int, ...]) -> None:
        """Keep new notes with their session, and with what a person wrote into the old ones."""
        kind, _, number = subject.partition(" ")
        if kind != "session":
            return
        session = int(number)
        shown = self._transcript if subject == self._subject else None

        def write(old: Notes | None) -> None:
            new = made_again(old, notes, part) if part and old is not None else kept_by_hand(notes, old)
            self._archive.write(lambda store: store.put_notes(session, new))
            if shown is not None and subject == self._subject:
                self._put(new)

        self._archive.ask(lambda store: store.notes(session), write)

    @Slot(str, str)
    def _tell(self, subject: str, problem: str) -> None:
        if subject == self._subject:
            self.problem_found.emit(in_words(problem))
            self._show()

    def _keep(self, notes: Notes) -> None:
        """Keep notes that a person has changed."""
        transcript = self._transcript
        if transcript is not None and transcript.session is not None:
            session = transcript.session.id
            self._archive.write(lambda store: store.put_notes(session, notes))
            self._put(notes)

    def _put(self, notes: Notes) -> None:
        assert self._transcript is not None
        self._transcript = replace(self._transcript, notes=notes)
        self._show()

    def _show(self) -> None:
        transcript = self._transcript
        notes = transcript.notes if transcript is not None else None
        starts = transcript.starts if transcript is not None else {}
        self._pane.show_notes(notes, starts, working=self._maker.is_busy(self._subject))
