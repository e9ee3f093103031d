from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import LoadShed
from engine.hear.rounds.load_shedding import (
    BEHIND_SECONDS,
    CALM_SECONDS,
    FIRST_SECONDS,
    MOST_BEHIND_SECONDS,
    MOST_CALM_SECONDS,
    ROUND_SECONDS,
    LoadShedding,
    RoundLoad,
)

STEP_SECONDS = 2.0


def round_of(cost: float, context: float = 0.5, new: float | None = None, waiting: float = 0.0) -> RoundLoad:
    """Make a round of a machine that hears all the time: its new audio came while the one before was heard."""
    new = cost if new is None else new
    return RoundLoad(new, new + context, waiting, cost)


def shed_by(loads: Sequence[RoundLoad], *, has_candidates: bool = True, translates: bool = True) -> list[LoadShed]:
    """Return what is shed after each of these rounds, without repetitions."""
    shedding = LoadShedding(has_candidates=has_candidates)
    found = [shedding.shed]
    for number, load in enumerate(loads):
        shedding.add_round(load, number * STEP_SECONDS, translates=translates)
        found += [shedding.shed] if shedding.shed is not found[-1] else []
    return found


class Meter:
    """Feeds rounds of a cost, one every two seconds of sound."""

    def __init__(self) -> None:
        self.shedding = LoadShedding(has_candidates=False)
        self.now = 0.0

    def hear(self, load: RoundLoad, seconds: float = STEP_SECONDS) -> LoadShed:
        end = self.now + seconds
        while self.now < end:
            self.now += STEP_SECONDS
            self.shedding.add_round(load, self.now, translates=True)
        return self.shedding.shed


SLOW, QUICK = round_of(2.1, context=4.0), round_of(0.2)


def test_work_is_shed_in_the_order_that_is_stated() -> None:
    assert list(LoadShed) == sorted(LoadShed)
    assert shed_by([SLOW] * 20) == [
        LoadShed.NOTHING,
        LoadShed.TRANSLATION,
        LoadShed.CANDIDATES,
        LoadShed.CONTEXT,
        LoadShed.REHEARING,
    ]


def test_what_would_change_nothing_is_not_shed() -> None:
    found = shed_by([SLOW] * 20, has_candidates=False, translates=False)
    assert found == [LoadShed.NOTHING, LoadShed.CONTEXT, LoadShed.REHEARING]


def test_less_context_is_of_no_use_where_a_second_takes_half_a_second() -> None:
    found = shed_by([round_of(3.0, context=3.0)] * 20, has_candidates=False, translates=False)
    assert found == [LoadShed.NOTHING, LoadShed.REHEARING]


def test_sound_is_left_out_only_where_a_second_takes_more_than_one() -> None:
    hopeless = round_of(4.0, context=0.5, new=3.0)
    assert shed_by([hopeless] * 20, has_candidates=False, translates=False) == [LoadShed.NOTHING, LoadShed.AUDIO]
    just_in_time = round_of(3.5, context=0.5, new=3.5)
    assert shed_by([just_in_time] * 20)[-1] is LoadShed.REHEARING


def test_sound_is_left_out_where_captions_stay_far_too_late_though_all_could_be_heard() -> None:
    narrow = round_of(4.0, context=0.5, new=4.0)
    assert narrow.behind_seconds > MOST_BEHIND_SECONDS > BEHIND_SECONDS
    assert shed_by([narrow] * 20)[-2:] == [LoadShed.REHEARING, LoadShed.AUDIO]
    piled_up = round_of(4.0, context=0.5, new=5.0, waiting=20.0)
    assert shed_by([piled_up] * 20)[-1] is LoadShed.REHEARING
    assert shed_by([narrow, round_of(2.0)] * 20)[-1] is not LoadShed.AUDIO


def test_sound_is_heard_again_and_stays_so_where_hearing_less_takes_as_long() -> None:
    narrow, less = round_of(4.0, context=0.5, new=4.0), round_of(4.0, context=0.0, new=2.0)
    shedding = LoadShedding(has_candidates=False)
    found = []
    for number, load in enumerate([*[narrow] * 10, less, *[narrow] * 10]):
        shedding.add_round(load, number * STEP_SECONDS, translates=False)
        found.append(shedding.shed)
    assert found.count(LoadShed.AUDIO) == found.index(LoadShed.REHEARING, found.index(LoadShed.AUDIO)) - found.index(
        LoadShed.AUDIO
    )
    assert found[-1] is LoadShed.REHEARING
    quicker = [*[narrow] * 10, round_of(2.0, context=0.0)]
    assert shed_by(quicker, has_candidates=False, translates=False)[-1] is LoadShed.AUDIO


@pytest.mark.parametrize("cost", [0.05, 0.5, 1.0])
def test_nothing_is_shed_where_captions_are_near(cost: float) -> None:
    assert shed_by([round_of(cost)] * 50) == [LoadShed.NOTHING]


def test_a_single_slow_round_sheds_nothing() -> None:
    assert shed_by([QUICK, round_of(9.0, new=0.3), QUICK, QUICK] * 5) == [LoadShed.NOTHING]


def test_sound_that_has_piled_up_and_is_heard_quickly_sheds_nothing() -> None:
    assert shed_by([round_of(2.0, new=20.0, waiting=300.0 - 20 * each) for each in range(15)]) == [LoadShed.NOTHING]


def test_what_was_shed_comes_back_step_by_step_after_a_while_with_time_to_spare() -> None:
    meter = Meter()
    assert meter.hear(SLOW, 20.0) is LoadShed.REHEARING
    assert meter.hear(QUICK, CALM_SECONDS) is LoadShed.REHEARING
    assert meter.hear(QUICK, 4.0) is LoadShed.CONTEXT
    assert meter.hear(QUICK, CALM_SECONDS + 4.0) is LoadShed.TRANSLATION
    assert meter.hear(QUICK, CALM_SECONDS + 4.0) is LoadShed.NOTHING


def test_a_round_between_late_and_calm_changes_nothing_and_begins_the_while_anew() -> None:
    meter, between = Meter(), round_of(1.2, context=0.5)
    meter.hear(SLOW, 20.0)
    for _ in range(10):
        meter.hear(QUICK, CALM_SECONDS - 4.0)
        assert meter.hear(between) is LoadShed.REHEARING


def test_what_came_back_in_vain_comes_back_later_each_time() -> None:
    meter = Meter()
    meter.hear(SLOW, 20.0)
    waits = []
    for _ in range(7):
        began = meter.now
        while meter.hear(QUICK) is LoadShed.REHEARING:
            pass
        waits.append(meter.now - began)
        while meter.hear(SLOW) is not LoadShed.REHEARING:
            pass
    assert waits == sorted(waits)
    assert waits[1] >= 2 * waits[0] - 2 * STEP_SECONDS
    assert waits[-1] == waits[-2] <= MOST_CALM_SECONDS + 2 * STEP_SECONDS


def test_after_a_good_while_it_comes_back_as_soon_as_at_first() -> None:
    meter = Meter()
    for _ in range(4):
        meter.hear(SLOW, 20.0)
        assert meter.hear(QUICK, CALM_SECONDS + 4.0) is LoadShed.CONTEXT
        meter.hear(QUICK, 400.0)


def test_what_piled_up_is_heard_in_parts_that_take_no_longer_than_a_round_may() -> None:
    shedding = LoadShedding(has_candidates=False)
    assert shedding.most_new_seconds == FIRST_SECONDS
    for cost in (0.5, 4.0):
        shedding.add_round(round_of(cost, 0.0, 5.0), 0.0, translates=False)
        assert shedding.most_new_seconds * cost / 5.0 == pytest.approx(ROUND_SECONDS)
    shedding.add_round(round_of(50.0, 0.0, 5.0), 0.0, translates=False)
    assert shedding.most_new_seconds == FIRST_SECONDS


def test_sound_is_left_out_too_where_more_and_more_of_it_waits() -> None:
    losing = round_of(9.8, context=0.8, new=9.7, waiting=3.0)
    assert losing.pace < 1
    assert shed_by([losing] * 20, has_candidates=False, translates=False) == [LoadShed.NOTHING, LoadShed.AUDIO]
    catching_up = round_of(9.6, context=0.8, new=9.7, waiting=3.0)
    assert shed_by([catching_up] * 20)[-1] is LoadShed.REHEARING


@given(st.floats(0.1, 20.0), st.floats(0.1, 20.0), st.floats(0.0, 5.0))
def test_what_is_kept_can_be_heard_in_time_or_is_the_least_there_can_be(
    cost: float, new: float, context: float
) -> None:
    shedding = LoadShedding(has_candidates=False)
    load = round_of(cost, context, new)
    shedding.add_round(load, 0.0, translates=False)
    kept = shedding.kept_seconds
    takes = min(load.pace * kept, cost if kept <= load.heard_seconds else load.pace * kept)
    assert kept + takes <= BEHIND_SECONDS + 1e-6 or kept == pytest.approx(1.0)
