"""Detection of recordings without captions, and the diagnosis on a thread of its own."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal, Slot

from app.captions.session import LiveSession
from app.captions.state import State, Status
from app.silence.silence import LISTEN_SECONDS, QUIET_DBFS, Circumstances, InputSound, examine
from app.sound.audio_sources import Microphone, Source, TwoSides, sides_of

LATELY_SECONDS = 10.0
_RECORDING = frozenset({State.LISTENING, State.HEARING, State.NO_SOUND, State.BEHIND})


class Suspicion(Enum):
    """A reason to ask why nothing is captioned.

    Attributes:
        NONE: there is none.
        SILENT: only zeros come in.
        SPEECHLESS: there has been sound for a while, and no speech yet.
    """

    NONE = auto()
    SILENT = auto()
    SPEECHLESS = auto()


class SilenceWatch(QObject):
    """Follows the sound of a LiveSession.

    Signals:
        suspected: why there may be no captions, a Suspicion.
    """

    suspected = Signal(object)

    def __init__(
        self, session: LiveSession, parent: QObject | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._clock = clock
        self._levels: deque[tuple[float, float]] = deque()  # recent times and levels in dBFS
        self._began = 0.0
        self._spoken = False
        self._suspicion = Suspicion.NONE
        session.status_changed.connect(self.note_status)
        session.level_measured.connect(self.note_level)

    def circumstances(self, source: Source | None) -> Circumstances:
        """Return what is known without listening; `source` is the one that is, or would be, captioned."""
        state = self._session.status.state
        first = sides_of(source)[0] if source is not None else None
        device = first.device if isinstance(first, Microphone) else None
        return Circumstances(
            device=str(device) if device is not None else None,
            heard=self._heard() if state in _RECORDING and self._levels else None,
            is_loading=state in (State.LOADING, State.RESTARTING),
            has_stopped=state in (State.ENGINE_STOPPED, State.NO_MODEL),
            behind_seconds=self._session.status.behind_seconds,
        )

    @Slot(Status)
    def note_status(self, status: Status) -> None:
        """Note the session's state."""
        if status.state not in _RECORDING:
            self._levels.clear()
            self._spoken = False
        self._spoken = self._spoken or status.state is State.HEARING
        self._consider()

    @Slot(float)
    def note_level(self, dbfs: float) -> None:
        """Note the level of the sound."""
        now = self._clock()
        if not self._levels:
            self._began = now
        self._levels.append((now, dbfs))
        while self._levels[0][0] < now - LATELY_SECONDS:
            self._levels.popleft()
        self._consider()

    def _heard(self) -> InputSound:
        return InputSound(max(dbfs for _, dbfs in self._levels), speech=self._spoken)

    def _consider(self) -> None:
        suspicion = self._judge()
        if suspicion is not self._suspicion:
            self._suspicion = suspicion
            self.suspected.emit(suspicion)

    def _judge(self) -> Suspicion:
        """Judge a microphone: a computer often plays nothing, or music."""
        status = self._session.status
        if status.of_computer:
            return Suspicion.NONE
        if status.state is State.NO_SOUND:
            return Suspicion.SILENT
        alone = not isinstance(self._session.source, TwoSides)
        return Suspicion.SPEECHLESS if alone and self._is_speechless() else Suspicion.NONE

    def _is_speechless(self) -> bool:
        if self._spoken or self._session.status.state is not State.LISTENING or not self._levels:
            return False
        return self._clock() - self._began >= LATELY_SECONDS and self._heard().dbfs >= QUIET_DBFS


class Examination(QObject):
    """Runs the diagnosis on a thread of its own.

    Signals:
        found: a tuple of Finding, the likeliest first.
        listening_begun: inputs are being recorded, for this number of seconds.
    """

    found = Signal(object)
    listening_begun = Signal(float)

    def __init__(self, parent: QObject | None = None, seconds: float = LISTEN_SECONDS) -> None:
        super().__init__(parent)
        self._seconds = seconds
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, known: Circumstances) -> None:
        """Start the diagnosis, unless it is running."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(known, self._stop), name="doctor", daemon=True)
        self._thread.start()
        self.listening_begun.emit(self._seconds)

    def stop(self, wait_seconds: float = 0.0) -> None:
        """Stop the diagnosis; it reports nothing any more."""
        self._stop.set()
        if self._thread is not None and wait_seconds:
            self._thread.join(wait_seconds)

    def _run(self, known: Circumstances, stop: threading.Event) -> None:
        found = examine(known, stop, self._seconds)
        if not stop.is_set():
            self.found.emit(found)
