"""The pulse of an engine process: when the process counts as stuck."""

from __future__ import annotations

import pytest

from app.engine_link.engine_pulse import LONGER_THAN_EVER, Patience, Pulse
from engine.process.messages import Beat

PATIENCE = Patience(look_seconds=1.0, silent_looks=3, first_looks=5, stuck_seconds=10.0)
IDLE = Beat(0.0, loading=False)


def at_work(seconds: float, *, loading: bool = False) -> Beat:
    return Beat(seconds, loading)


@pytest.fixture
def pulse() -> Pulse:
    return Pulse(PATIENCE)


def looks(pulse: Pulse, *beats: Beat) -> list[bool]:
    """Return, for each beat, whether the process then counts as stuck."""
    said = []
    for beat in beats:
        pulse.record_beat(beat)
        said.append(pulse.is_stuck())
    return said


def test_a_process_that_beats_is_not_stuck_whether_it_works_or_waits(pulse: Pulse) -> None:
    assert looks(pulse, IDLE, at_work(0.5), at_work(9.0), IDLE, IDLE) == [False] * 5


def test_a_process_that_falls_silent_is_stuck_after_so_many_looks(pulse: Pulse) -> None:
    looks(pulse, IDLE)
    assert [pulse.is_stuck() for _ in range(3)] == [False, False, True]


def test_a_process_that_starts_is_given_more_time(pulse: Pulse) -> None:
    assert [pulse.is_stuck() for _ in range(5)] == [False, False, False, False, True]


def test_one_late_beat_begins_the_count_anew(pulse: Pulse) -> None:
    looks(pulse, IDLE)
    assert [pulse.is_stuck() for _ in range(2)] == [False, False]
    assert looks(pulse, IDLE) == [False]
    assert [pulse.is_stuck() for _ in range(3)] == [False, False, True]


def test_a_piece_of_work_that_does_not_end_is_stuck_although_it_beats(pulse: Pulse) -> None:
    assert looks(pulse, at_work(5.0), at_work(10.0), at_work(10.1)) == [False, False, True]


def test_the_loading_of_a_model_may_take_any_time(pulse: Pulse) -> None:
    assert looks(pulse, at_work(5.0, loading=True), at_work(5000.0, loading=True)) == [False, False]
    assert looks(pulse, at_work(0.1), at_work(9.0)) == [False, False], "what comes after it is counted from its end"


def test_a_slow_machine_is_given_as_much_time_as_its_longest_work_asks_for(pulse: Pulse) -> None:
    looks(pulse, at_work(3.0), IDLE)
    pulse.begin()  # another process
    assert looks(pulse, at_work(3.0 * LONGER_THAN_EVER), at_work(3.0 * LONGER_THAN_EVER + 0.1)) == [False, True]


def test_what_hung_does_not_count_as_work_that_ended(pulse: Pulse) -> None:
    looks(pulse, at_work(100.0))
    pulse.begin()
    assert looks(pulse, at_work(10.1)) == [True]
