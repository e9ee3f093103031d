"""The audio that no committed word covers yet, kept so that a new engine can hear it again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.options import MAX_BUFFER_SECONDS

KEPT_SECONDS = 600.0
"""While the engine is gone, this much is kept (38 MB); older audio is given up so that memory stays bounded.

An engine that is there but too slow holds the audio that waits for it itself, 4 MB for every minute it is behind.
"""

RECALLED_SECONDS = 5.0
"""So much from before the end of the last committed word is kept too: what comes next is heard better in context."""


class UncommittedAudio:
    """Passes one recording on, and remembers what of it may be needed again.

    Fed on one thread, trimmed on another. Times are seconds since the recording began.

    Attributes:
        send: takes the samples.
        listener: is given them too, once; it must not wait. None where there is none.
    """

    def __init__(self, send: Callable[[Samples], None]) -> None:
        self.send = send
        self.listener: Callable[[Samples], None] | None = None
        self._lock = threading.Lock()
        self._chunks: deque[Samples] = deque()
        self._start = 0  # counted in samples
        self._end = 0
        self._closed = False

    @property
    def seconds(self) -> float:
        """Return how long the recording is."""
        return self._end / SAMPLE_RATE_HZ

    @property
    def start_seconds(self) -> float:
        """Where what is remembered begins."""
        return self._start / SAMPLE_RATE_HZ

    def add(self, samples: Samples) -> None:
        """Take the next samples and pass them on."""
        with self._lock:
            if self._closed:
                return
            self._chunks.append(samples)
            self._end += len(samples)
            self._forget(self._end - round(KEPT_SECONDS * SAMPLE_RATE_HZ))
            self.send(samples)
            if self.listener is not None:
                self.listener(samples)

    def heard(self, seconds: float) -> None:
        """The engine has taken in this much: what it has itself let go of by now is not needed again."""
        with self._lock:
            self._forget(round((seconds - MAX_BUFFER_SECONDS) * SAMPLE_RATE_HZ))

    def committed(self, seconds: float) -> None:
        """Words up to here never change: their audio is not needed again, but for a little of it as context."""
        with self._lock:
            self._forget(round((seconds - RECALLED_SECONDS) * SAMPLE_RATE_HZ))

    def send_again(self, begin: Callable[[float], None]) -> None:
        """Pass everything that is remembered on once more, before anything newer.

        `begin` is called before it with where that begins, in seconds; nothing else is passed on in between.
        """
        with self._lock:
            begin(self.start_seconds)
            for chunk in self._chunks:
                self.send(chunk)

    def close(self) -> None:
        """Pass nothing on any more."""
        with self._lock:
            self._closed = True
            self._chunks.clear()

    def _forget(self, before: int) -> None:
        while self._chunks and self._start + len(self._chunks[0]) <= before:
            self._start += len(self._chunks.popleft())
        if self._chunks and self._start < before:
            self._chunks[0] = self._chunks[0][before - self._start :]
            self._start = before
