"""Timers that a person has set: they ring once, and may be taken away before."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from engine.turns import Language


@dataclass(frozen=True, slots=True)
class SetTimer:
    """One timer.

    Attributes:
        seconds: how long it was set for.
        due: when it rings, on the monotonic clock.
        language: that it was asked for in.
    """

    seconds: float
    due: float
    language: Language


class Timers(QObject):
    """Holds the timers that run.

    Attributes:
        running: the next to ring first.

    Signals:
        rang: a SetTimer.
    """

    rang = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.running: tuple[SetTimer, ...] = ()
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._ring)

    def set(self, seconds: float, language: Language) -> SetTimer:
        """Have a timer ring after so many seconds."""
        made = SetTimer(seconds, time.monotonic() + seconds, language)
        self.put((made,))
        return made

    def put(self, timers: tuple[SetTimer, ...]) -> None:
        """Have these run too; one that is due rings at once."""
        self._run((*self.running, *timers))

    def remove(self, timers: tuple[SetTimer, ...]) -> None:
        """Take these away, as far as they run."""
        self._run(tuple(each for each in self.running if each not in timers))

    def seconds_left(self) -> float | None:
        """How long it is until the next one rings; None where none runs."""
        return max(0.0, self.running[0].due - time.monotonic()) if self.running else None

    def _run(self, timers: tuple[SetTimer, ...]) -> None:
        self.running = tuple(sorted(timers, key=lambda each: each.due))
        self._next.stop()
        if (left := self.seconds_left()) is not None:
            self._next.start(round(left * 1000))

    def _ring(self) -> None:
        due = tuple(each for each in self.running if each.due <= time.monotonic())
        self.remove(due)  # and wait on for one that has not quite come, or the next
        for each in due:
            self.rang.emit(each)
