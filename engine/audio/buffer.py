"""The audio that may still be recognized again, addressed by absolute time."""

from __future__ import annotations

import numpy as np

from engine.audio import SAMPLE_RATE_HZ, Samples


class AudioBuffer:
    """Samples between two moments of the stream. It grows at the end, is cut at the start, and never exceeds its limit.

    Attributes:
        start_sample: index of the first stored sample, since the stream began.
        limit_samples: most samples stored; the oldest are dropped first.
    """

    def __init__(self, limit_seconds: float, start_seconds: float = 0.0) -> None:
        """Keep at most `limit_seconds`; the first sample to come stands at `start_seconds`."""
        self.start_sample = round(start_seconds * SAMPLE_RATE_HZ)
        self.limit_samples = round(limit_seconds * SAMPLE_RATE_HZ)
        # Twice the limit, so that samples move to the front once in a while and not with every chunk.
        self._store = np.zeros(2 * self.limit_samples, np.float32)
        self._first = self._last = 0

    def __len__(self) -> int:
        return self._last - self._first

    @property
    def samples(self) -> Samples:
        """View of the stored samples, (n,); it holds until the next call that changes the buffer."""
        return self._store[self._first : self._last]

    @property
    def end_sample(self) -> int:
        return self.start_sample + len(self)

    @property
    def start_seconds(self) -> float:
        return self.start_sample / SAMPLE_RATE_HZ

    @property
    def end_seconds(self) -> float:
        return self.end_sample / SAMPLE_RATE_HZ

    @property
    def seconds(self) -> float:
        return len(self) / SAMPLE_RATE_HZ

    def append(self, samples: Samples) -> None:
        """Append samples (n,); the excess over the limit is dropped from the start."""
        excess = len(self) + len(samples) - self.limit_samples
        if excess > 0:
            dropped = min(excess, len(self))
            self._drop(dropped)
            self.start_sample += excess - dropped  # a chunk longer than the limit loses its own start
            samples = samples[excess - dropped :]
        if self._last + len(samples) > len(self._store):
            kept = len(self)
            self._store[:kept] = self.samples
            self._first, self._last = 0, kept
        self._store[self._last : self._last + len(samples)] = samples
        self._last += len(samples)

    def cut_before(self, seconds: float) -> None:
        """Drop everything before `seconds` since the stream began. A moment outside the buffer means the nearer end."""
        self._drop(min(max(round(seconds * SAMPLE_RATE_HZ) - self.start_sample, 0), len(self)))

    def _drop(self, count: int) -> None:
        self._first += count
        self.start_sample += count
