"""The history on a thread of its own, so that nothing else waits for a disk."""

from __future__ import annotations

import itertools
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from app.history.kept.schema import HistoryError
from app.history.store import HistoryStore
from engine.errors import EngineError

T = TypeVar("T")
Write = Callable[[HistoryStore], object]
RETRY_SECONDS = 5.0
_WRITES, _READS, _END = 0, 1, 2
_Job = Callable[[], None]


class Archive(QObject):
    """Writes to the history's store in order, and reads from it once earlier writes are done.

    A write that fails is tried again until it succeeds, or the app ends.

    Attributes:
        path: the history's file, in a folder of its own.
        problem: why the history cannot be opened, in one sentence; empty if it is open.

    Signals:
        changed: something was written.
        noticed: something to know about the history, in one sentence.
        failed: what could not be read, in one sentence.
        unsaved: why new text is not written, in one sentence; empty once all of it is.
    """

    changed = Signal()
    noticed = Signal(str)
    failed = Signal(str)
    unsaved = Signal(str)
    _answered = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path
        self.problem = ""
        self._jobs: queue.PriorityQueue[tuple[int, int, _Job | None]] = queue.PriorityQueue()
        self._order = itertools.count()
        self._store: HistoryStore | None = None
        self._unwritten: dict[object, Write] = {}
        self._tried_at = 0.0  # time of the last retry
        self._failing = False
        self._is_closed = False
        self._answered.connect(self._give_answer)
        self._thread = threading.Thread(target=self._run, name="history", daemon=True)

    def start(self) -> None:
        """Open the history, or create one."""
        self._thread.start()

    def write(self, write: Write, key: object = None) -> None:
        """Queue a write. Of failed writes with the same key only the newest is tried again."""
        self._put(_WRITES, lambda: self._write(write, object() if key is None else key))

    def ask(self, question: Callable[[HistoryStore], T], answer: Callable[[T], None]) -> None:
        """Queue a read, and call `answer` with its result on the thread of this object."""
        self._put(_READS, lambda: self._read(question, answer))

    def do(self, work: Callable[[], T], answer: Callable[[T], None]) -> None:
        """Queue work behind all earlier jobs, even if the history cannot be opened; see `ask`."""
        self._put(_READS, lambda: self._work(work, answer))

    def close(self, seconds: float = 5.0) -> None:
        """Finish the writes, erase deleted sessions, and end the thread."""
        self._is_closed = True
        if self._thread.is_alive():
            self._put(_END, None)
            self._thread.join(seconds)

    def _put(self, rank: int, job: _Job | None) -> None:
        self._jobs.put((rank, next(self._order), job))

    def _run(self) -> None:
        self._open()
        while True:
            try:
                _, _, job = self._jobs.get(timeout=RETRY_SECONDS if self._unwritten else None)
            except queue.Empty:
                self._write_again()
                continue
            if job is None:
                break
            job()
            if self._unwritten and time.monotonic() > self._tried_at + RETRY_SECONDS:
                self._write_again()
        self._write_again()
        if self._store is not None:
            self._try(HistoryStore.erase_deleted)
            self._store.close()

    def _open(self) -> None:
        try:
            self._store = HistoryStore(self.path)
        except (HistoryError, sqlite3.Error) as error:
            self.problem = str(error)
            self._fail(self.problem)
        else:
            self.problem = ""
            if self._store.notice:
                self.noticed.emit(self._store.notice)
                self.changed.emit()

    def _write(self, write: Write, key: object) -> None:
        if self._unwritten:
            self._write_again()
        if self._unwritten or not self._try_to_write(write):
            self._unwritten[key] = write

    def _write_again(self) -> None:
        if self._unwritten and self._store is None:
            self._open()
        if self._unwritten and self._store is not None:
            self._try(HistoryStore.make_room)
        self._tried_at = time.monotonic()
        while self._unwritten:
            key = next(iter(self._unwritten))
            if not self._try_to_write(self._unwritten[key]):
                return
            del self._unwritten[key]
        if self._failing:
            self._failing = False
            self.unsaved.emit("")

    def _try_to_write(self, write: Write) -> bool:
        if not self._try(write):
            return False
        self.changed.emit()
        return True

    def _read(self, question: Callable[[HistoryStore], T], answer: Callable[[T], None]) -> None:
        store = self._store
        if store is not None:
            self._work(lambda: question(store), answer)

    def _work(self, work: Callable[[], T], answer: Callable[[T], None]) -> None:
        if self._is_closed:
            return
        try:
            found = work()
        except Exception as error:  # whatever it is, the history has to go on
            self.failed.emit(_sentence(self.path, error))
        else:
            self._answered.emit(lambda: answer(found))

    def _try(self, work: Write, *, opens_again: bool = True) -> bool:
        """Write; return whether no other attempt is needed. A failure is reported once.

        What would fail again is left out: nothing that comes later has to wait for it.
        """
        if self._store is None:
            return False
        try:
            work(self._store)
        except (sqlite3.OperationalError, EngineError) as error:
            self._fail(_sentence(self.path, error))
            return False
        except Exception as error:
            if isinstance(error, sqlite3.DatabaseError) and opens_again:
                self._store.close()
                self._store = None
                self._open()  # which sets a damaged file aside
                return self._try(work, opens_again=False)
            self.failed.emit(_sentence(self.path, error))
        return True

    def _fail(self, sentence: str) -> None:
        if not self._failing:
            self._failing = True
            self.unsaved.emit(sentence)

    @Slot(object)
    def _give_answer(self, give: Callable[[], None]) -> None:
        if not self._is_closed:
            give()


def _sentence(path: Path, error: Exception) -> str:
    if isinstance(error, EngineError):
        return str(error)
    why = str(error)
    if "full" in why:
        return f"The disk is full: what is said now cannot be kept in the history in {path.parent}."
    return f"The history in {path} cannot be read or written: {why}."
