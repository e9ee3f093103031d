"""Conversion of any sample rate and channel count to mono at 16 kHz."""

from __future__ import annotations

import numpy as np
import soxr

from engine.audio import SAMPLE_RATE_HZ, Samples


def mix_down(frames: np.ndarray) -> Samples:
    """Average channels: (n, channels) -> (n,). The average keeps the range, so nothing can clip here."""
    if frames.shape[1] == 1:
        return frames[:, 0].astype(np.float32)
    mixed: Samples = frames.mean(axis=1, dtype=np.float64).astype(np.float32)  # a sum may be too large for float32
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
