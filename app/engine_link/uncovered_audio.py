"""The audio of a recording that no committed word covers yet, kept so that another engine can hear it again. No Qt."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.options import MAX_BUFFER_SECONDS

KEPT_SECONDS = 600.0
"""Longest audio kept while the engine is gone (38 MB a side); the oldest is given up first.

An engine that is there but too slow holds the audio that waits for it itself, 4 MB for every minute it is behind.
"""

RECALLED_SECONDS = 5.0
"""Audio kept from before the end of the last committed word: what follows is heard better in context."""


@dataclass(slots=True)
class _Side:
    """Chunks of one side, and the samples of the recording between which they stand."""

    chunks: deque[Samples] = field(default_factory=deque)
    start: int = 0
    end: int = 0

    def forget(self, before: int) -> None:
        """Drop the samples before a moment of the recording."""
        while self.chunks and self.start + len(self.chunks[0]) <= before:
            self.start += len(self.chunks.popleft())
        if self.chunks and self.start < before:
            self.chunks[0] = self.chunks[0][before - self.start :]
            self.start = before


class UncoveredAudio:
    """Passes one recording on, and keeps what of it may be needed again.

    Its sides are recorded on a thread each, and another thread trims what is kept: one lock guards all of it. Times
    are seconds of the transcript, in which the recording begins at `start_seconds`.

    Attributes:
        listener: receives every chunk once, with the number of its side; it must not wait. None where there is none.
    """

    def __init__(self, sides: int, send: Callable[[Samples, int], None], start_seconds: float = 0.0) -> None:
        """Record this many sides; `send` receives chunks (n,) with the number of their side."""
        self.start_seconds = start_seconds
        self.listener: Callable[[Samples, int], None] | None = None
        self._send = send
        self._lock = threading.Lock()
        self._sides = tuple(_Side() for _ in range(sides))
        self._closed = False

    @property
    def seconds(self) -> float:
        """Return how long the recording is."""
        return max(side.end for side in self._sides) / SAMPLE_RATE_HZ

    def seconds_of(self, side: int) -> float:
        """Return how much of a side is recorded."""
        return self._sides[side].end / SAMPLE_RATE_HZ

    @property
    def starts(self) -> tuple[float, ...]:
        """Return the seconds at which what is kept of each side begins."""
        return tuple(self.start_seconds + side.start / SAMPLE_RATE_HZ for side in self._sides)

    def add(self, samples: Samples, side: int = 0) -> None:
        """Keep the next samples (n,) of a side and pass them on."""
        with self._lock:
            if self._closed:
                return
            kept = self._sides[side]
            kept.chunks.append(samples)
            kept.end += len(samples)
            kept.forget(kept.end - round(KEPT_SECONDS * SAMPLE_RATE_HZ))
            self._send(samples, side)
            if self.listener is not None:
                self.listener(samples, side)

    def note_heard(self, side: int, seconds: float) -> None:
        """Forget what an engine that has heard up to a second has let go of itself."""
        self._forget(side, seconds - MAX_BUFFER_SECONDS)

    def note_committed(self, side: int, seconds: float) -> None:
        """Forget what is covered by words up to a second, which never change, but for a little as context."""
        self._forget(side, seconds - RECALLED_SECONDS)

    def send_again(self, begin: Callable[[Sequence[float]], None]) -> None:
        """Pass on once more all that is kept, in the order in which it was recorded, before anything newer.

        `begin` is called first, with the second at which each side begins; nothing is passed on in between.
        """
        with self._lock:
            begin(self.starts)
            for _, number, chunk in sorted(self._in_time(), key=lambda each: each[0]):
                self._send(chunk, number)

    def close(self) -> None:
        """Pass nothing on any more."""
        with self._lock:
            self._closed = True
            for side in self._sides:
                side.chunks.clear()

    def _in_time(self) -> list[tuple[int, int, Samples]]:
        """List all chunks with the sample at which they end and their side."""
        found = []
        for number, side in enumerate(self._sides):
            end = side.start
            for chunk in side.chunks:
                end += len(chunk)
                found.append((end, number, chunk))
        return found

    def _forget(self, side: int, before_seconds: float) -> None:
        with self._lock:
            self._sides[side].forget(round((before_seconds - self.start_seconds) * SAMPLE_RATE_HZ))
