"""The newest values of a figure, and what they are compared with."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tuning.series import ENOUGH, RECENT, Series, ceiling


def filled(*values: float, most: int = 50) -> Series:
    series = Series(most)
    for value in values:
        series.add(value)
    return series


def test_now_is_the_middle_of_the_newest_values() -> None:
    series = filled(*[9.0] * 5, *[1.0] * RECENT)
    assert series.now == 1.0
    assert Series(5).now is None


def test_old_values_are_forgotten() -> None:
    series = filled(*map(float, range(100)), most=10)
    assert list(series.values) == [float(value) for value in range(90, 100)]
    assert (series.low, series.high) == (90.0, 99.0)


def test_a_change_keeps_what_was_before_and_counts_anew() -> None:
    series = filled(*[0.8] * 6)
    assert series.before is None and series.change_at is None
    series.note_change()
    assert (series.before, series.now) == (0.8, None)
    series.add(0.5)
    assert (series.before, series.now, series.change_at) == (0.8, 0.5, 6)


def test_several_changes_in_a_row_are_one() -> None:
    series = filled(*[0.8] * 6)
    series.note_change()
    for _ in range(ENOUGH - 1):
        series.add(5.0)
    series.note_change()
    series.note_change()
    assert series.before == 0.8
    for _ in range(ENOUGH):
        series.add(0.4)
    series.note_change()
    assert series.before == 0.4


def test_a_change_that_has_left_the_chart_is_not_marked() -> None:
    series = filled(*[1.0] * 10, most=10)
    series.note_change()
    assert series.change_at == 10
    for _ in range(9):
        series.add(2.0)
    assert series.change_at == 1
    series.add(2.0)
    assert series.change_at is None


def test_a_change_before_anything_was_measured_marks_nothing() -> None:
    series = Series(10)
    series.note_change()
    series.add(1.0)
    assert series.change_at is None and series.before is None


def test_values_that_are_none_are_left_out() -> None:
    assert list(filled(1.0, math.nan, math.inf, 2.0).values) == [1.0, 2.0]


def test_a_figure_that_is_yes_or_no_is_a_share() -> None:
    series = Series(20, statistics.fmean)
    for value in (1.0, 0.0, 1.0, 1.0):
        series.add(value)
    assert series.now == 0.75


@given(st.floats(1e-6, 1e6))
def test_an_axis_holds_its_values_and_is_not_much_longer(most: float) -> None:
    assert most * (1 - 1e-6) <= ceiling(most) <= 1.52 * most


@pytest.mark.parametrize(("most", "end"), [(0.0, 1.0), (1.0, 1.0), (0.62, 0.8), (0.13, 0.15), (2.2, 2.5), (47, 50)])
def test_an_axis_ends_at_a_short_number(most: float, end: float) -> None:
    assert ceiling(most) == end
