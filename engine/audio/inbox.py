"""A queue of audio that waits to be processed, with marks in it."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples


class Inbox:
    """Returns samples in the order of arrival, in parts that never cross a mark."""

    def __init__(self, start_seconds: float = 0.0) -> None:
        """Wait for the first sample, which comes at `start_seconds`."""
        self._chunks: deque[Samples] = deque()
        self._marks: deque[int] = deque()
        self._arrived = self._taken = round(start_seconds * SAMPLE_RATE_HZ)

    @property
    def arrived_seconds(self) -> float:
        """Second up to which audio was added."""
        return self._arrived / SAMPLE_RATE_HZ

    @property
    def removed_seconds(self) -> float:
        """Second up to which audio was removed."""
        return self._taken / SAMPLE_RATE_HZ

    @property
    def waiting_seconds(self) -> float:
        """Audio that is still waiting, in seconds."""
        return (self._arrived - self._taken) / SAMPLE_RATE_HZ

    @property
    def marks(self) -> int:
        """Number of marks that are still to come."""
        return len(self._marks)

    def add(self, chunk: Samples) -> None:
        """Add samples (n,); they are copied, since devices reuse their buffers."""
        if len(chunk):
            self._chunks.append(np.array(chunk, np.float32))
            self._arrived += len(chunk)

    def mark(self) -> None:
        """Set a mark after the newest sample."""
        self._marks.append(self._arrived)

    def pass_mark(self) -> bool:
        """Return whether there is a mark at the current position, and remove it."""
        if not self._marks or self._marks[0] > self._taken:
            return False
        self._marks.popleft()
        return True

    def remove(self, most: float = math.inf, *, window: int | None = None, whole: bool = True) -> Samples | None:
        """Remove and return the samples up to the next mark, at most `most`; None if there are none.

        With a `window`, the samples reach at most to the next multiple of that many samples in the stream. With
        `whole`, they reach exactly there, unless a mark comes before.
        """
        waiting = self._arrived - self._taken
        count = min(waiting, self._marks[0] - self._taken) if self._marks else waiting
        count = int(min(count, most))
        if window is not None:
            room = window - self._taken % window
            if count < room and whole and not self._marks:
                return None
            count = min(count, room)
        return self._cut(count) if count else None

    def _cut(self, count: int) -> Samples:
        self._taken += count
        parts = []
        while count:
            part = self._chunks.popleft()
            if len(part) > count:
                self._chunks.appendleft(part[count:])
                part = part[:count]
            parts.append(part)
            count -= len(part)
        return np.concatenate(parts)
