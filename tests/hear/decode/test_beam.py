"""Searches over a toy language model, whose logits depend on the whole sequence so far, without a neural network."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.decode.beam import Beam, Greedy, Search, TextCandidate, top_tokens
from engine.hear.decode.rules import log_sum_exp

END = 0
VOCABULARY = 7
ToyModel = Callable[[tuple[int, ...]], np.ndarray]


def toy_model(seed: int, vocabulary: int = VOCABULARY, end_bias: float = 0.0) -> ToyModel:
    @cache
    def logits(sequence: tuple[int, ...]) -> np.ndarray:
        row = 2 * np.random.default_rng([seed, *sequence]).normal(size=vocabulary).astype(np.float32)
        row[END] += end_bias
        row.setflags(write=False)  # it is given out again
        return row

    return logits


def run(search: Search, model: ToyModel, limit: int) -> TextCandidate:
    """Search as the decoder does, checking that the sources tell the truth."""
    while True:
        before = search.live
        sources = search.advance(np.stack([model(candidate.tokens) for candidate in before]))
        if search.done:
            return search.best()
        assert [before[source].tokens for source in sources] == [candidate.tokens[:-1] for candidate in search.live]
        if len(search.live[0].tokens) >= limit:
            return search.best()


def plain_beam(
    model: ToyModel, size: int, patience: float, alpha: float | None, limit: int
) -> tuple[tuple[int, ...], float]:
    """Search as published, word for word: equal prefixes at the start, sequences distinguished by a dictionary."""
    live = [((), 0.0)] * size
    finished: dict[tuple[int, ...], float] = {}
    enough = round(size * patience)
    for _ in range(limit):
        scores = plain_continuations(model, live, size + 1)
        live, ended = [], []
        for sequence in sorted(scores, key=scores.__getitem__, reverse=True):
            (ended if sequence[-1] == END else live).append((sequence, scores[sequence]))
            if len(live) == size:
                break
        finished |= dict(ended[: enough - len(finished)])
        if len(finished) >= enough:
            break
    for tokens, total in sorted(live, key=lambda entry: -entry[1]):
        if len(finished) < size:
            finished[(*tokens, END)] = total

    def score(sequence: tuple[int, ...]) -> float:
        length = max(1, len(sequence) - 1)
        return finished[sequence] / (length if alpha is None else ((5 + length) / 6) ** alpha)

    best = max(finished, key=score)
    return best[:-1], finished[best]


def plain_continuations(
    model: ToyModel, live: list[tuple[tuple[int, ...], float]], count: int
) -> dict[tuple[int, ...], float]:
    scores = {}
    for tokens, total in live:
        row = model(tokens).astype(np.float64)
        logprobs = row - np.log(np.exp(row).sum())
        for token in np.argsort(-logprobs)[:count]:
            scores[(*tokens, int(token))] = total + logprobs[token]
    return scores


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 6),
    patience=st.sampled_from([0.4, 1.0, 2.0]),
    alpha=st.sampled_from([None, 0.0, 0.6, 1.0]),
    end_bias=st.sampled_from([-3.0, 0.0, 2.0]),
)
def test_a_beam_finds_what_the_published_search_finds(
    seed: int, size: int, patience: float, alpha: float | None, end_bias: float
) -> None:
    if round(size * patience) < 1:
        return
    model = toy_model(seed, end_bias=end_bias)
    found = run(Beam(END, size, patience, alpha), model, limit=8)
    tokens, total = plain_beam(model, size, patience, alpha, limit=8)
    assert found.tokens == tokens
    assert found.sum_logprob == pytest.approx(total, abs=1e-4)


@given(seed=st.integers(0, 10_000), end_bias=st.sampled_from([-5.0, 0.0, 3.0]))
def test_a_beam_of_one_is_greedy(seed: int, end_bias: float) -> None:
    model = toy_model(seed, end_bias=end_bias)
    assert run(Beam(END, 1), model, limit=10) == run(Greedy(END), model, limit=10)


@given(seed=st.integers(0, 10_000))
def test_a_beam_that_holds_everything_finds_the_likeliest_sequence(seed: int) -> None:
    model, limit = toy_model(seed, vocabulary=4, end_bias=1.0), 3
    every = [words for length in range(limit + 1) for words in itertools.product(range(1, 4), repeat=length)]

    def total(tokens: tuple[int, ...]) -> float:
        steps = [*tokens, END] if len(tokens) < limit else [*tokens]
        rows = [model(tokens[:place]) for place in range(len(steps))]
        return sum(float(row[token]) - log_sum_exp(row) for row, token in zip(rows, steps, strict=True))

    found = run(Beam(END, size=64, patience=10, length_penalty=0.0), model, limit)
    assert found.sum_logprob == pytest.approx(max(map(total, every)), abs=1e-4)


@given(seed=st.integers(0, 1000), size=st.integers(2, 6))
def test_live_candidates_stay_distinct_and_sorted(seed: int, size: int) -> None:
    search, model = Beam(END, size, patience=10), toy_model(seed)
    for _ in range(5):
        search.advance(np.stack([model(candidate.tokens) for candidate in search.live]))
        totals = [candidate.sum_logprob for candidate in search.live]
        assert len({candidate.tokens for candidate in search.live}) == len(search.live) <= size
        assert totals == sorted(totals, reverse=True)


def test_patience_lets_more_candidates_end() -> None:
    model = toy_model(3, end_bias=1.0)
    hasty, patient = (
        run(Beam(END, 3, patience, length_penalty=0.0), model, limit=12).sum_logprob for patience in (1 / 3, 3.0)
    )
    assert patient >= hasty


def test_the_length_rule_decides_between_a_short_and_a_long_sentence() -> None:
    # After the first step [1] has ended with log p = -0.7 - 0.1; [2, 2, 2] ends with a lower sum but a better mean.
    rows = {
        (): {1: 0.5, 2: 0.5},
        (1,): {END: 0.9, 1: 0.1},
        (2,): {2: 0.9, 1: 0.1},
        (2, 2): {2: 0.9, 1: 0.1},
        (2, 2, 2): {END: 0.9, 1: 0.1},
    }

    def model(sequence: tuple[int, ...]) -> np.ndarray:
        row = np.full(3, -np.inf, np.float32)
        for token, probability in rows.get(sequence, {END: 1.0}).items():
            row[token] = math.log(probability)
        return row

    assert run(Beam(END, 2, 2.0), model, limit=6).tokens == (2, 2, 2)
    assert run(Beam(END, 2, 2.0, length_penalty=0.0), model, limit=6).tokens == (1,)


def test_a_search_that_is_cut_off_gives_its_best_unfinished_candidate() -> None:
    model = toy_model(1, end_bias=-50.0)
    found = run(Beam(END, 3), model, limit=4)
    assert len(found.tokens) == 4
    assert found.average_logprob == pytest.approx(found.sum_logprob / 5)


def test_sampling_follows_the_tempered_distribution_and_its_seed() -> None:
    row = np.log(np.array([[0.0, 0.5, 0.3, 0.2]], np.float32) + 1e-30)
    row[0, 0] = -np.inf
    expected = np.array([0.5, 0.3, 0.2]) ** (1 / 0.5)
    generator = np.random.default_rng(7)
    drawn = []
    for _ in range(4000):
        search = Greedy(END, temperature=0.5, generator=generator)
        search.advance(row)
        drawn.append(search.live[0].tokens[0])
    shares = np.bincount(drawn, minlength=4)[1:] / len(drawn)
    assert shares == pytest.approx(expected / expected.sum(), abs=0.03)

    def sample(seed: int) -> tuple[int, ...]:
        search = Greedy(END, 1.0, np.random.default_rng(seed))
        return run(search, toy_model(5, vocabulary=50, end_bias=-9.0), limit=20).tokens

    assert sample(1) == sample(1) != sample(2)


@given(
    count=st.integers(1, 9),
    values=st.lists(st.sampled_from([-np.inf, -2.0, -1.0, 0.0, 0.5, 3.0]), min_size=1, max_size=700),
)
def test_top_tokens_are_those_of_a_full_sort(count: int, values: list[float]) -> None:
    row = np.array(values, np.float32)
    order = [int(index) for index in np.argsort(-row, kind="stable") if row[index] > -np.inf]
    assert top_tokens(row, count) == order[:count]
