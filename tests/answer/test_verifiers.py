"""Tokens of a draft that each verifier keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.answer.predictor import Predictor
from engine.answer.verifiers import (
    MOST_SENTENCES,
    QUESTION,
    TOP_K_FLOOR,
    Reflection,
    Verifier,
    make_verifier,
    sentence_tokens,
    tokens_covering,
    top_k_tokens,
)
from engine.language.language_model import KeyValueCache, LanguageModel, load_language_model
from engine.language.speculative_decoding import Logits, accepted_tokens
from engine.options import AnswerOptions
from tests.answer.scripted_model import ScriptedModel
from tests.answer.test_predictor import finish, made
from tests.language_models import write_language_model

Scripted = Callable[..., ScriptedModel]
SIZE = 12
logits = arrays.arrays(np.float32, (7, SIZE), elements=st.integers(-6, 6).map(float))  # with many equals
drafts = st.lists(st.integers(0, SIZE - 1), max_size=6)


@given(logits, drafts)
def test_the_likeliest_alone_is_what_greedy_keeps(rows: Logits, draft: list[int]) -> None:
    assert top_k_tokens(rows, draft, 1) == top_k_tokens(rows, draft, 1, 1.0) == accepted_tokens(rows, draft)


@given(logits, drafts)
def test_a_k_of_the_whole_vocabulary_without_a_floor_keeps_everything(rows: Logits, draft: list[int]) -> None:
    assert top_k_tokens(rows, draft, SIZE) == len(draft)


@given(logits, drafts, st.integers(1, SIZE), st.floats(0, 1))
def test_top_k_keeps_what_sorting_says(rows: Logits, draft: list[int], k: int, floor: float) -> None:
    expected = 0
    for row, token in zip(rows, draft, strict=False):
        likeliest = np.argsort(-row, kind="stable")[:k]
        if token not in likeliest or np.exp(row[token] - row.max()) < floor:
            break
        expected += 1
    assert top_k_tokens(rows, draft, k, floor) == expected
    assert top_k_tokens(rows, draft, min(SIZE, k + 1), floor) >= expected


def counted(verifier: Verifier, rows: Logits, draft: Sequence[int], user: str = "") -> tuple[int, int]:
    """Return how many tokens a verifier keeps, and how many forwards it asks for."""
    verdict, forwards = verifier.verdict(rows, draft, user), 0
    while True:
        try:
            next(verdict)
            forwards += 1
        except StopIteration as end:
            return end.value, forwards


def test_the_options_choose_the_verifier(random_model: Callable[..., LanguageModel]) -> None:
    rows = np.log(np.array([[0.5, 0.3, 0.15, 0.05]] * 3, dtype=np.float32))
    model = random_model()

    def kept(draft: Sequence[int], floor: float = TOP_K_FLOOR, **options: object) -> int:
        return counted(make_verifier(model, AnswerOptions(**options), floor), rows, draft)[0]  # type: ignore[arg-type]

    assert [kept([0, 1]), kept([1, 0])] == [1, 0]
    assert [kept([1, 2], verifier="top-k"), kept([1, 3], verifier="top-k")] == [2, 1]
    assert [kept([1, 2], verifier="top-k", top_k=2), kept([2], 0.4, verifier="top-k")] == [1, 0]
    assert [kept([1, 2], verifier="biased", bias=0.2), kept([1], verifier="biased", bias=0.1)] == [1, 0]


def test_top_k_keeps_the_tokens_of_the_draft_in_the_reply(scripted_model: Scripted) -> None:
    """The first guess stays where another answer is only slightly likelier, as it was spoken ahead."""
    first, other = "Sure, I can help you. Ask me.", "Well, I do help you. Go on."

    def model(**more: object) -> ScriptedModel:
        return scripted_model(
            lambda user: first if user.endswith("...") else other,
            lambda user: other if user.endswith("...") else first,
            **more,
        )

    for verifier, reply in (("top-k", first), ("greedy", other)):
        predictor = Predictor(model(), AnswerOptions(verifier=verifier))  # type: ignore[arg-type]
        guess = made(predictor.guess("Can you..."))
        assert guess.first_sentence == "Sure, I can help you."
        answer = finish(predictor.answer("Can you help me?"))
        assert answer.text.startswith(reply[:21])
        assert answer.premade is (verifier == "top-k")
        assert answer.forwards_to_first_sentence == 1 or verifier == "greedy"
    half = partial(make_verifier, floor=0.5)  # it is 0.37 times as likely
    strict = Predictor(model(), AnswerOptions(verifier="top-k"), verifier=half)
    made(strict.guess("Can you..."))
    assert finish(strict.answer("Can you help me?")).text == other


GUESSED = "It is seven now. It is late here. It is dark here. It is cold here. It is all over."


def reflecting(scripted_model: Scripted, judge: Callable[[str], dict[str, float]]) -> ScriptedModel:
    """Return a model that first guesses the time, and then would rather say something else."""
    return scripted_model(lambda user: GUESSED if user.endswith("...") else "It is fifty now. It was so.", judge=judge)


def judged(scripted_model: Scripted, judge: Callable[[str], dict[str, float]]) -> tuple[ScriptedModel, int, int]:
    """Return a model, how many sentences of its guess reflection keeps, and how many forwards that takes."""
    model = reflecting(scripted_model, judge)
    draft = model.encode(GUESSED)
    rows = np.zeros((len(draft) + 1, 320), np.float32)  # greedy keeps nothing: the likeliest is the first token
    kept, forwards = counted(Reflection(model), rows, draft, "What is the time")
    ends = [0, *sentence_tokens(model, draft)]
    assert kept in ends
    return model, ends.index(kept), forwards


def test_reflection_keeps_the_sentences_that_the_judge_says_yes_to(scripted_model: Scripted) -> None:
    def judge(question: str) -> dict[str, float]:
        return {"no": 0.6, "yes": 0.3} if "dark" in question else {"yes": 0.6, "no": 0.3}

    model, sentences, forwards = judged(scripted_model, judge)
    assert (sentences, forwards) == (2, 1)
    asked = ("It is seven now.", "It is late here.", "It is dark here.", "It is cold here.")
    assert all(question.endswith(answer) for question, answer in zip(model.questions, asked, strict=True))
    assert all("What is the time" in question for question in model.questions)


def test_no_more_than_four_sentences_are_asked_about_in_one_forward(scripted_model: Scripted) -> None:
    model, sentences, forwards = judged(scripted_model, lambda question: {"yes": 0.9})
    assert sentences == len(model.questions) == MOST_SENTENCES
    assert forwards == model.forwards == 1


USERS = ("What", "What is the", "What is the time", "Was it the time?", "What is the time where you are?")


@pytest.mark.parametrize("architecture", ["qwen3", "llama", "gemma2"])
def test_sentences_judged_at_once_are_judged_as_one_by_one(tmp_path: Path, architecture: str) -> None:
    """Random models say anything: half of the tokens, others each time, are taken for a yes."""
    model = load_language_model(write_language_model(tmp_path, architecture))
    reflection, verdicts = Reflection(model), set()
    for place, user in enumerate(USERS):
        tokens = np.random.default_rng(place).permutation(320)
        reflection._yes, reflection._no = tokens[:160].tolist(), tokens[160:].tolist()
        draft = model.encode(f"It is {place} now. " + GUESSED)
        counts = sentence_tokens(model, draft)[:MOST_SENTENCES]
        questions = [reflection._question(user, model.decode(draft[:count])) or [] for count in counts]
        alone = [model.logits(question, model.new_cache(), 1)[0] for question in questions]
        fit = [reflection._says_yes(row) for row in alone]
        expected = [0, *counts][[*fit, False].index(False)]
        assert counted(reflection, np.ones((len(draft) + 1, 320), np.float32), draft, user) == (expected, 1)
        for found, row in zip(read(reflection, questions), alone, strict=True):
            np.testing.assert_allclose(found, row, atol=1e-3)
        verdicts.add(expected > 0)
    assert len(verdicts) == 2


def read(reflection: Reflection, questions: Sequence[Sequence[int]]) -> Sequence[Logits]:
    steps = reflection._reader.rows(questions)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            rows: Sequence[Logits] = end.value
            return rows


def guessed(model: LanguageModel) -> tuple[list[int], Logits]:
    """Return a draft (t,), and rows (t + 1, vocabulary) that say nothing about it."""
    draft = model.encode(GUESSED)
    return draft, np.zeros((len(draft) + 1, 320), np.float32)


class Watched:
    """Writes down what a model is given to read at once, in tokens by row."""

    def __init__(self, model: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
        self.blocks: list[list[int]] = []
        last_logits = model.last_logits

        def watched(rows: Sequence[Sequence[int]], cache: KeyValueCache) -> Logits:
            self.blocks.append([len(row) for row in rows])
            return last_logits(rows, cache)

        monkeypatch.setattr(model, "last_logits", watched)


def test_what_the_questions_share_with_the_last_ones_is_not_read_again(
    random_model: Callable[..., LanguageModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model()
    draft, rows = guessed(model)
    watched, reflection = Watched(model, monkeypatch), Reflection(model)
    for user in ("What is the", "What is the time"):
        counted(reflection, rows, draft, user)
    first, second = watched.blocks
    shared = len(model.encode(QUESTION.partition("{user}")[0] + "What is the"))
    assert len(first) == len(second) == MOST_SENTENCES
    assert all(again <= whole + len(model.encode(" time")) - shared for whole, again in zip(first, second, strict=True))


def test_a_long_beginning_is_read_in_blocks_with_a_pause_before_each(
    random_model: Callable[..., LanguageModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model()
    draft, rows = guessed(model)
    user = "What is the time? " * 30
    question = Reflection(model)._question(user, "It is.")
    assert question
    expected = read(Reflection(model), [question])[0]
    monkeypatch.setattr("engine.answer.verifiers.PREFILL_TOKENS", 64)
    watched, reflection = Watched(model, monkeypatch), Reflection(model)
    _, forwards = counted(reflection, rows, draft, user)
    assert forwards == len(watched.blocks) > 3
    assert watched.blocks[:-1] == [[64]] * (forwards - 1)
    assert len(watched.blocks[-1]) == MOST_SENTENCES
    np.testing.assert_allclose(read(reflection, [question])[0], expected, atol=1e-3)


def test_a_judge_that_is_given_up_at_a_pause_has_read_nothing_and_judges_on(
    random_model: Callable[..., LanguageModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model()
    draft, rows = guessed(model)
    watched, reflection = Watched(model, monkeypatch), Reflection(model)
    counted(reflection, rows, draft, "What is the time")
    verdict = reflection.verdict(rows, draft, "Who is it?")
    next(verdict)
    verdict.close()
    assert len(watched.blocks) == 1
    question = reflection._question("What is", "It is.")
    assert question
    np.testing.assert_allclose(
        read(reflection, [question])[0], model.logits(question, model.new_cache(), 1)[0], atol=1e-3
    )


def test_a_judge_that_was_interrupted_reads_all_again(
    random_model: Callable[..., LanguageModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model()
    reflection = Reflection(model)
    question = reflection._question("What is", "It is.")
    assert question
    expected = read(reflection, [question])[0]
    with monkeypatch.context() as broken:
        broken.setattr(model, "logits", lambda tokens, cache, rows: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            read(reflection, [[*question, 5]])
    np.testing.assert_allclose(read(reflection, [question])[0], expected, atol=1e-3)


@pytest.mark.parametrize(
    ("said", "yes"),
    [
        ({"yes": 0.2, "Yes": 0.2, "no": 0.35}, True),  # no form of yes is as likely as no, both together are
        ({"no": 0.2, "No": 0.2, "yes": 0.35}, False),
        ({"Yes": 0.3, "No": 0.2}, True),
        ({"yes": 0.3, "no": 0.3}, True),
        ({"yes": 0.03, "no": 0.01}, False),  # it says something else
        ({}, False),
    ],
    ids=str,
)
def test_the_forms_of_yes_and_no_are_added_up(
    random_model: Callable[..., LanguageModel], said: dict[str, float], yes: bool
) -> None:
    model = random_model()
    probabilities = np.zeros(320)
    for form, probability in said.items():
        probabilities[model.encode(form)[0]] = probability
    probabilities[200] = 1 - probabilities.sum()
    assert Reflection(model)._says_yes(np.log(probabilities + 1e-9).astype(np.float32) + 3) is yes


def test_a_token_that_begins_forms_of_both_tells_nothing(random_model: Callable[..., LanguageModel]) -> None:
    model = random_model()
    space = model.encode(" yes")[0]
    assert model.encode(" no")[0] == space
    row = np.zeros(320, np.float32)
    row[space] = 20.0
    assert not Reflection(model)._says_yes(row)


token_ids = st.lists(st.integers(0, 319), max_size=10)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(draft=token_ids, user=st.text(max_size=20), seed=st.integers(0, 99))
def test_reflection_never_keeps_less_than_greedy(
    random_model: Callable[..., LanguageModel], draft: list[int], user: str, seed: int
) -> None:
    model = random_model(1)
    draft = [*model.encode("It is seven now. "), *draft]
    rows = np.random.default_rng(seed).standard_normal((len(draft) + 1, 320)).astype(np.float32)
    for place, token in enumerate(draft[: seed % 12]):
        rows[place, token] = 9.0
    kept, _ = counted(Reflection(model), rows, draft, user)
    assert accepted_tokens(rows, draft) <= kept <= len(draft)
    assert kept == accepted_tokens(rows, draft) or kept in sentence_tokens(model, draft)


def test_a_sentence_that_greedy_keeps_is_not_asked_about(scripted_model: Scripted) -> None:
    model = reflecting(scripted_model, lambda question: {"no": 0.9})
    predictor = Predictor(model, AnswerOptions(verifier="reflection"))
    made(predictor.guess("The time..."))
    guess = made(predictor.guess("The time now..."))
    assert guess.accepted == guess.drafted > 0
    assert len(model.questions) == 0
    assert guess.forwards == 1


def test_the_reply_goes_on_from_what_the_judge_has_kept(scripted_model: Scripted) -> None:
    model = reflecting(scripted_model, lambda question: {"yes": 0.9})
    predictor = Predictor(model, AnswerOptions(verifier="reflection"))
    made(predictor.guess("The time..."))
    model.forwards = 0
    answer = finish(predictor.answer("The time, please."))
    assert answer.premade and answer.sentences[0] == "It is seven now."
    assert answer.forwards_to_first_sentence == 2  # what read the draft, and what judged it
    assert answer.forwards == model.forwards
    assert answer.verify_seconds > 0


def test_a_question_that_the_context_has_no_room_for_is_not_asked(random_model: Callable[..., LanguageModel]) -> None:
    model = random_model(0, earshot={"assistant_instruction": "", "context_tokens": 64})
    draft = model.encode("It is seven now. And")
    rows = np.zeros((len(draft) + 1, 320), np.float32)
    assert counted(Reflection(model), rows, draft, "what is the time") == (0, 0)


def test_tokens_are_counted_to_the_ends_of_sentences(random_model: Callable[..., LanguageModel]) -> None:
    model = random_model()
    tokens = model.encode("It is seven now. It is late here. And")
    counts = sentence_tokens(model, tokens)
    assert [model.decode(tokens[:count]).strip() for count in counts] == [
        "It is seven now.",
        "It is seven now. It is late here.",
    ]
    assert sentence_tokens(model, tokens, ended=True)[-1] == len(tokens)
    assert tokens_covering(model, tokens, 0) == 0
