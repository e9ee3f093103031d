"""Guessed tokens are read as far as they save more time than they cost, and change no answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.answer.predictor import Predictor
from engine.answer.prompt import AnswerPrompt
from engine.language.language_model import LanguageModel
from engine.language.speculative_decoding import SpeculativeSession
from engine.language.thrift import KEPT_TIMES, After, Thrift
from engine.options import AnswerOptions
from tests.answer.test_predictor import finish, prefixes
from tests.plain_decoding import assert_greedy

QUESTION = "what is the weather please"


class Drawn(Thrift):
    """Finds worth what is drawn, in turn."""

    def __init__(self, worths: Sequence[int]) -> None:
        super().__init__()
        self._worths = list(worths)

    def worth(self, guessed: int, after: After, beside: int = 1) -> int:
        self._worths.append(self._worths.pop(0))
        return min(guessed, self._worths[-1])


def timed(cost: Callable[[int], float]) -> Thrift:
    thrift = Thrift()
    for tokens in (1, 2, 4, 8, 16, 32):
        thrift.note(tokens, cost(tokens))
    return thrift


def flat(tokens: int) -> float:
    return 15.0


def steep(tokens: int) -> float:
    return 6.0 + 9.0 * tokens


def test_all_is_read_while_nothing_is_known() -> None:
    thrift = Thrift()
    assert thrift.worth(20, "failed") == 20
    thrift.note(1, 15.0)
    assert thrift.worth(20, "failed") == 20


@pytest.mark.parametrize("after", ["prompt", "held", "failed"])
def test_all_is_read_where_a_block_takes_no_longer_than_a_token(after: After) -> None:
    assert timed(flat).worth(30, after) == 30


def test_where_each_token_takes_long_only_likely_ones_are_read() -> None:
    thrift = timed(steep)
    assert thrift.worth(30, "failed") == 0
    assert thrift.worth(30, "prompt") == 0
    assert 1 <= thrift.worth(30, "held") < 8
    assert thrift.worth(1, "held") == 1


def test_a_block_that_is_dear_at_once_and_then_free_is_read_whole_or_not_at_all() -> None:
    thrift = timed(lambda tokens: 15.0 if tokens == 1 else 30.0)
    assert thrift.worth(1, "held") == 0
    assert thrift.worth(30, "held") == 30


def test_chances_are_learnt() -> None:
    thrift = timed(steep)
    for _ in range(60):
        assert thrift.learn("prompt", 8, 8) == "held"
    assert thrift.worth(30, "prompt") > 8
    for _ in range(60):
        assert thrift.learn("prompt", 0, 8) == "failed"
    assert thrift.worth(30, "prompt") == 0
    assert thrift.learn("held", 0, 0) == "held"


def test_what_the_newest_forwards_took_counts_and_a_disturbed_one_does_not() -> None:
    thrift = timed(flat)
    thrift.note(1, 900.0)
    assert thrift.worth(30, "failed") == 30
    for tokens in (1, 2, 4, 8, 16, 32) * KEPT_TIMES:
        thrift.note(tokens, steep(tokens))
    assert thrift.worth(30, "failed") == 0


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    seed=st.integers(0, 3),
    worths=st.lists(st.integers(0, 6), min_size=1, max_size=9),
    last_word=st.booleans(),
)
def test_whatever_is_read_the_answer_is_that_of_plain_decoding(
    random_model: Callable[..., LanguageModel], seed: int, worths: list[int], last_word: bool
) -> None:
    model = random_model(seed)
    predictor = Predictor(model, AnswerOptions(reply_tokens=20, last_word=last_word), thrift=Drawn(worths))
    for text in prefixes(QUESTION):
        finish(predictor.guess(text))
        finish(predictor.guess_unfinished(f"{text} wha"))
    prompt = AnswerPrompt(model).tokens((), QUESTION)
    answer = finish(predictor.answer(QUESTION))
    assert 0 <= answer.accepted <= answer.drafted
    assert_greedy(model, prompt, answer, 20)


def test_tokens_of_a_draft_that_are_not_read_at_once_are_guessed_behind_those_that_hold(
    random_model: Callable[..., LanguageModel],
) -> None:
    model = random_model(1, ends=0)
    prompt = list(range(1, 12))
    plain = SpeculativeSession(model).update(prompt, max_tokens=12)
    assert plain is not None and len(plain.tokens) == 12
    whole, none, few = (
        SpeculativeSession(model, thrift=Drawn([worth])).update(prompt, plain.tokens, max_tokens=12)
        for worth in (12, 0, 2)
    )
    assert whole and none and few
    assert whole.tokens == none.tokens == few.tokens == plain.tokens
    assert (whole.forwards, none.forwards) == (1, 12)
    assert few.forwards < 8
    assert none.accepted == few.accepted == 12
