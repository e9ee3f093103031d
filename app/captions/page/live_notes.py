"""Notes of the captions on the screen, brought up to date while people talk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.captions.session import LiveSession
from app.notes.maker import NotesMaker, part_meant
from app.notes.notes_pane import NotesPane
from app.preferences.settings import Settings
from engine.errors import FileError
from engine.events import Caption
from engine.notes.records import Notes, SaidLine, kept_by_hand, lines_of, made_again
from engine.notes.template import WRITTEN_IN

SUBJECT, PART = "live", "live part"
"""Subjects of the requests for notes of all that was said, and of a selected part."""

REST_MILLISECONDS = 4000
"""Shortest time between two updates of the notes."""


class LiveNotes(QObject):
    """Keeps a pane of notes up to date with a session's captions.

    Attributes:
        notes: the newest; None if there are none.

    Signals:
        changed: the Notes, made or changed by hand.
    """

    changed = Signal(object)

    def __init__(
        self,
        session: LiveSession,
        maker: NotesMaker,
        pane: NotesPane,
        settings: Settings,
        parent: QObject,
        selected: Callable[[], Sequence[int]] = tuple,
    ) -> None:
        """Follow a session. `selected` returns the selected captions, of which alone notes may be made again."""
        super().__init__(parent)
        self.notes: Notes | None = None
        self._session = session
        self._maker = maker
        self._pane = pane
        self._settings = settings
        self._selected = selected
        self._parts: dict[tuple[int, ...], Notes | None] = {}  # made again, with their notes as soon as they are there
        self._written: tuple[SaidLine, ...] = ()  # lines of the newest request
        self._put_aside: tuple[tuple[SaidLine, ...], Notes | None] = ((), None)  # lines and notes of another transcript
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self.refresh)
        captions = session.captions
        for signal in (captions.rowsInserted, captions.dataChanged, captions.rowsRemoved, captions.modelReset):
            signal.connect(self._note_change)
        session.finished.connect(self.refresh)
        maker.made.connect(self._take)
        maker.failed.connect(self._tell)
        pane.wanted.connect(self.make_again)
        pane.edited.connect(self._keep)

    @property
    def lines(self) -> tuple[SaidLine, ...]:
        """The lines of which notes are made: final captions."""
        return tuple(lines_of(self._session.captions.final_captions()))

    @property
    def starts(self) -> dict[int, float]:
        """The seconds at which the lines began of which the newest notes are made."""
        return {line.number: line.start for line in self._written}

    def put_aside(self, captions: Iterable[Caption], notes: Notes | None) -> None:
        """Keep notes until the captions of which they were made are shown."""
        self._put_aside = tuple(lines_of(each for each in captions if each.final)), notes

    @Slot()
    def _note_change(self) -> None:
        lines, notes = self._put_aside
        if not self._session.captions.rowCount():
            self._rest.stop()
            if self.notes is not None:
                self._put_aside = self._written, self.notes
            self._written, self.notes, self._parts = (), None, {}
            self._show()
        elif self.notes is None and notes is not None and lines and set(lines) <= set(self.lines):
            self._written, self.notes = lines, notes
            self._show()
            self._rest.start()
        elif not self._rest.isActive():
            self._rest.start()

    @Slot()
    def refresh(self) -> None:
        """Request notes of what was said since the last ones."""
        lines = self.lines
        if lines and lines != self._written and self._maker.is_ready:
            self._written = lines
            self._ask(SUBJECT, lines)

    def make_again(self) -> None:
        """Request notes again: of the selected lines, if there are several, else of all that was said."""
        part = part_meant(self._selected(), self.notes, self._pane.chosen_template)
        lines = tuple(line for line in self.lines if line.number in part)
        if lines:
            self._parts[part] = self._parts.pop(part, None)  # the newest is the last
            self._ask(PART, lines, part)
        else:
            self._written, self._parts = (), {}
            self.refresh()

    def _ask(self, subject: str, lines: tuple[SaidLine, ...], part: tuple[int, ...] = ()) -> None:
        captions = self._session.captions.captions
        language = captions[-1].language if captions else WRITTEN_IN
        try:
            self._maker.make(subject, lines, self._pane.chosen_template, language, part)
        except FileError as error:
            self._pane.problem_found.emit(str(error))
        self._show()

    @Slot(str, object, tuple)
    def _take(self, subject: str, notes: Notes, part: tuple[int, ...]) -> None:
        if not self._session.captions.rowCount():
            return
        if subject == SUBJECT:
            for numbers, again in self._parts.items():
                notes = made_again(notes, again, numbers) if again is not None else notes
            self._put(kept_by_hand(notes, self.notes))
        elif subject == PART and part in self._parts and self.notes is not None:
            self._parts[part] = notes
            self._put(made_again(self.notes, notes, part))

    def _put(self, notes: Notes) -> None:
        self.notes = notes
        self._show()
        self.changed.emit(notes)

    @Slot(str, str)
    def _tell(self, subject: str, problem: str) -> None:
        if subject in (SUBJECT, PART):
            self._pane.problem_found.emit(problem)
            self._show()

    def _keep(self, notes: Notes) -> None:
        self.notes = notes
        self.changed.emit(notes)

    def _show(self) -> None:
        working = self._maker.is_busy(PART if self.notes is not None else SUBJECT)
        self._pane.show_notes(self.notes, self.starts, working=working)
