"""Requests for notes to the engine: one at a time for each transcript. Of those that came meanwhile the newest of each
part follows, and a request for all in place of those for parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot

from app.engine_link.engine_client import EngineClient
from app.preferences.preferences import Models
from app.preferences.settings import Settings
from engine.notes.records import CHOSEN, Notes, SaidLine
from engine.notes.template import load_template
from engine.process.messages import MakeNotes, NotesMade

FEWEST_SELECTED = 2
"""Fewest selected lines of which notes are made again, in place of all."""


def part_meant(selected: Sequence[int], notes: Notes | None, template: str) -> tuple[int, ...]:
    """Return the selected lines if notes of them alone are made again; else none.

    That is where several are selected, and notes by the same template exist.
    """
    same = notes is not None and notes.template == template
    return tuple(selected) if same and len(selected) >= FEWEST_SELECTED else ()


class NotesMaker(QObject):
    """Requests notes, which the engine makes in the time in which it has nothing else to do.

    Signals:
        made: the subject, its Notes, and the numbers of the lines that were asked for apart; none for all.
        failed: the subject, and why there are none, in one sentence.
    """

    made = Signal(str, object, tuple)
    failed = Signal(str, str)

    def __init__(self, client: EngineClient, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._client = client
        self._settings = settings
        self._under_way: dict[str, tuple[int, ...]] = {}  # parts, by their subjects
        self._waiting: dict[str, dict[tuple[int, ...], MakeNotes]] = {}  # by their subjects and parts
        client.notes_made.connect(self._pass_on)
        client.crashed.connect(self._forget)

    def make(
        self, subject: str, lines: Sequence[SaidLine], template: str, language: str, part: tuple[int, ...] = ()
    ) -> None:
        """Make notes of these lines; `made` follows with the `part` that they are, or `failed`.

        Raises FileError if there is no such template.
        """
        request = MakeNotes(subject, tuple(lines), load_template(template, language), self._writer)
        if subject in self._under_way:
            waiting = self._waiting.setdefault(subject, {})
            if part:
                waiting.pop(part, None)
            else:
                waiting.clear()
            waiting[part] = request
            return
        self._client.start()
        self._send(request, part)

    def _send(self, request: MakeNotes, part: tuple[int, ...]) -> None:
        self._under_way[request.subject] = part
        self._client.make_notes(request)

    @property
    def _writer(self) -> str:
        """The model that writes notes; the starter, which answers what it was taught, cannot."""
        preferences = self._settings.preferences
        model = preferences.models.assistant
        return model if preferences.history.written_notes and model != Models().assistant else CHOSEN

    @property
    def is_ready(self) -> bool:
        """Return whether there is an engine, so that nothing needs to be started for notes."""
        return self._client.is_running

    def is_busy(self, subject: str) -> bool:
        """Return whether notes of a subject are being made."""
        return subject in self._under_way

    @Slot(object)
    def _pass_on(self, event: NotesMade) -> None:
        part = self._under_way.pop(event.subject, ())
        if event.problem:
            self.failed.emit(event.subject, event.problem)
        else:
            self.made.emit(event.subject, event.notes, part)
        if waiting := self._waiting.get(event.subject):
            oldest = next(iter(waiting))
            self._send(waiting.pop(oldest), oldest)

    @Slot()
    def _forget(self) -> None:
        """Report the notes that were under way when the engine stopped as not made."""
        lost, self._under_way = self._under_way, {}
        self._waiting.clear()
        for subject in lost:
            self.failed.emit(subject, self.tr("The engine ended unexpectedly. Please try again."))
