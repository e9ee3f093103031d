"""A reader brings the same logits however they are asked for, and caches part and join without a trace."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import numpy as np
import pytest

from engine.hear.decode.cache import DecoderCache
from engine.hear.decode.decoder import Reader
from engine.hear.speech_llama.heads import LatentHeads
from engine.hear.whisper.whisper_decoder import WhisperDecoder
from tests.hear.decode.test_reference import model

SHORTLIST = [7, 290, 262, 50257]


def decoder(seed: int = 0, draft_tokens: Sequence[int] = SHORTLIST) -> WhisperDecoder:
    """Make a random Whisper with random heads, which draft what it would hardly say."""
    random = np.random.default_rng(seed)
    drawn = random.standard_normal((3, 64, 64)).astype(np.float32) / 8
    made = plain_decoder()
    made.heads = LatentHeads(model().decoder.token_embedding, mx.array(drawn), np.array(draft_tokens))
    return made


def plain_decoder() -> WhisperDecoder:
    features = np.random.default_rng(0).normal(size=(1, 50, 64)).astype(np.float32)
    return WhisperDecoder(model(), model().cross_cache(mx.array(features)))


def test_heads_that_are_asked_at_once_say_what_they_say_later() -> None:
    at_once, later = Reader(decoder()), Reader(decoder())
    tokens = [50258, 50259, 290]
    np.testing.assert_allclose(at_once.read(tokens, [0, 2], ahead=3), later.read(tokens, [0, 2]), atol=1e-4)
    np.testing.assert_allclose(at_once.logits_ahead(2, 2), later.logits_ahead(2, 2), atol=1e-4)
    np.testing.assert_allclose(at_once.logits_ahead(0, 3), later.logits_ahead(0, 3), atol=1e-4)
    assert at_once.forwards == later.forwards == 1


def test_the_likeliest_tokens_of_heads_come_with_their_probabilities() -> None:
    reader = Reader(decoder())
    reader.read([50258, 290], [-1])
    tokens, logprobs = reader.look_ahead(reader.place, 3)
    logits = reader.logits_ahead(-1, 3).astype(np.float64)
    chances = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert [SHORTLIST.index(token) for token in tokens] == chances.argmax(axis=1).tolist()
    assert np.exp(logprobs) == pytest.approx(chances.max(axis=1), rel=1e-4)


def test_the_place_is_that_of_the_last_token_that_is_remembered() -> None:
    reader = Reader(decoder())
    reader.read([50258, 290, 262], [-1])
    assert reader.place == 2
    reader.truncate(2)
    assert reader.place == 1
    reader.read([7, 7], [-1])
    assert (reader.place, reader.cache.offset) == (1, 4)


def test_without_heads_there_is_nothing_ahead() -> None:
    with pytest.raises(AssertionError, match="heads"):
        Reader(plain_decoder()).read([50258], [-1], ahead=2)


# Caches.


def follow(cache: DecoderCache, tokens: list[list[int]]) -> np.ndarray:
    """Return the logits (b, n_vocab) behind one more token of every row."""
    logits, _ = model().decode(mx.array(tokens), plain_decoder()._cross, cache)
    return np.array(logits[:, -1])


def read(rows: list[list[int]]) -> DecoderCache:
    cache = model().new_cache(len(rows))
    follow(cache, rows)
    return cache


def test_rows_that_are_cut_and_put_in_another_order_go_on_as_if_read_anew() -> None:
    for indices in ([1], [0, 1], [1, 1, 0]):
        cache = read([[1, 2, 3], [4, 5, 6]])
        cache.truncate(2)
        cache.reorder(indices)
        assert (cache.batch, cache.offset) == (len(indices), 2)
        rows = [[[1, 2], [4, 5]][index] for index in indices]
        anew = follow(read(rows), [[9]] * len(indices))
        np.testing.assert_allclose(follow(cache, [[9]] * len(indices)), anew, atol=2e-4)


def test_a_row_that_a_cache_lacks_cannot_be_gone_on_with() -> None:
    with pytest.raises(ValueError, match="rows"):
        read([[1, 2]]).reorder([1])
