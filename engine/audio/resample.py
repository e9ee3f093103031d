"""Conversion of any sample rate and channel count to mono at 16 kHz."""

from __future__ import annotations

import numpy as np
import soxr

from engine.audio import SAMPLE_RATE_HZ, Samples

CANCELLED_SHARE = 0.01
"""Smallest share of the loudest channel's power in the average; below it, channels cancel each other out."""


def mix_down(frames: np.ndarray) -> Samples:
    """Average channels: (n, channels) -> (n,). The average keeps the range, so nothing can clip here.

    Of channels that cancel each other out, as with one cable wired the wrong way round, only the first is used.
    """
    if frames.shape[1] == 1:
        return frames[:, 0].astype(np.float32)
    mixed: Samples = frames.mean(axis=1, dtype=np.float64).astype(np.float32)  # a sum may be too large for float32
    powers = np.square(frames, dtype=np.float64).sum(axis=0)
    if (strongest := powers.max(initial=0.0)) and np.square(
        mixed, dtype=np.float64
    ).sum() < CANCELLED_SHARE * strongest:
        # The first one, not the strongest: that might be another one in the next block, with inverted phase.
        return frames[:, int(np.argmax(powers >= strongest / 2))].astype(np.float32)
    return mixed


class Resampler:
    """Mono samples at `rate_hz` to 16 kHz, chunk by chunk; the result does not depend on the size of the chunks."""

    def __init__(self, rate_hz: int) -> None:
        self._stream = soxr.ResampleStream(rate_hz, SAMPLE_RATE_HZ, 1) if rate_hz != SAMPLE_RATE_HZ else None

    def add(self, samples: Samples) -> Samples:
        """Add samples (n,); return the samples at 16 kHz that are ready, possibly none."""
        return self._convert(samples, last=False)

    def finish(self) -> Samples:
        """Return the samples that the filter still holds. Nothing may be added afterwards."""
        return self._convert(np.zeros(0, np.float32), last=True)

    def _convert(self, samples: Samples, *, last: bool) -> Samples:
        if self._stream is None:
            return samples
        return np.asarray(self._stream.resample_chunk(samples, last=last), np.float32)


def resample(samples: Samples, rate_hz: int) -> Samples:
    """Resample a whole clip (n,) from `rate_hz` to 16 kHz."""
    resampler = Resampler(rate_hz)
    return np.concatenate([resampler.add(samples), resampler.finish()])
