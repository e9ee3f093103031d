"""The vocabulary in bytes: the likeliest tokens of every row are those of the whole product, with its logits."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hear.whisper.cpu.vocabulary import CERTAIN_TOKENS, CpuVocabulary
from engine.machine.byte_products import has_byte_products

pytestmark = pytest.mark.skipif(not has_byte_products(), reason="bytes are multiplied on Linux only")

TOKENS, STATES = 9_000, 64


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(TOKENS, STATES)).astype(np.float32)


def states_for(rows: np.ndarray, count: int, sharpness: float) -> np.ndarray:
    """Make states that some tokens are more or less likely after than others."""
    generator = np.random.default_rng(1)
    noise = generator.normal(size=(count, STATES))
    return (noise + sharpness * rows[generator.integers(0, TOKENS, count)]).astype(np.float32)


@pytest.mark.parametrize("count", [1, 3, 9, 40])
@pytest.mark.parametrize("sharpness", [0.0, 0.3, 0.8])
def test_the_likeliest_are_right_in_order_and_size(rows: np.ndarray, count: int, sharpness: float) -> None:
    states = states_for(rows, count, sharpness)
    logits, exact = CpuVocabulary(rows).logits(states), states @ rows.T
    for found, wanted in zip(logits, exact, strict=True):
        best = np.argsort(-wanted)[:CERTAIN_TOKENS]
        assert np.argsort(-found)[:CERTAIN_TOKENS].tolist() == best.tolist()
        np.testing.assert_allclose(found[best], wanted[best], rtol=1e-4)
    np.testing.assert_allclose(np.log(np.exp(logits).sum(axis=1)), np.log(np.exp(exact).sum(axis=1)), atol=0.05)


def test_what_all_rows_share_costs_the_others_no_precision(rows: np.ndarray) -> None:
    rows = rows.copy()
    rows[:, 3] = 40 + 3 * rows[:, 3]
    vocabulary, states = CpuVocabulary(rows), states_for(rows, 3, 0.0)
    wrong = vocabulary.logits(states) - states @ rows.T
    assert np.abs(wrong).max() < 0.5
    assert vocabulary.exact < 3 * 100


def test_where_no_token_stands_out_all_are_exact() -> None:
    rows = np.random.default_rng(2).normal(size=(TOKENS, STATES)).astype(np.float32)
    rows[:, 1:] *= 1e-6
    states = np.zeros((1, STATES), np.float32)
    states[0, 1:] = 1.0
    vocabulary = CpuVocabulary(rows)
    np.testing.assert_allclose(vocabulary.logits(states), states @ rows.T, rtol=1e-4, atol=1e-9)
    assert vocabulary.exact > CERTAIN_TOKENS


def test_tokens_that_share_a_row_get_its_logit(rows: np.ndarray) -> None:
    kept = np.arange(0, 2 * (TOKENS - 1), 2)
    vocabulary = CpuVocabulary(rows, kept, 2 * TOKENS)
    states = states_for(rows, 2, 2.0)
    logits = vocabulary.logits(states)
    assert logits.shape == (2, 2 * TOKENS)
    np.testing.assert_allclose(logits[:, 1], logits[:, 3])
    assert np.array_equal(logits.argmax(axis=1), kept[(states @ rows[:-1].T).argmax(axis=1)])
    assert np.array_equal(vocabulary.embed(np.array([[0, 1, 2]])), rows[[[0, TOKENS - 1, 1]]])


@pytest.mark.parametrize("count", [1, 9, 40])
def test_rows_in_half_precision_give_the_same_logits(rows: np.ndarray, count: int) -> None:
    halves = rows.astype(np.float16)
    small, large = CpuVocabulary(halves), CpuVocabulary(halves.astype(np.float32))
    states, tokens = states_for(rows, count, 0.3), np.arange(TOKENS)
    np.testing.assert_allclose(small.logits(states), large.logits(states), rtol=1e-5, atol=1e-4)
    assert np.array_equal(small.embed(tokens), halves.astype(np.float32))
