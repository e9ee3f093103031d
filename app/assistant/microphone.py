"""The microphone of a conversation, open only while it is needed."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.sound.audio_feed import AudioFeed
from app.sound.audio_sources import AudioSource
from app.sound.loudness import QUIETEST_DBFS
from engine.audio import Samples

DEAD_SILENCE_SECONDS = 3.0
LINGER_MILLISECONDS = 45_000
"""Time for which the microphone stays open after the push-to-talk key came up.

Opening it again takes a while, and could cost the first word.
"""


class ConversationMicrophone(QObject):
    """Records one source at a time.

    Signals:
        level_measured: dBFS of the newest audio.
        noticed: something odd that does not end it, in one sentence.
        closed: it was closed on request; all audio has been delivered.
        failed: it could not be opened or broke off, in one sentence; it is closed.
    """

    level_measured = Signal(float)
    noticed = Signal(str)
    closed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._feed: AudioFeed | None = None
        self._delivers = False
        self._sound_at = 0.0  # on the monotonic clock
        self._linger = QTimer(self, singleShot=True, interval=LINGER_MILLISECONDS)
        self._linger.timeout.connect(self.close)

    @property
    def is_open(self) -> bool:
        return self._feed is not None

    @property
    def delivers(self) -> bool:
        """Return whether any sound has come since it was opened."""
        return self._delivers

    @property
    def is_dead(self) -> bool:
        """Return whether nothing but zeros has come for a while, as from a microphone that is muted, denied or gone."""
        if self._feed is not None and self._feed.is_interrupted:
            return True
        return self._delivers and time.monotonic() - self._sound_at > DEAD_SILENCE_SECONDS

    def open(self, source: AudioSource, deliver: Callable[[Samples], None]) -> None:
        """Record, and call `deliver` with the samples on a thread of its own; do nothing if it is open already."""
        self._linger.stop()
        if self._feed is not None and not self._feed.is_stopping:
            return
        self._delivers = False
        self._sound_at = time.monotonic()
        feed = self._feed = AudioFeed(source, deliver, self)
        feed.level_measured.connect(self._note_level)
        for news in (feed.noticed, feed.flawed, feed.interrupted, feed.resumed):
            news.connect(self.noticed)
        feed.ended.connect(self._end)
        feed.failed.connect(self._fail)
        feed.start()

    def stay(self) -> None:
        """Cancel `close_soon`."""
        self._linger.stop()

    def close_soon(self) -> None:
        """Close after a while, unless it is opened again."""
        if self._feed is not None:
            self._linger.start()

    @Slot()
    def close(self) -> None:
        """Stop recording; `closed` follows."""
        self._linger.stop()
        if self._feed is not None:
            self._feed.stop()

    def shut_down(self) -> None:
        """Close the device before the app ends."""
        self._linger.stop()
        feed, self._feed = self._feed, None
        if feed is not None:
            feed.wait(seconds=1.0)

    @Slot(float)
    def _note_level(self, dbfs: float) -> None:
        if self.sender() is not self._feed:
            return
        self._delivers = True
        if dbfs > QUIETEST_DBFS:
            self._sound_at = time.monotonic()
        self.level_measured.emit(dbfs)

    @Slot()
    def _end(self) -> None:
        if self._leave():
            self.closed.emit()

    @Slot(str)
    def _fail(self, message: str) -> None:
        if self._leave():
            self.failed.emit(message)

    def _leave(self) -> bool:
        if self.sender() is not self._feed:
            return False
        feed, self._feed = self._feed, None
        self._linger.stop()
        assert feed is not None
        feed.deleteLater()
        return True
