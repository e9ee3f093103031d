import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.rounds.schedule import MOST_BUSY, PRICE_SECONDS, RoundSchedule, step_for
from engine.options import MIN_STEP_SECONDS

COSTS = st.floats(0.001, 20)


def step_after(costs: Sequence[float], shortest: float = MIN_STEP_SECONDS) -> float:
    schedule = RoundSchedule(shortest)
    for cost in costs:
        schedule.add_cost(cost)
    return schedule.step_seconds


@pytest.mark.parametrize(("cost", "step"), [(0.01, 0.1), (0.09, 0.2), (0.25, 0.33), (0.9, 1.0), (4.5, 5.0)])
def test_cheap_rounds_come_often_and_dear_ones_as_seldom_as_they_must(cost: float, step: float) -> None:
    assert step_after([cost] * 5) == pytest.approx(step, abs=0.01)


@given(COSTS)
def test_where_rounds_leave_time_to_spare_no_other_step_costs_less_delay_and_work_together(cost: float) -> None:
    def together(step: float) -> float:
        return step / 2 + PRICE_SECONDS * cost / step

    best = math.sqrt(2 * PRICE_SECONDS * cost)
    if best >= cost / MOST_BUSY:
        assert step_for(cost) == best
        assert all(together(best) <= together(best * factor) for factor in (0.5, 0.9, 1.1, 2.0))


@given(st.lists(COSTS, min_size=1, max_size=40))
def test_rounds_that_cost_as_much_as_those_before_never_fill_the_time(costs: list[float]) -> None:
    steady = step_after(costs + [costs[-1]] * 60)
    assert costs[-1] <= steady * (MOST_BUSY + 0.01)


@given(COSTS, COSTS)
def test_the_step_rises_with_the_cost(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert step_for(low) <= step_for(high)


@given(st.lists(COSTS, min_size=1, max_size=20), st.floats(0.0, 100.0))
def test_one_slow_round_moves_the_step_by_less_than_a_third(costs: list[float], slow: float) -> None:
    before = step_after(costs)
    assert before * 0.7 <= step_after([*costs, slow]) <= before * 1.3


@given(st.lists(COSTS, max_size=10), st.floats(MIN_STEP_SECONDS, 30))
def test_no_step_is_shorter_than_asked_for_and_a_fixed_one_is_what_was_asked_for(
    costs: list[float], shortest: float
) -> None:
    assert step_after(costs, shortest) >= shortest
    fixed = RoundSchedule(shortest, follows_cost=False)
    for cost in costs:
        fixed.add_cost(cost)
    assert fixed.step_seconds == shortest
