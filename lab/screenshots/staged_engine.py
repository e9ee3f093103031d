"""An engine client without an engine: what it says is written down. For pictures and measurements of the window."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from app.engine_link.engine_client import EngineClient
from app.sound.source_notes import Note
from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.errors import ModelError
from engine.process.messages import Command, MakeNotes
from engine.process.notes_work import NotesWork


class StagedClient(EngineClient):
    """Starts no process and drops every command; whoever holds it emits its signals.

    Attributes:
        notes: makes the notes that are asked for, at once; None if nothing is running that could.
    """

    def __init__(self) -> None:
        super().__init__()
        self.notes: NotesWork | None = None

    @property
    def is_running(self) -> bool:
        return self.notes is not None

    def make_notes_here(self) -> None:
        """Choose the lines of notes in this process from now on, without a model."""
        self.notes = NotesWork(self.notes_made.emit, _no_model)

    def start(self) -> None:
        """Do nothing: all that an engine would say is said by others."""

    def _send(self, command: Command) -> None:
        """Drop it, unless it asks for notes."""
        if self.notes is not None and isinstance(command, MakeNotes):
            self.notes.take(command)
            while self.notes.busy:
                self.notes.work()


def _no_model(name: str) -> NoReturn:
    raise ModelError(f"No model {name} is staged.")


@dataclass(frozen=True)
class StagedSource:
    """A source that yields a stretch of faint noise as soon as it is asked to.

    It is fed by `give`, which comes back once the stretch was taken.
    """

    name: str
    passes_by: bool = True
    _wanted: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0), repr=False)
    _taken: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0), repr=False)
    _seconds: list[float] = field(default_factory=list, repr=False)

    def give(self, seconds: float, patience_seconds: float = 10.0) -> None:
        """Pretend that this many seconds of sound are recorded."""
        self._seconds.append(seconds)
        self._wanted.release()
        self._taken.acquire(timeout=patience_seconds)

    def chunks(self, stop: threading.Event, report: Callable[[Note], None]) -> Iterator[Samples]:
        """Yield the stretches (n,) that are asked for, until `stop`."""
        import numpy as np

        noise = np.random.default_rng(1)
        while not stop.is_set():
            if not self._wanted.acquire(timeout=0.1):
                continue
            count = round(self._seconds.pop(0) * SAMPLE_RATE_HZ)
            yield (0.08 * noise.standard_normal(count)).astype(np.float32)
            self._taken.release()
