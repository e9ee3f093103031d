"""The simulation of rounds that overlap, held against what can be told without one."""

from __future__ import annotations

import pytest

from lab.bench.captions.overlap import StageSeconds, cases, overlapping, serial

SHORTEST = 0.3


def stages(encode: float, step: float, cpu_step: float | None = None) -> StageSeconds:
    return StageSeconds(encode, {"front": step, "rest": cpu_step or step})


def test_rounds_that_are_done_before_the_next_begins_are_no_sooner_for_overlapping() -> None:
    quick = stages(0.05, 0.005)
    assert overlapping(quick, 5, SHORTEST).delay == pytest.approx(serial(quick, 5, SHORTEST).delay, abs=0.01)
    assert overlapping(quick, 5, SHORTEST).step == pytest.approx(SHORTEST, abs=0.01)


def test_where_decoding_fills_the_time_two_executors_hear_twice_as_often() -> None:
    slow = stages(0.05, 0.02)
    alone, shared = serial(slow, 150, SHORTEST), overlapping(slow, 150, SHORTEST)
    assert 1.8 < alone.step / shared.step < 2.0
    assert 1.2 < alone.delay / shared.delay < 2.0


def test_no_round_is_done_sooner_than_its_stages_take() -> None:
    slow = stages(0.4, 0.01, 0.03)
    shared = overlapping(slow, 22, SHORTEST)
    assert shared.delay > slow.round(22) + shared.step


def test_more_forwards_gain_more() -> None:
    few, some, many = (case.gain for case in cases(stages(0.477, 0.0129, 0.0157), 8.0, SHORTEST)[:3])
    assert few == pytest.approx(1.0, abs=0.05)
    assert few < some < many
