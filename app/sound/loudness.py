"""Loudness of sound. No Qt."""

from __future__ import annotations

import math

from engine.audio import Samples

QUIETEST_DBFS = -90.0
"""The loudness if every sample is zero."""


def loudness_dbfs(samples: Samples) -> float:
    """Return the root mean square of samples (n,) in decibels below full scale."""
    power = float(samples.dot(samples)) / max(len(samples), 1)
    return max(10 * math.log10(power), QUIETEST_DBFS) if power > 0 else QUIETEST_DBFS
