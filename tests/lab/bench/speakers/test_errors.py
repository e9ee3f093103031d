from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.speakers.turns import SpeakerTurn
from lab.bench.speakers.errors import best_matching, turn_errors

RIGHT = [SpeakerTurn(0.0, 4.0, 0), SpeakerTurn(4.0, 8.0, 1)]


def test_names_do_not_matter() -> None:
    assert turn_errors(RIGHT, [SpeakerTurn(0.0, 4.0, 1), SpeakerTurn(4.0, 8.0, 0)], 10.0).rate == 0


def test_missed_false_and_confused_speech_are_told_apart() -> None:
    found = [SpeakerTurn(1.0, 5.0, 0), SpeakerTurn(5.0, 9.0, 1)]
    errors = turn_errors(RIGHT, found, 10.0)
    assert errors.missed == pytest.approx(1.0) and errors.false == pytest.approx(1.0)
    assert errors.confused == pytest.approx(1.0) and errors.speech == pytest.approx(8.0)
    assert errors.rate == pytest.approx(3 / 8)


def test_overlap_counts_twice() -> None:
    right = [SpeakerTurn(0.0, 2.0, 0), SpeakerTurn(1.0, 2.0, 1)]
    errors = turn_errors(right, [SpeakerTurn(0.0, 2.0, 0)], 3.0)
    assert (errors.missed, errors.speech) == (pytest.approx(1.0), pytest.approx(3.0))


def test_a_collar_forgives_moments_around_the_ends_of_turns() -> None:
    found = [SpeakerTurn(0.2, 4.2, 0), SpeakerTurn(4.2, 7.9, 1)]
    assert turn_errors(RIGHT, found, 10.0).rate > 0
    assert turn_errors(RIGHT, found, 10.0, 0.25).rate == 0


def test_one_speaker_for_all_loses_whoever_speaks_less() -> None:
    right = [SpeakerTurn(0.0, 6.0, 0), SpeakerTurn(6.0, 8.0, 1)]
    assert turn_errors(right, [SpeakerTurn(0.0, 8.0, 0)], 8.0).rate == pytest.approx(0.25)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 1000))
def test_the_matching_is_the_best_of_all(rows: int, columns: int, seed: int) -> None:
    agree = np.random.default_rng(seed).random((rows, columns))
    choices = [*range(columns), *[-1] * rows]
    best = max(
        sum(agree[row, column] for row, column in enumerate(each) if column >= 0)
        for each in set(permutations(choices, rows))
    )
    found = best_matching(agree)
    taken = [column for column in found if column >= 0]
    assert len(taken) == len(set(taken))
    assert sum(agree[row, column] for row, column in enumerate(found) if column >= 0) == pytest.approx(best)
