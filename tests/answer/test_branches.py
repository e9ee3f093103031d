"""Branches change how many forwards a reply takes after a wrong guess, and never what it says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.answer.branches import MOST_KEPT, AlongBranches, continuation_of, likely_branches, with_other
from engine.answer.predictor import Predictor
from engine.answer.prompt import AnswerPrompt
from engine.errors import OptionError
from engine.language.drafts import DraftRest
from engine.language.language_model import LanguageModel
from engine.options import AnswerOptions
from tests.answer.scripted_model import ScriptedModel
from tests.answer.test_predictor import QUESTION, collected, finish, made, run
from tests.plain_decoding import assert_greedy

Scripted = Callable[..., ScriptedModel]
NAME, MISTAKEN, TOLD = "My name is Earshot. I live here.", "Ny name is Earshot. I live here.", "Tell me more. I wonder."
KEPT = AnswerOptions(branches=4)
answers = st.lists(st.integers(0, 5), max_size=5).map(tuple)
steps = st.tuples(
    st.sampled_from(["guess", "guess", "branch", "branch", "answer"]), st.one_of(st.none(), st.integers(0, 4))
)


@pytest.mark.parametrize(
    "options",
    [
        AnswerOptions(branches=3, reply_tokens=16),
        AnswerOptions(branches=2, reply_tokens=12),
        AnswerOptions(branches=2, reply_tokens=12, generation="jacobi"),
        AnswerOptions(branches=3, reply_tokens=12, verifier="top-k", top_k=1),
    ],
    ids=["as it is", "short", "jacobi", "top-1"],
)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    seed=st.integers(0, 3),
    turns=st.lists(st.tuples(st.lists(steps, max_size=5), st.booleans()), min_size=1, max_size=2),
)
def test_replies_are_those_of_plain_decoding_whatever_was_made_ahead_and_given_up(
    random_model: Callable[..., LanguageModel],
    options: AnswerOptions,
    seed: int,
    turns: list[tuple[list[tuple[str, int | None]], bool]],
) -> None:
    model = random_model(seed)
    predictor, layout = Predictor(model, options), AnswerPrompt(model, options)
    for done, reopened in turns:
        text = "what is the weather"
        for number, (what, pauses) in enumerate(done):
            text += f" wie {number}"
            run(predictor.branch() if what == "branch" else getattr(predictor, what)(text), pauses)
        if reopened:
            predictor.accept(text, finish(predictor.answer(text)).text)
            predictor.reopen()
            text += " heißt du"
        prompt = layout.tokens(predictor.history, f"{text} today")
        answer = finish(predictor.answer(f"{text} today"))
        assert_greedy(model, prompt, answer, options.reply_tokens)
        assert answer.wasted_tokens >= 0
        predictor.accept(f"{text} today", answer.text)


def guessed_otherwise(scripted_model: Scripted) -> ScriptedModel:
    """Return a model that answers part of the question wrongly, with the right answer as its second choice there."""

    def reply(user: str) -> str:
        return NAME if user.endswith("?") else MISTAKEN

    return scripted_model(reply, lambda user: NAME)


def test_where_the_candidate_fails_a_branch_takes_its_place_in_one_forward(scripted_model: Scripted) -> None:
    model = guessed_otherwise(scripted_model)
    predictor = Predictor(model, KEPT, resync=False)
    guess = made(predictor.guess("What is your"))
    told, _ = collected(predictor.branch())
    assert told == [None, "My name is Earshot."]
    answer = finish(predictor.answer(QUESTION))
    assert answer.text == NAME
    assert answer.accepted == 0
    assert answer.forwards_to_first_sentence == 2  # one finds the first token, one the rest of the sentence
    plain = Predictor(model, resync=False)
    assert made(plain.guess("What is your")).tokens == guess.tokens
    alone = finish(plain.answer(QUESTION))
    assert alone.text == NAME
    assert alone.forwards_to_first_sentence == len(model.encode("My name is Earshot."))


def test_a_branch_costs_its_forwards_and_the_tokens_that_it_wrote(scripted_model: Scripted) -> None:
    model = guessed_otherwise(scripted_model)
    predictor = Predictor(model, KEPT, resync=False)
    guess = made(predictor.guess("What is your"))
    model.forwards = 0
    pauses, _ = collected(predictor.branch())
    assert len(pauses) == model.forwards > 0
    assert collected(predictor.branch())[0] == []  # all are made
    answer = finish(predictor.answer(QUESTION))
    assert answer.speculative_forwards == guess.forwards + len(pauses)
    assert answer.wasted_tokens == 1  # the candidate's first token: the branch has taken over the others


def test_a_candidate_that_was_given_up_is_kept_for_the_rest_of_the_turn(scripted_model: Scripted) -> None:
    model = scripted_model(lambda user: TOLD if user.endswith("cut") else NAME)
    predictor = Predictor(model, KEPT, resync=False)
    made(predictor.guess("What is your"))
    made(predictor.guess("What is your cut"))
    assert predictor.candidate.startswith("Tell me more")
    answer = finish(predictor.answer(QUESTION))
    assert (answer.text, answer.accepted, answer.forwards_to_first_sentence) == (NAME, 0, 2)
    predictor.accept(QUESTION, answer.text)
    assert predictor._candidate.others == ()
    predictor.reopen()
    assert predictor._candidate.others != ()


def test_nothing_is_made_beside_a_guess_where_it_is_not_wanted_or_there_is_none(scripted_model: Scripted) -> None:
    model = guessed_otherwise(scripted_model)
    for options in (AnswerOptions(last_word=False), AnswerOptions(branches=4, speculate=False)):
        predictor = Predictor(model, options)
        finish(predictor.guess("What is"))
        finish(predictor.guess("What is your name?"))
        assert collected(predictor.branch())[0] == []
        assert predictor._candidate.others == ()
    predictor = Predictor(model, KEPT, resync=False)
    assert collected(predictor.branch())[0] == []
    run(predictor.guess("What is"), 3)  # not done
    assert collected(predictor.branch())[0] == []


def test_branches_that_are_given_up_are_gone_on_with_where_they_stopped(scripted_model: Scripted) -> None:
    model = guessed_otherwise(scripted_model)
    predictor = Predictor(model, KEPT, resync=False)
    made(predictor.guess("What is your"))
    run(predictor.branch(), 1)  # it has looked for them and written none
    assert predictor._candidate.others == ()
    model.forwards = 0
    assert collected(predictor.branch())[0] == ["My name is Earshot."]
    assert model.forwards == 1
    assert finish(predictor.answer(QUESTION)).forwards_to_first_sentence == 2


def test_the_likeliest_beginnings_are_those_of_the_most_probable_tokens_together() -> None:
    rows = np.log(np.array([[0.6, 0.3, 0.1, 1e-6], [0.1, 0.5, 0.4, 1e-6], [0.0001, 0.0001, 0.9, 0.05]])).astype("f4")
    answer = (0, 1, 2)
    assert likely_branches(rows, answer, 3, ()) == ((1,), (0, 2), (2,))
    assert likely_branches(rows, answer, 99, ()) == ((1,), (0, 2), (2,), (0, 0), (0, 1, 3))
    assert likely_branches(rows, answer, 2, {1}) == ((0, 2), (2,))  # an answer that ends there has nothing to go on
    assert likely_branches(rows[:1], (), 3, ()) == ()


@given(st.lists(answers, max_size=30))
def test_no_answer_is_kept_twice_and_no_more_than_may_be(made_ones: list[tuple[int, ...]]) -> None:
    others: tuple[tuple[int, ...], ...] = ()
    for new in made_ones:
        others = with_other(others, new)
        assert len(others) <= MOST_KEPT
        assert not new or others[0][: len(new)] == new
        beginnings = [(a, b) for a in others for b in others if a != b and b[: len(a)] == a]
        assert not beginnings
    for answer in made_ones:
        rest = continuation_of(others, answer)
        assert not rest or (*answer, *rest) in others


def test_the_newest_answers_stay() -> None:
    others: tuple[tuple[int, ...], ...] = ()
    for number in range(MOST_KEPT + 5):
        others = with_other(others, (number,))
    assert [first for (first,) in others] == list(range(MOST_KEPT + 4, 4, -1))


def test_what_begins_with_the_answer_is_offered_and_else_the_rest_of_the_draft() -> None:
    others = [(1, 2, 3, 4), (7, 8)]
    guesser = AlongBranches(lambda: others, DraftRest([9, 5, 6]))
    assert guesser.guess([1, 2], 9) == [3, 4]
    guesser.judge(1, [3, 5, 6])
    assert guesser.guess([1, 2, 3, 5], 9) == [6]
    guesser.judge(0, [5])
    assert guesser.guess([7], 0) == []
    assert (guesser.offered, guesser.kept) == (3, 1)


@pytest.mark.parametrize("count", [-1, 17])
def test_branches_have_bounds(count: int) -> None:
    with pytest.raises(OptionError, match="branches must be between 0 and 16"):
        AnswerOptions(branches=count)
