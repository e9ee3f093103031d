"""A last hypothesis offered again where it stopped to hold: the same text, in fewer forwards."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.decode.beam import Greedy, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.multitoken import LIKELIEST, write_ahead
from engine.hear.decode.resync import DraftRemainder, begins_word
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import finish
from engine.hear.decode.tokenizer import load_tokenizer
from tests.hear.decode.toy_decoder import END, START, Next, ToyDecoder, logits_of

TEXT = tuple(range(2, 16))
VOCABULARY = 20
LIMIT = 20


def writes(text: Sequence[int]) -> Next:
    """Write this text, whatever was written in its place before, and end."""

    def following(written: tuple[int, ...]) -> np.ndarray:
        return logits_of({text[len(written)] if len(written) < len(text) else END: 0.9}, VOCABULARY)

    return following


def begins(token: int) -> bool:
    """Every other token begins a word."""
    return token % 2 == 0


def written(text: Sequence[int], rest: Sequence[int] | None, limit: int = LIMIT) -> tuple[Written, int]:
    """What is written without having read anything, plainly or with a rest of a draft, and the forwards it took."""
    reader = Reader(ToyDecoder(writes(text)))
    terms = Terms(END, (), limit)
    row = reader.read([START], [0])
    if rest is not None:
        left = DraftRemainder(rest, begins)
        return finish(write_ahead(reader, TextCandidate(), row[0], terms, LIKELIEST, left)), reader.forwards
    return finish(run_search(reader, Greedy(END), row, terms)), reader.forwards


def test_one_word_that_came_out_otherwise_costs_one_forward_more() -> None:
    found, forwards = written(TEXT, [19, *TEXT[1:]])
    assert found.text.tokens == TEXT
    assert forwards <= 4 < written(TEXT, None)[1]
    assert found.reused_tokens + found.steps == len(TEXT) + 1  # the end is a step, too


@pytest.mark.parametrize("rest", [[19, 18, *TEXT[1:]], TEXT[1:], [19, *TEXT]], ids=["two for one", "lost", "put in"])
def test_what_follows_is_found_again_where_words_came_or_went(rest: list[int]) -> None:
    found, forwards = written(TEXT, rest)
    assert found.text.tokens == TEXT
    assert forwards < written(TEXT, None)[1] - 4


@given(
    st.lists(st.integers(1, 9), max_size=15),
    st.lists(st.integers(1, 9), max_size=25),
    st.integers(1, 18),
)
def test_whatever_is_offered_the_text_is_that_of_plain_decoding(text: list[int], rest: list[int], limit: int) -> None:
    plain, most = written(text, None, limit)
    found, forwards = written(text, rest, limit)
    assert found.text.tokens == plain.text.tokens
    assert found.text.sum_logprob == pytest.approx(plain.text.sum_logprob)
    assert found.text.logprobs == pytest.approx(plain.text.logprobs)
    assert found.steps == plain.steps - found.reused_tokens
    assert most - found.reused_tokens <= forwards <= most - found.reused_tokens + 1
    assert forwards <= most


def test_words_are_counted_where_one_is_spelled_with_more_tokens() -> None:
    rest = DraftRemainder([10, 12, 5, 14, 7], begins)  # words: 10, 12 5, 14 7
    assert rest.guess([4], 9) == [12, 5, 14, 7]  # 4 took the place of 10
    rest.judge(0)
    assert rest.guess([4, 3], 9) == [12, 5, 14, 7]  # and goes on
    rest.judge(2)
    assert rest.guess([4, 3, 12, 5, 16], 9) == []  # 16 took the place of the last word
    rest.judge(0)
    assert rest.guess([4, 3, 12, 5, 16, 14], 1) == [7]  # or stood before it


def test_after_all_of_an_offer_held_more_is_offered() -> None:
    rest = DraftRemainder(range(2, 90, 2), begins)
    assert len(rest.guess([200], 99)) == 6
    rest.judge(6)
    assert len(rest.guess([200, *range(4, 18, 2)], 99)) == 24
    rest.judge(3)
    assert len(rest.guess([200, *range(4, 26, 2)], 99)) == 6


def test_words_begin_at_spaces_marks_and_letters_of_scripts_without_spaces() -> None:
    tokenizer = load_tokenizer(99, True)
    begins_one = begins_word(tokenizer)
    for text, whether in ((" the", True), (",", True), ("the", False), ("é", False), ("日", True), ("7", False)):
        assert begins_one(tokenizer.encode(text)[0]) is whether, text
