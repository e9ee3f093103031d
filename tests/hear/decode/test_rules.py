from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.decode.rules import (
    NO_TOKENS,
    SuppressAtStart,
    TextOnly,
    TimestampRules,
    apply_rules,
    compression_ratio,
    log_sum_exp,
    repeated_tail,
    transcript_rules,
)
from engine.hear.decode.tokenizer import Tokenizer, load_tokenizer

# A small vocabulary in Whisper's order: text 0-9, end of text 10, specials 11-14, timestamps from 15 on.
EOT, BEGIN, SIZE = 10, 15, 65
TEXT = 3


def time(index: int) -> int:
    return BEGIN + index


def rules(last: int = 49, last_initial: int = 20) -> TimestampRules:
    return TimestampRules(EOT, BEGIN, last, last_initial)


def allowed(sampled: Sequence[int], row: np.ndarray | None = None, **bounds: int) -> set[int]:
    """What may follow, where text is likelier than all timestamps together unless a row is given."""
    if row is None:
        row = np.zeros(SIZE, np.float32)
        row[:BEGIN] = 10.0
    row = row.copy()
    rules(**bounds).apply(row, sampled)
    return set(np.flatnonzero(row > -np.inf).tolist())


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return load_tokenizer(99, True)


def test_a_transcript_with_timestamps_begins_with_an_early_one() -> None:
    assert allowed([], last_initial=20) == {time(index) for index in range(21)}


def test_text_follows_an_opening_timestamp() -> None:
    assert allowed([time(0)]) == {*range(EOT + 1)}
    assert allowed([time(0), TEXT, time(9), time(9)]) == {*range(EOT + 1)}


def test_a_closing_timestamp_is_followed_by_an_opening_one_or_the_end() -> None:
    assert allowed([time(0), TEXT, time(9)]) == {EOT, *range(time(9), SIZE)}


def test_a_segment_may_open_where_the_last_one_closed_but_not_earlier() -> None:
    following = allowed([time(0), TEXT, time(9), time(9), TEXT, time(30)])
    assert time(30) in following
    assert time(29) not in following


def test_a_segment_closes_later_than_it_opened() -> None:
    following = allowed([time(12), TEXT])
    assert time(12) not in following
    assert time(13) in following


def test_timestamps_compare_by_time_and_not_by_their_place_in_the_text() -> None:
    # Four seconds were said at place 5; a rule that compared places would allow two seconds here.
    following = allowed([time(0), TEXT, TEXT, time(30), time(30), TEXT])
    assert not {time(index) for index in range(31)} & following


def test_no_timestamp_lies_beyond_the_audio() -> None:
    assert time(25) in allowed([time(0), TEXT], last=25)
    assert time(26) not in allowed([time(0), TEXT], last=25)


def test_a_timestamp_is_taken_if_all_together_are_likelier_than_any_text() -> None:
    row = np.full(SIZE, -20.0, np.float32)
    row[TEXT] = np.log(0.4)
    row[time(5) : time(11)] = np.log(0.1)  # 0.6 together, and none of them near 0.4
    assert TEXT not in allowed([time(0), TEXT], row)
    assert TEXT in allowed([time(8), TEXT], row)  # four of them would run backwards: 0.2 is left


def test_special_tokens_and_languages_are_never_said() -> None:
    assert not set(range(EOT + 1, BEGIN)) & (allowed([]) | allowed([time(0)]) | allowed([time(0), TEXT]))
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


def sample_under_rules(seed: int, last: int, length: int, peaked: float) -> list[int]:
    generator = np.random.default_rng(seed)
    sampled: list[int] = []
    while len(sampled) < length and (not sampled or sampled[-1] != EOT):
        row = (peaked * generator.normal(size=(1, SIZE))).astype(np.float32)
        apply_rules([rules(last, min(20, last))], row, [sampled])
        assert row.max() > -np.inf  # something may always follow
        weights = np.exp(row[0] - row.max())
        sampled.append(int(generator.choice(SIZE, p=weights / weights.sum(dtype=np.float64))))
    return sampled


@given(
    seed=st.integers(0, 10_000),
    last=st.integers(0, 49),
    length=st.integers(1, 40),
    peaked=st.sampled_from([0.5, 3, 20]),
)
def test_timestamps_come_in_pairs_and_never_run_backwards(seed: int, last: int, length: int, peaked: float) -> None:
    sampled = sample_under_rules(seed, last, length, peaked)
    times = [token - BEGIN for token in sampled if token >= BEGIN]
    assert times == sorted(times)
    assert times[0] <= min(20, last) and times[-1] <= last
    assert all(opened < closed for opened, closed in zip(times[::2], times[1::2], strict=False))
    kinds = "".join("t" if token >= BEGIN else "." if token == EOT else "w" for token in sampled)
    for segment in kinds.rstrip(".").split("tt"):
        assert segment.strip("t").count("t") == 0
    assert kinds[0] == "t" and "ttt" not in kinds


def test_timestamp_rules_equal_those_of_transformers() -> None:
    torch = pytest.importorskip("torch")
    logits_process = pytest.importorskip("transformers.generation.logits_process")
    # Its `no_timestamps` is the token before the first timestamp; the other specials are suppressed beforehand.
    config = SimpleNamespace(no_timestamps_token_id=BEGIN - 1, eos_token_id=EOT, bos_token_id=None)
    config.max_initial_timestamp_index = 20
    reference = logits_process.WhisperTimeStampLogitsProcessor(config, begin_index=1)
    for seed in range(300):
        generator = np.random.default_rng(seed)
        sampled = [token for token in sample_under_rules(seed, 49, int(generator.integers(0, 12)), 3) if token != EOT]
        row = (3 * generator.normal(size=SIZE)).astype(np.float32)
        row[EOT + 1 : BEGIN] = -np.inf
        expected = reference(torch.tensor([[11, *sampled]]), torch.tensor(row[None]))[0].numpy()
        rules().apply(row, sampled)
        np.testing.assert_array_equal(row, expected)


def test_a_transcript_without_timestamps_holds_only_what_is_said(tokenizer: Tokenizer) -> None:
    row = np.zeros((1, tokenizer.n_vocab), np.float32)
    apply_rules(
        transcript_rules(tokenizer, timestamps=False, audio_seconds=5.0, forbidden=NO_TOKENS),
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
    apply_rules(transcript_rules(tokenizer, timestamps=False, audio_seconds=5.0, forbidden=NO_TOKENS), row, [[]])
    assert (row[0, [*tokenizer.encode(" "), tokenizer.eot]] == -np.inf).all()


def test_the_first_timestamp_of_a_transcript_is_within_a_second_and_the_audio(tokenizer: Tokenizer) -> None:
    for seconds, latest in ((20.0, 50), (0.5, 25)):
        row = np.zeros((1, tokenizer.n_vocab), np.float32)
        apply_rules(transcript_rules(tokenizer, timestamps=True, audio_seconds=seconds, forbidden=NO_TOKENS), row, [[]])
        assert np.flatnonzero(row[0] > -np.inf).tolist() == [*range(50_364, 50_364 + latest + 1)]


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
