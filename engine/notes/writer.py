"""The protocol of what writes notes."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from engine.notes.records import Notes, SaidLine
from engine.notes.template import NotesTemplate

NoteSteps = Generator[None, None, Notes]
"""Work on notes, with pauses in which something more urgent can be done."""


class NotesWriter(Protocol):
    """Writes notes, and brings them up to date while the transcript grows. One thread uses it."""

    def write(self, lines: Sequence[SaidLine], template: NotesTemplate) -> NoteSteps:
        """Write notes of all lines; of lines that grew since the last call only what is new is computed.

        Closing the generator at a pause leaves the writer fit for another call.
        """


def finished(steps: NoteSteps) -> Notes:
    """Run work on notes without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            notes: Notes = end.value
            return notes
