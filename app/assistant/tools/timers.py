"""Timers that a person has set: each rings once, unless it is removed before."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from engine.turns import Language

_LOOK_SECONDS = 30.0
"""Longest time between two looks at the clock: Qt's own stands still while the computer sleeps."""


@dataclass(frozen=True, slots=True)
class SetTimer:
    """One timer.

    Attributes:
        seconds: its length.
        due: when it rings, by `time.time`: a clock that goes on while the computer sleeps.
        language: of the request.
        label: its name, if it has one.
    """

    seconds: float
    due: float
    language: Language
    label: str = ""


class Timers(QObject):
    """Holds the running timers.

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
        """Start a timer of this many seconds."""
        made = SetTimer(seconds, time.time() + seconds, language, label)
        self.put((made,))
        return made

    @property
    def newest(self) -> tuple[SetTimer, ...]:
        """Return the newest timer, if any runs."""
        return tuple(sorted(self.running, key=lambda each: each.due - each.seconds)[-1:])

    def put(self, timers: tuple[SetTimer, ...]) -> None:
        """Run these timers too; one that is due rings at once."""
        self._run((*self.running, *timers))

    def remove(self, timers: tuple[SetTimer, ...]) -> None:
        """Remove these timers, as far as they run."""
        self._run(tuple(each for each in self.running if each not in timers))

    def _run(self, timers: tuple[SetTimer, ...]) -> None:
        self.running = tuple(sorted(timers, key=lambda each: each.due))
        self._next.stop()
        if self.running:
            left = max(0.0, self.running[0].due - time.time())
            self._next.start(round(min(left, _LOOK_SECONDS) * 1000))

    def _ring(self) -> None:
        due = tuple(each for each in self.running if each.due <= time.time())
        self.remove(due)  # and wait for the next, or for one that is not quite due
        for each in due:
            self.rang.emit(each)
