"""An embedding whose unused tokens share a row says what the full one says."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from engine.hear.whisper.embedding import HalfEmbedding, shared_rows

VOCABULARY, STATES = 1000, 16


def embedding(unused: int) -> nn.Embedding:
    """Make an embedding in which `unused` scattered tokens have the same row."""
    random = np.random.default_rng(0)
    rows = random.standard_normal((VOCABULARY, STATES)).astype(np.float32)
    rows[random.permutation(VOCABULARY)[:unused]] = rows[0]
    layer = nn.Embedding(VOCABULARY, STATES)
    layer.weight = mx.array(rows)
    return layer


def test_lookups_and_logits_are_those_of_the_full_embedding() -> None:
    full = embedding(unused=800)
    compact = shared_rows(full.weight)
    assert compact is not None
    assert compact.weight.shape[0] in (201, 202)  # row 0 may itself be among the unused
    tokens = mx.arange(VOCABULARY)[None]
    assert mx.array_equal(compact(tokens), full(tokens))
    states = mx.random.normal((5, 2, STATES), key=mx.random.key(1))
    assert mx.allclose(compact.as_linear(states), full.as_linear(states), atol=1e-5)


def test_an_embedding_of_distinct_rows_stays_as_it_is() -> None:
    assert shared_rows(embedding(unused=0).weight) is None
    assert shared_rows(embedding(unused=100).weight) is None


def test_rows_in_half_precision_say_what_they_say_in_float32() -> None:
    full, halves = embedding(unused=0), embedding(unused=0).weight.astype(mx.float16)
    full.weight = halves.astype(mx.float32)
    compact, tokens = HalfEmbedding(halves), mx.arange(VOCABULARY)[None]
    assert compact(tokens).dtype == mx.float32
    assert mx.array_equal(compact(tokens), full(tokens))
    states = mx.random.normal((5, 2, STATES), key=mx.random.key(1))
    assert mx.allclose(compact.as_linear(states), states @ full.weight.T, atol=1e-5)


def test_a_row_in_half_precision_is_shared_too() -> None:
    halves = embedding(unused=800).weight.astype(mx.float16)
    compact, tokens = shared_rows(halves), mx.arange(VOCABULARY)
    assert compact is not None
    assert mx.array_equal(compact(tokens), halves.astype(mx.float32))
