"""Intervals of word error rates by the bootstrap: recordings are drawn again with replacement (Efron 1979)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.metrics import WordErrors

DRAWS = 2_000
WITHIN = 0.95
"""Share of the draws within an interval."""

Interval = tuple[float, float]


def rate_interval(errors: Sequence[WordErrors]) -> Interval:
    """Return the interval of the rate of errors, those of one recording each."""
    return _interval(_edits(errors), errors)


def difference_interval(errors: Sequence[WordErrors], others: Sequence[WordErrors]) -> Interval:
    """Return the interval of the difference in rate to others of the same recordings, in the same order."""
    return _interval(_edits(errors) - _edits(others), errors)


def _edits(errors: Sequence[WordErrors]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([each.edits for each in errors], np.float64)


def _interval(edits: np.ndarray[tuple[int], np.dtype[np.float64]], errors: Sequence[WordErrors]) -> Interval:
    words = np.array([each.reference_words for each in errors], np.float64)
    drawn = np.random.default_rng(0).integers(0, len(words), (DRAWS, len(words)))
    rates = edits[drawn].sum(1) / np.maximum(1, words[drawn].sum(1))
    low, high = np.quantile(rates, ((1 - WITHIN) / 2, (1 + WITHIN) / 2))
    return float(low), float(high)
