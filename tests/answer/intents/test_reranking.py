"""The choice among the likeliest labels."""

import numpy as np
import pytest

from engine.answer.intents.reranking import CANDIDATES, Opinions, Reranker, choose, kinds_of

LIKELY = np.log(np.array([[0.3, 0.4, 0.1, 0.05, 0.05, 0.04, 0.03, 0.03]], np.float32))
OTHER = np.array([[0.0, 1.0, 4.0, 2.0, 0.0, 0.0, 0.0, 9.0]], np.float32)
KINDS = kinds_of(["intent"] * 6 + ["tool", "unknown"])
SIZES = np.arange(1, 9)


def test_candidates_are_the_likeliest_with_what_speaks_for_each() -> None:
    numbers, features = Opinions(LIKELY, OTHER, (OTHER, OTHER)).candidates(KINDS, SIZES)
    assert numbers.shape == (1, CANDIDATES) and numbers[0, :4].tolist() == [1, 0, 2, 3]
    likely, near, ahead, *_ = features[0, 2]
    assert (likely, near, ahead) == (LIKELY[0, 2], 4.0, -5.0), "the best of all others is no candidate"
    sized, *marks = features[0, 2, 7:]
    assert sized == pytest.approx(np.log(3)) and marks == [1, 0, 0]


def test_the_best_of_all_is_held_against_the_second() -> None:
    nearest = np.array([[5.0, 7.0, 6.5, 0, 0, 0, 0, 0]], np.float32)
    _, features = Opinions(LIKELY, nearest, ()).candidates(KINDS, SIZES)
    assert features[0, :3, 2].tolist() == [0.5, -2.0, -0.5]


def test_what_is_missing_to_one_is_none_of_them() -> None:
    arrays = {"first": np.eye(2), "bias": np.zeros(2), "second": np.array([3.0, 0.0]), "none": np.zeros(1)}
    reranker = Reranker({f"reranker.{name}": each for name, each in arrays.items()})
    features = np.array([[[9, 0], [-9, 0]], [[0, 9], [0, 0]]], np.float32)
    found = reranker.probabilities(features)
    np.testing.assert_allclose(found[1], [1 / 3, 1 / 3], rtol=1e-5)
    assert found[0, 0] > 0.9 and found.sum(axis=1).max() < 1


@pytest.mark.parametrize(
    ("likeliest", "probability", "sure"), [(1, 0.8, 0.4), (1, 0.2, 0.2), (0, 0.8, 0.0)]
)  # by meaning, that is 1, with 0.4
def test_of_a_tool_its_meaning_must_be_sure_too(likeliest: int, probability: float, sure: float) -> None:
    numbers, features = Opinions(LIKELY, OTHER, ()).candidates(KINDS, SIZES)
    probabilities = np.where(numbers == likeliest, np.float32(probability), np.float32(0.01))
    for tools, wanted in ((False, probability), (True, sure)):
        found, given = choose(numbers, features, probabilities, np.full(8, tools))
        assert found.tolist() == [likeliest] and given[0] == pytest.approx(wanted)
