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
        label: what it is for, if that was said.
    """

    seconds: float
    due: float
    language: Language
    label: str = ""


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

    def set(self, seconds: float, language: Language, label: str = "") -> SetTimer:
        """Have a timer ring after so many seconds."""
        made = SetTimer(seconds, time.monotonic() + seconds, language, label)
        self.put((made,))
        return made

    @property
    def newest(self) -> tuple[SetTimer, ...]:
        """Return the one that was set last, if any runs."""
        return tuple(sorted(self.running, key=lambda each: each.due - each.seconds)[-1:])

    def put(self, timers: tuple[SetTimer, ...]) -> None:
        """Have these run too; one that is due rings at once."""
        self._run((*self.running, *timers))

    def remove(self, timers: tuple[SetTimer, ...]) -> None:
        """Take these away, as far as they run."""
        self._run(tuple(each for each in self.running if each not in timers))

    def left(self) -> list[tuple[float, str]]:
        """Return how long it is until each rings, in seconds, and what it is for."""
        return [(max(0.0, each.due - time.monotonic()), each.label) for each in self.running]

    def _run(self, timers: tuple[SetTimer, ...]) -> None:
        self.running = tuple(sorted(timers, key=lambda each: each.due))
        self._next.stop()
        if left := self.left():
            self._next.start(round(left[0][0] * 1000))

    def _ring(self) -> None:
        due = tuple(each for each in self.running if each.due <= time.monotonic())
        self.remove(due)  # and wait on for one that has not quite come, or the next
        for each in due:
            self.rang.emit(each)
