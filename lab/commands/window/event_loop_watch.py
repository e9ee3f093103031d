"""A watch over the event loop of the window's thread: whether it turns, and what it computes in one turn."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer

TURN_MILLISECONDS = 5
STALL_SECONDS = 0.05


class EventLoopWatch(QObject):
    """Notes every turn while it runs.

    Attributes:
        waits: seconds from each turn to the next, whoever computed meanwhile.
        work: seconds that this thread itself computed meanwhile.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.waits: list[float] = []
        self.work: list[float] = []
        self._turned = 0.0
        self._worked = 0.0
        self._turns = QTimer(self, interval=TURN_MILLISECONDS)
        self._turns.timeout.connect(self._note_turn)

    @property
    def longest_work_seconds(self) -> float:
        return max(self.work, default=0.0)

    @property
    def longest_wait_seconds(self) -> float:
        return max(self.waits, default=0.0)

    def start(self) -> None:
        """Note turns from now on."""
        self._turned, self._worked = time.monotonic(), time.thread_time()
        self._turns.start()

    def stop(self) -> None:
        """Note no more."""
        self._turns.stop()

    def _note_turn(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        self.waits.append(now - self._turned)
        self.work.append(worked - self._worked)
        self._turned, self._worked = now, worked
