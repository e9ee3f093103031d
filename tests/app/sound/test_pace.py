"""Sound held against the clock: late is not missing, and missing is not late."""

from __future__ import annotations

import pytest

from app.sound.pace import Pace, WrongRate

CHUNK = 0.05


def run(pace: Pace, seconds: float, now: float, *, rate: float = 1.0) -> tuple[float, float]:
    """Deliver chunks promptly, and what is missing; return how much that was, and the time then."""
    missing = 0.0
    until = now + seconds
    while now < until:
        now += CHUNK / rate
        wanting = pace.add(CHUNK, now)
        pace.deliver(wanting)
        missing += wanting
    return missing, now


def test_sound_that_comes_on_time_misses_nothing() -> None:
    pace = Pace()
    missing, now = run(pace, 600, 100.0)
    assert missing == 0.0
    assert pace.behind(now) == pytest.approx(0.0, abs=0.001)


def test_a_burst_after_a_stall_misses_nothing() -> None:
    pace = Pace()
    _, now = run(pace, 10, 0.0)
    now += 1.5
    assert [pace.add(CHUNK, now) for _ in range(30)] == [0.0] * 30
    missing, _ = run(pace, 10, now)
    assert missing == 0.0


def test_sound_lost_in_a_stall_is_missing_once() -> None:
    pace = Pace()
    _, now = run(pace, 10, 0.0)
    missing, now = run(pace, 10, now + 1.5)
    assert missing == pytest.approx(1.5, abs=0.01)
    missing, now = run(pace, 10, now)
    assert missing == 0.0
    assert pace.behind(now) == pytest.approx(0.0, abs=0.01)


def test_clocks_that_drift_apart_miss_nothing() -> None:
    missing, _ = run(Pace(), 3600, 0.0, rate=0.9998)
    assert missing == 0.0


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_a_device_that_has_changed_its_rate_is_noticed_soon(rate: float) -> None:
    pace = Pace()
    _, now = run(pace, 10, 0.0)
    with pytest.raises(WrongRate):
        for _ in range(20):
            _, now = run(pace, 0.5, now, rate=rate)
    assert now < 20


def test_while_nothing_comes_it_says_how_much_is_due() -> None:
    pace = Pace()
    assert pace.behind(5.0) == 0.0
    _, now = run(pace, 10, 0.0)
    assert pace.behind(now + 3) == pytest.approx(3.0, abs=0.06)
    pace.deliver(3.0)
    assert pace.behind(now + 3) == pytest.approx(0.0, abs=0.06)
