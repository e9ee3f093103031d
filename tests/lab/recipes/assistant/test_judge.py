"""Judgements that the starter assistant is taught, and that it is asked for as the verifier asks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from engine.answer.verifiers import LEAD, Reflection
from engine.language.language_model import load_language_model
from engine.models.catalogue import ASSETS
from lab.recipes.assistant.conversations import DialogueLessons
from lab.recipes.assistant.dialogues import Dialogues, Intent, letters_of
from lab.recipes.assistant.judge import Judgements, judged
from lab.recipes.sentences.pairs import Conversation, Turn

NAME = Intent("talk_name", ("What is your name?", "Say who you are."), ("Who are you?",), "I am Earshot. And you?", "t")
AGE = Intent("talk_age", ("What is your age?", "How old are you?"), (), "I am quite new. I was made not long ago.", "t")
TEA = Intent("talk_tea", ("How do I make tea?",), (), "Pour boiling water over the leaves. Wait three minutes.", "t")
TWIN = Intent("talk_twin", ("Your name, please.",), (), "I am Earshot. I said so before.", "t")
ROWS = tuple(
    Intent(f"capital_{land}", (f"What is the capital of {land}?",), (), f"The capital of {land} is {city}.", "capital")
    for land, city in (("France", "Paris"), ("Spain", "Madrid"), ("Italy", "Rome"))
)
WRITTEN = Dialogues((NAME, AGE, TEA, TWIN), ROWS)
BORROWED = [(["book me a table"], "I cannot call anyone. Please do it yourself.")]
ALL = (*WRITTEN.intents, *ROWS)


def turns(count: int = 600) -> list[Turn]:
    judgements, random = Judgements(WRITTEN, BORROWED), Random(3)
    return [turn for _ in range(count) for turn in judgements.conversation(random).turns]


def parts(turn: Turn) -> tuple[str, str, bool]:
    """Return what the user said, the answer, and whether it is taught to fit."""
    said, answer = turn.user.partition("\nUser: ")[2].split("\nAnswer: ")
    return said, answer, turn.assistant == "The answer is yes."


def test_the_starter_is_taught_the_very_tokens_that_the_verifier_asks_with() -> None:
    pytest.importorskip("torch", reason="the starter recipes train with torch, a development-only dependency")
    from tokenizers import Tokenizer

    from lab.recipes.language.rows import Rows

    folder = ASSETS / "starter" / "assistant"
    reflection = Reflection(load_language_model(folder))
    rows = Rows(Tokenizer.from_file(str(folder / "tokenizer.json")), 192)
    for fits in (True, False):
        turn = judged("what is your", "I am Earshot.", fits=fits)
        tokens, weights = rows.encode(Conversation("", (turn,)))
        asked = reflection._question("what is your", " I am Earshot. ")
        assert asked is not None
        assert tokens[: len(asked)] == asked
        assert tokens[len(asked)] in (reflection._yes if fits else reflection._no)
        learnt = [token for token, weight in zip(tokens[: len(asked)], weights, strict=False) if weight]
        assert rows._tokenizer.decode(learnt) == (" I am Earshot." if fits else "")  # how an answer that fits goes on
        assert set(weights[len(asked) :]) == {turn.weight}


def test_half_of_the_answers_fit() -> None:
    made = turns()
    assert 0.43 < sum(parts(turn)[2] for turn in made) / len(made) < 0.57
    assert {turn.assistant for turn in made} == {f"{LEAD} yes.", f"{LEAD} no."}
    assert all(turn.user_learnt == parts(turn)[2] for turn in made)


def beginnings(reply: str) -> set[str]:
    first, mark, rest = reply.partition(". ")
    return {reply, first + "."} if mark and rest else {reply}


def test_an_answer_is_the_first_sentence_or_two_of_one_that_is_known() -> None:
    known = {begin for intent in ALL for begin in beginnings(intent.reply)} | beginnings(BORROWED[0][1])
    assert {parts(turn)[1] for turn in turns()} == known


def asked_with(answer: str) -> Sequence[str]:
    own = [question for intent in ALL for question in intent.questions if intent.reply.startswith(answer)]
    return own or BORROWED[0][0]


def test_no_answer_is_refused_that_might_still_turn_out_right() -> None:
    """ "What is" may be on its way to a name, an age and every capital."""
    cut = 0
    for said, answer, fits in map(parts, turns(1500)):
        begins = [f"{letters_of(question)} ".find(f"{letters_of(said)} ") for question in asked_with(answer)]
        assert fits or 0 not in begins, (said, answer)
        cut += letters_of(said) == "what is the capital of"
        assert fits or letters_of(said) != "what is the capital of" or "capital" not in answer
    assert cut > 5


def test_an_answer_that_begins_as_the_right_one_is_not_called_wrong() -> None:
    for said, answer, fits in map(parts, turns(1500)):
        if "name" in said.lower() and answer.startswith("I am Earshot."):
            assert fits


def test_another_row_of_the_same_family_is_often_asked_about() -> None:
    made = [parts(turn) for turn in turns()]
    wrong = [answer for said, answer, fits in made if "France" in said and not fits]
    assert wrong and sum("capital" in answer for answer in wrong) > len(wrong) / 3


def test_questions_are_cut_off_but_never_to_one_word() -> None:
    whole = {letters_of(question) for intent in ALL for question in intent.questions} | {"book me a table"}
    said = [letters_of(parts(turn)[0]) for turn in turns()]
    assert sum(any(known.endswith(each) or each.endswith(known) for known in whole) for each in said) / len(said) > 0.2
    assert min(len(each.split()) for each in said) >= 2
    assert {"what is the capital", "how do i"} <= set(said)


def test_one_answer_alone_gives_nothing_to_judge() -> None:
    assert not Judgements(Dialogues((NAME,)))
    assert Judgements(WRITTEN)


def test_one_conversation_in_eight_or_so_asks_for_a_judgement(tmp_path: Path) -> None:
    made = list(islice(DialogueLessons(tmp_path, WRITTEN).conversations(Random(1)), 800))
    judged_ones = [each for each in made if not each.system]
    assert 0.08 < len(judged_ones) / len(made) < 0.16
    assert all(turn.assistant.startswith(LEAD) for each in judged_ones for turn in each.turns)
    assert not any(turn.assistant.startswith(LEAD) for each in made if each.system for turn in each.turns)
