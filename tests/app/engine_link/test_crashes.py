"""Crashes of the engine: another attempt, or a question to a person."""

from __future__ import annotations

from app.engine_link.crashes import MOST_CRASHES, WITHIN_SECONDS, Crashes, Link, after_crash


def states(*moments: float, achieves: bool = False, crashes: Crashes = Crashes()) -> list[Link]:  # noqa: B008 - it is frozen
    """Return what follows each of these crashes; in between the engine may achieve something."""
    found = []
    for moment in moments:
        state, crashes = after_crash(crashes, moment)
        found.append(state)
        if achieves:
            crashes = crashes.achieved()
    return found


def test_the_third_crash_within_a_minute_is_one_too_many() -> None:
    assert states(0.0, 10.0, 59.0, achieves=True) == [Link.RESTARTING, Link.RESTARTING, Link.STOPPED]


def test_crashes_that_are_far_apart_are_made_good_every_time() -> None:
    moments = [number * WITHIN_SECONDS for number in range(10)]
    assert set(states(*moments, achieves=True)) == {Link.RESTARTING}


def test_an_engine_that_never_gets_anywhere_is_not_started_for_ever() -> None:
    moments = [number * 10 * WITHIN_SECONDS for number in range(MOST_CRASHES)]
    assert states(*moments) == [Link.RESTARTING, Link.RESTARTING, Link.STOPPED]


def test_crashes_that_are_forgotten_allow_another_attempt() -> None:
    assert states(*[0.0] * MOST_CRASHES)[-1] is Link.STOPPED
    assert states(1.0) == [Link.RESTARTING]


def test_what_was_counted_does_not_grow() -> None:
    crashes = Crashes()
    for number in range(100):
        _, crashes = after_crash(crashes, float(number))
    assert crashes == Crashes((97.0, 98.0, 99.0), 100)
    assert crashes.achieved() == Crashes((97.0, 98.0, 99.0), 0)
