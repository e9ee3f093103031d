"""A last hypothesis offered again where it stopped to hold: the same text, in fewer forwards."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hear.decode.beam import Candidate, Greedy
from engine.hear.decode.decoder import Reader
from engine.hear.decode.resync import write_again
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import finish
from engine.language.drafts import DraftRest
from tests.hear.decode.toy_decoder import END, START, Next, ToyDecoder, logits_of

TEXT = tuple(range(2, 16))
VOCABULARY = 20
LIMIT = 20


def writes(text: Sequence[int]) -> Next:
    """Write this text, whatever was written in its place before, and end."""

    def following(written: tuple[int, ...]) -> np.ndarray:
        return logits_of({text[len(written)] if len(written) < len(text) else END: 0.9}, VOCABULARY)

    return following


def written(text: Sequence[int], rest: Sequence[int] | None, limit: int = LIMIT) -> tuple[Written, int]:
    """What is written without having read anything, plainly or with a rest of a draft, and the forwards it took."""
    reader = Reader(ToyDecoder(writes(text)))
    terms = Terms(END, (), limit)
    row = reader.read([START], [0])
    if rest is not None:
        return finish(write_again(reader, Candidate(), row[0], terms, DraftRest(rest))), reader.forwards
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
