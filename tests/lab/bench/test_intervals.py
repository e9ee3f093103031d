"""Intervals hold the rate, are those of recordings, and are the same each time."""

from __future__ import annotations

from engine.metrics import WordErrors
from lab.bench.intervals import difference_interval, rate_interval

EVEN = [WordErrors(1, 0, 0, 10)] * 20
UNEVEN = [WordErrors(2 * (number % 2), 0, 0, 10) for number in range(20)]


def test_recordings_that_are_alike_have_no_spread() -> None:
    assert rate_interval(EVEN) == (0.1, 0.1)


def test_an_interval_holds_the_rate_and_narrows_with_more_recordings() -> None:
    low, high = rate_interval(UNEVEN)
    assert low < 0.1 < high
    assert (low, high) == rate_interval(UNEVEN)
    narrow_low, narrow_high = rate_interval(UNEVEN * 10)
    assert low < narrow_low < 0.1 < narrow_high < high


def test_a_difference_is_that_of_the_same_recordings() -> None:
    worse = [each + WordErrors(0, 1, 0, 0) for each in UNEVEN]
    assert difference_interval(worse, UNEVEN) == (0.1, 0.1)
