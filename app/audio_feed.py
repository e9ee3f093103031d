"""Audio on its way from a source to whoever takes it, on a thread of its own, with its level."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.audio_sources import AudioSource
from engine.audio import Samples
from engine.errors import AudioError

QUIETEST_DBFS = -90.0


class AudioFeed(QObject):
    """One run of one source.

    Signals:
        level_measured: the loudness of the newest chunk in dBFS (0 is a full-scale square wave), QUIETEST_DBFS where
            every sample is zero.
        noticed: something odd about the source that does not end it, in one sentence.
        ended: the source is through or was stopped; all its chunks were delivered. The feed's last signal.
        failed: the source broke off, in one sentence; its last signal.
    """

    level_measured = Signal(float)
    noticed = Signal(str)
    ended = Signal()
    failed = Signal(str)

    def __init__(self, source: AudioSource, deliver: Callable[[Samples], None], parent: QObject) -> None:
        """`deliver` is called on the feed's thread with each chunk."""
        super().__init__(parent)
        self.source = source
        self._deliver = deliver
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audio feed", daemon=True)

    @property
    def has_started(self) -> bool:
        return self._thread.ident is not None

    @property
    def is_over(self) -> bool:
        """Whether everything has been delivered."""
        return self.has_started and not self._thread.is_alive()

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to end; a device that hangs may take its time."""
        return self._stop.is_set()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask for the end; it comes as a signal, once what was recorded has been delivered."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Let the thread come to its end, for the app's own end."""
        self._stop.set()
        if self.has_started:
            self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._feed()
        except RuntimeError:
            if not self._stop.is_set():
                raise
            # The app did not wait any longer, and is gone: there is nobody left to tell.

    def _feed(self) -> None:
        try:
            for chunk in self.source.chunks(self._stop, self.noticed.emit):
                self._deliver(chunk)
                self.level_measured.emit(loudness_dbfs(chunk))
        except AudioError as error:
            self.failed.emit(str(error))
        else:
            self.ended.emit()


def loudness_dbfs(samples: Samples) -> float:
    """Measure the root mean square of samples (n,) in decibels below full scale."""
    power = float(samples.dot(samples)) / max(len(samples), 1)
    return max(10 * math.log10(power), QUIETEST_DBFS) if power > 0 else QUIETEST_DBFS
