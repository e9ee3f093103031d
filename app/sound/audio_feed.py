"""Transport of audio from a source to its receiver, on a thread of its own, with its level."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

from PySide6.QtCore import QLocale, QObject, Signal
from shiboken6 import isValid

from app.sound.audio_sources import AudioSource
from app.sound.loudness import QUIETEST_DBFS as QUIETEST_DBFS
from app.sound.loudness import loudness_dbfs
from app.sound.source_notes import Back, Lost, Missed, Moved, Note, Slept, Unplayed
from engine.audio import Samples
from engine.audio.remark import Remark
from engine.errors import AudioError


class AudioFeed(QObject):
    """One run of one source.

    Signals:
        level_measured: the loudness of the newest chunk in dBFS (0 is a full-scale square wave), QUIETEST_DBFS if every
            sample is zero.
        noticed: something odd that does not end the recording, in one sentence.
        flawed: a fault of the source itself, such as a file that is cut short, in one sentence.
        interrupted: the device was disconnected, in one sentence; silence replaces it, so that times stay true.
        resumed: it is back, or another took over, in one sentence.
        ended: the source is finished or was stopped; all its chunks were delivered. The feed's last signal.
        failed: the source could not be opened or broke off permanently, in one sentence; its last signal.
    """

    level_measured = Signal(float)
    noticed = Signal(str)
    flawed = Signal(str)
    interrupted = Signal(str)
    resumed = Signal(str)
    ended = Signal()
    failed = Signal(str)

    def __init__(self, source: AudioSource, deliver: Callable[[Samples], None], parent: QObject) -> None:
        """Prepare a feed; `deliver` is called on the feed's thread with each chunk."""
        super().__init__(parent)
        self.source = source
        self._deliver = deliver
        self._stop = threading.Event()
        self._interrupted = False
        self._thread = threading.Thread(target=self._run, name="audio feed", daemon=True)

    @property
    def has_started(self) -> bool:
        return self._thread.ident is not None

    @property
    def is_stopping(self) -> bool:
        """Return whether it was asked to stop; a device that hangs may take its time."""
        return self._stop.is_set()

    @property
    def is_interrupted(self) -> bool:
        """Return whether the device is gone, so that only silence is delivered."""
        return self._interrupted

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Request the end; it comes as a signal, once everything recorded has been delivered."""
        self._stop.set()

    def wait(self, seconds: float) -> None:
        """Wait for the thread to end, before the app ends."""
        self._stop.set()
        if self.has_started:
            self._thread.join(seconds)

    def _run(self) -> None:
        """Feed until the end, and tell of every end: who waits for it would wait for ever."""
        try:
            self._feed()
        except Exception as error:
            if isValid(self):  # else the app did not wait any longer, and is gone
                traceback.print_exc()
                reason = str(error) or type(error).__name__
                self.failed.emit(self.tr("“{}” broke off unexpectedly ({}).").format(self.source.name, reason))

    def _feed(self) -> None:
        try:
            for chunk in self.source.chunks(self._stop, self._report):
                self._deliver(chunk)
                self.level_measured.emit(loudness_dbfs(chunk))
        except AudioError as error:
            self.failed.emit(str(error))
        else:
            self.ended.emit()

    def _report(self, note: Note) -> None:
        name = self.source.name
        match note:
            case Lost():
                self._interrupted = True
                text = self.tr("“{}” was disconnected. The recording goes on, silent, until it is back.")
                self.interrupted.emit(text.format(name))
            case Back(seconds):
                self._interrupted = False
                text = self.tr("“{}” is back. The {} without it were recorded as silence.")
                self.resumed.emit(text.format(name, self._span(seconds)))
            case Moved(other, plays=False):
                self.noticed.emit(self.tr("The system's default changed: now listening to “{}”.").format(other))
            case Moved(other):
                text = self.tr("The system's default changed: not a microphone, but what “{}” plays is heard now.")
                self.noticed.emit(text.format(other))
            case Missed(seconds):
                text = self.tr("This computer was too busy to record {}. They were kept as silence.")
                self.noticed.emit(text.format(self._span(seconds)))
            case Slept(seconds):
                text = self.tr("The computer was asleep for {}. The recording goes on.")
                self.noticed.emit(text.format(self._span(seconds)))
            case Unplayed(reason):
                self.noticed.emit(reason)
            case str(reason) | Remark(reason):
                self.flawed.emit(reason)

    def _span(self, seconds: float) -> str:
        if seconds < 10:
            return self.tr("{} s").format(QLocale().toString(max(seconds, 0.1), "f", 1))
        if seconds < 120:
            return self.tr("{} s").format(round(seconds))
        return self.tr("{} min").format(round(seconds / 60))
