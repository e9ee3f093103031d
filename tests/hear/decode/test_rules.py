from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.decode.rules import (
    NO_TOKENS,
    SuppressAtStart,
    TextOnly,
    apply_rules,
    compression_ratio,
    log_sum_exp,
    repeated_tail,
    transcript_rules,
)
from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer

# A small vocabulary in Whisper's order: text 0-9, end of text 10, specials and timestamps from 11 on.
EOT, SIZE = 10, 65
TEXT = 3


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(99, True)


def test_special_tokens_and_languages_are_never_said() -> None:
    row = np.zeros(SIZE, np.float32)
    TextOnly(EOT).apply(row, [])
    assert set(np.flatnonzero(row > -np.inf)) == {*range(EOT + 1)}


def test_what_is_suppressed_at_the_start_may_follow_later() -> None:
    rule = SuppressAtStart(np.array([2, EOT]))
    first, later = np.zeros((2, SIZE), np.float32)
    rule.apply(first, [])
    rule.apply(later, [TEXT])
    assert first[[2, EOT]].tolist() == [-np.inf, -np.inf]
    assert later.max() == later.min() == 0


def test_a_transcript_holds_only_what_is_said(tokenizer: Tokenizer) -> None:
    row = np.zeros((1, tokenizer.n_vocab), np.float32)
    apply_rules(
        transcript_rules(tokenizer, NO_TOKENS),
        row,
        [tokenizer.encode(" Hello")],
    )
    for text in (" Hello", ",", ".", "?", "'s", " world", " "):
        assert row[0, tokenizer.encode(text)].min() == 0
    assert row[0, tokenizer.eot] == 0
    for text in (" [", "♪", " (", " <<"):
        assert row[0, tokenizer.encode(text)[0]] == -np.inf
    forbidden = [tokenizer.sot, tokenizer.language_token("de"), tokenizer.no_speech, tokenizer.timestamp_begin]
    assert (row[0, forbidden] == -np.inf).all()


def test_a_transcript_begins_neither_blank_nor_ended(tokenizer: Tokenizer) -> None:
    row = np.zeros((1, tokenizer.n_vocab), np.float32)
    apply_rules(transcript_rules(tokenizer, NO_TOKENS), row, [[]])
    assert (row[0, [*tokenizer.encode(" "), tokenizer.eot]] == -np.inf).all()


@given(st.lists(st.one_of(st.just(-np.inf), st.floats(-50, 50, width=32)), min_size=1))
def test_log_sum_exp_is_that_of_double_precision(values: list[float]) -> None:
    with np.errstate(divide="ignore"):
        expected = np.log(np.exp(np.array(values, np.float64)).sum())
    assert log_sum_exp(np.array(values, np.float32)) == pytest.approx(expected, abs=1e-4)


def test_repetition_raises_the_compression_ratio() -> None:
    assert compression_ratio("") == 1.0
    assert compression_ratio("The quick brown fox jumps over the lazy dog, and then it sleeps.") < 1.5
    assert compression_ratio(" thank you for watching." * 12) > 2.4


@pytest.mark.parametrize(
    ("tokens", "repeated"),
    [
        ([], 0),
        ([1], 0),
        ([1, 2, 3, 4, 5] * 4, 0),  # a chorus
        ([7, 8] * 6, 0),  # "no, no, no, no, no, no"
        ([7] * 9, 0),
        ([7] * 14, 13),
        ([1, 2, 3, *[7] * 20], 19),
        ([1, 2, 3, *[5, 6] * 10], 18),
        ([*range(100, 120), *[1, 2, 3, 4, 5] * 6], 25),
        ([*range(30)] * 3, 0),
        ([*range(30)] * 4, 90),
        ([*[1, 2, 3, 4] * 6, 1, 2], 22),  # cut off within the block
        ([*range(50, 60), *[1, 2, 3, 4, 5, 6, 7] * 3, 1, 2, 9, 4, 5, 6, 7, *[1, 2, 3, 4, 5, 6, 7] * 3], 42),  # one slip
        ([*[7] * 20, *range(100, 112)], 0),  # it went on
    ],
)
def test_a_loop_is_a_block_said_over_and_over(tokens: list[int], repeated: int) -> None:
    assert repeated_tail(tokens) == repeated


def test_a_loop_may_change_a_word_now_and_then() -> None:
    generator = np.random.default_rng(0)
    clauses = [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 7, 6], [1, 2, 3, 4, 5, 8, 6]]
    tokens = [*range(100, 130), *(token for _ in range(14) for token in clauses[generator.integers(3)])]
    assert len(tokens) - repeated_tail(tokens) in range(36, 46)  # a clause is left, and its variants perhaps


@given(
    block=st.lists(st.integers(0, 5), min_size=1, max_size=12),
    copies=st.integers(3, 20),
    before=st.lists(st.integers(10, 20), max_size=9, unique=True),
)
def test_what_is_left_of_a_loop_is_no_loop(block: list[int], copies: int, before: list[int]) -> None:
    tokens = before + block * copies
    repeated = repeated_tail(tokens)
    if len(block) * (copies - 4) >= 12:
        assert repeated >= len(block) * (copies - 2)
    left = tokens[: len(tokens) - repeated]
    assert left[: len(before)] == before
    assert repeated_tail(left) == 0
