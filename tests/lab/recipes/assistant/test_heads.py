"""The networks of the classifier learn, and by the right gradients."""

import numpy as np
import pytest

from engine.answer.intents.classifier import SHARPNESS
from engine.answer.intents.reranking import Reranker
from lab.recipes.assistant import heads
from lab.recipes.assistant.heads import Adam, fitted, reranker


def test_weights_go_where_the_gradient_leads() -> None:
    weights = {"x": np.array([4.0, -3.0], np.float32)}
    adam = Adam(weights)
    for _ in range(500):
        adam.step({"x": 2 * (weights["x"] - 1)}, 0.05)
    np.testing.assert_allclose(weights["x"], [1, 1], atol=0.05)


def examples(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Make candidates whose first feature marks the right one, if it is above 5."""
    features = np.random.default_rng(2).random((count, 3, 4)).astype(np.float32) * 5 + np.float32(2)
    right = np.zeros((count, 3), np.bool_)
    right[np.arange(count), features[..., 0].argmax(axis=1)] = features[..., 0].max(axis=1) > 5
    return features, right


def test_the_reranker_learns_which_is_right_and_that_none_may_be() -> None:
    features, right = examples(600)
    found = Reranker(reranker(features, right, np.ones(600, np.float32), 1)).probabilities(features)
    best = found.argmax(axis=1)
    assert (best == features[..., 0].argmax(axis=1)).mean() > 0.9
    assert found[right.any(axis=1)].sum(axis=1).mean() > 0.8 > 0.4 > found[~right.any(axis=1)].sum(axis=1).mean()


def test_what_does_not_count_is_not_learnt() -> None:
    features, right = examples(600)
    upside_down = right.copy()
    upside_down[300:] = ~right[300:] & (features[300:, :, 0] < 3)
    counts = np.where(np.arange(600) < 300, 1, 0).astype(np.float32)
    found = Reranker(reranker(features, upside_down, counts, 1)).probabilities(features)
    assert (found.argmax(axis=1) == features[..., 0].argmax(axis=1)).mean() > 0.9


def test_gradients_of_the_reranker_are_those_of_its_loss() -> None:
    features, right = examples(5)
    drawn = np.random.default_rng(3)
    learnt = {
        "first": drawn.normal(size=(2, 4)) / 4, "bias": drawn.normal(size=2), "second": drawn.normal(size=2),
        "none": np.array([0.3]),
    }  # fmt: skip
    wanted, weights = np.concatenate([right, ~right.any(axis=1, keepdims=True)], axis=1), np.full(5, 0.2)

    def loss() -> float:
        scores = np.tanh(features @ learnt["first"].T + learnt["bias"]) @ learnt["second"]
        likely = np.exp(np.concatenate([scores, np.full((5, 1), learnt["none"][0])], axis=1))
        likely /= likely.sum(axis=1, keepdims=True)
        return float(-(weights * np.log((likely * wanted).sum(axis=1))).sum())

    gradients = heads._reranker_gradients(learnt, features, wanted, weights)
    for name, each in learnt.items():
        for place in np.ndindex(each.shape):
            before, losses = each[place], []
            for change in (1e-5, -1e-5):
                each[place] = before + change
                losses.append(loss())
            each[place] = before
            assert gradients[name][place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-5)


def test_the_head_learns_and_draws_unusual_questions_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = np.random.default_rng(4)
    vectors = np.repeat(np.eye(8, dtype=np.float32)[:2], 20, axis=0) + drawn.normal(0, 0.05, (40, 8)).astype(np.float32)
    numbers, places = np.repeat([0, 1], 20), list[np.ndarray]()
    gradients = heads._gradients

    def watched(
        weights: dict[str, np.ndarray], some: np.ndarray, labels: np.ndarray, drawn: np.random.Generator
    ) -> dict[str, np.ndarray]:
        places.append(labels)
        return gradients(weights, some, labels, drawn)

    monkeypatch.setattr(heads, "_gradients", watched)
    counts = np.where(numbers == 1, heads.UNUSUAL_WEIGHT, 1.0)
    arrays = fitted(vectors, numbers, counts, 2, 1, steps=60)
    assert np.concatenate(places).mean() == pytest.approx(heads.UNUSUAL_WEIGHT / (heads.UNUSUAL_WEIGHT + 1), abs=0.02)
    inner = np.maximum(vectors * SHARPNESS @ arrays["first.weight"].T + arrays["first.bias"], 0)
    assert ((inner @ arrays["second.weight"].T + arrays["second.bias"]).argmax(axis=1) == numbers).all()
