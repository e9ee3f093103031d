"""Transport of all sides of a source to their receivers, as one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.sound.audio_feed import AudioFeed
from app.sound.audio_sources import Source, sides_of

if TYPE_CHECKING:
    from app.sound.alignment import Deliver


class SidedFeed(QObject):
    """One run of a source with one side or several; they end together.

    Attributes:
        source: the source.

    Signals:
        level_measured: the loudness of a side's newest chunk in dBFS, and the number of the side.
        noticed, flawed, interrupted, resumed: of any side, as in AudioFeed.
        ended: all sides are finished or were stopped; all their chunks were delivered. The last signal.
        failed: a side could not be opened or broke off permanently, in one sentence, and the others have ended. The
            last signal.
    """

    level_measured = Signal(float, int)
    noticed = Signal(str)
    flawed = Signal(str)
    interrupted = Signal(str)
    resumed = Signal(str)
    ended = Signal()
    failed = Signal(str)

    def __init__(self, source: Source, deliver: Sequence[Deliver], parent: QObject) -> None:
        """Prepare a feed; each function of `deliver` is called with the chunks of one side, on that side's thread."""
        super().__init__(parent)
        self.source = source
        sides = sides_of(source)
        taking = deliver
        if source.passes_by and len(sides) > 1:
            from app.sound.alignment import aligned

            taking = aligned(deliver)
        self._feeds = [AudioFeed(side, take, self) for side, take in zip(sides, taking, strict=True)]
        self._over = 0  # sides that have ended
        self._failure: str | None = None
        for number, feed in enumerate(self._feeds):
            feed.level_measured.connect(partial(self._pass_level, number))
            feed.noticed.connect(self.noticed)
            feed.flawed.connect(self.flawed)
            feed.interrupted.connect(self.interrupted)
            feed.resumed.connect(self.resumed)
            feed.ended.connect(self._note_end)
            feed.failed.connect(self._note_failure)

    @property
    def has_started(self) -> bool:
        return self._feeds[0].has_started

    @property
    def is_over(self) -> bool:
        """Return whether everything has been delivered, and `ended` or `failed` was emitted."""
        return self._over == len(self._feeds)  # a thread may live longer than its last signal

    @property
    def is_stopping(self) -> bool:
        """Return whether it was asked to stop; a device that hangs may take its time."""
        return any(feed.is_stopping for feed in self._feeds)

    @property
    def is_interrupted(self) -> bool:
        """Return whether a device is gone, so that only silence of it is delivered."""
        return any(feed.is_interrupted for feed in self._feeds)

    def start(self) -> None:
        for feed in self._feeds:
            feed.start()

    def stop(self) -> None:
        """Request the end; it comes as a signal, once everything recorded has been delivered."""
        for feed in self._feeds:
            feed.stop()

    def wait(self, seconds: float) -> None:
        """Wait for the threads to end, before the app ends."""
        self.stop()
        for feed in self._feeds:
            feed.wait(seconds)

    def _pass_level(self, number: int, dbfs: float) -> None:
        self.level_measured.emit(dbfs, number)

    @Slot(str)
    def _note_failure(self, message: str) -> None:
        self._failure = self._failure or message
        self.stop()
        self._note_end()

    @Slot()
    def _note_end(self) -> None:
        self._over += 1
        if self._over < len(self._feeds):
            return
        if self._failure is None:
            self.ended.emit()
        else:
            self.failed.emit(self._failure)
