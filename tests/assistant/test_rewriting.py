"""A follow-up is written as a question that stands alone, or is left as it is."""

from __future__ import annotations

import pytest

from engine.answer.predictor import ChatTurn, Predictor
from engine.assistant.rewriting import may_refer, rewritten
from tests.plain_decoding import result_of
from tests.scripted_model import ScriptedModel

PAINTER = ChatTurn("Who painted The Night Watch?", "The Night Watch was painted by Rembrandt. It hangs in Amsterdam.")
HARD = ChatTurn("How do I boil an egg?", "I do not know that for certain.", recited=True)


def meant(question: str, written: str, before: ChatTurn) -> tuple[str, ScriptedModel]:
    model = ScriptedModel(lambda text: written, assistant_instruction=None)
    return result_of(rewritten(Predictor(model), question, before)), model  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "written", "before"),
    [
        ("When was he born?", "When was Rembrandt born?", PAINTER),
        ("and in which city was it painted", "In which city was The Night Watch painted?", PAINTER),
        ("And if I want it hard?", "How do I boil an egg hard?", HARD),
        ("Wann wurde er geboren?", "Wann wurde Rembrandt geboren?", PAINTER),
    ],
)
def test_what_it_refers_to_is_named(question: str, written: str, before: ChatTurn) -> None:
    assert meant(question, written, before)[0] == written


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("When was he born?", "Rembrandt was born in 1606."),  # an answer
        ("When was he born?", "Who painted The Night Watch?"),  # the question before
        ("Who else was there?", "Who painted The Night Watch? Who else was there?"),
        ("When was he born?", "When was Vermeer born?"),  # another name
        ("How many windows does it have?", "How many of the 12 windows does The Night Watch have?"),
        ("Which metal melts at room temperature?", "Which metal is it?"),  # words are lost
        ("When was he born?", ""),
        ("Never mind", "Paint The Night Watch."),
        ("and Vermeer?", "Who painted The Night Watch, and Vermeer?"),
        ("Can it not be painted?", "Can The Night Watch be painted?"),
    ],
)
def test_another_question_is_not_taken(question: str, written: str) -> None:
    assert meant(question, written, PAINTER)[0] == question


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Which river flows through Prague?", True),
        ("Which of the rivers flows through Prague?", False),
        ("How many of the people are in it?", True),
        ("Why?", False),
        ("Is it true that the capital of Australia is not the city of Sydney?", False),
    ],
)
def test_a_long_question_says_itself_what_it_is_about(question: str, asks: bool) -> None:
    assert may_refer(question) is asks


def test_a_question_that_stands_alone_takes_one_forward() -> None:
    """It is read as the draft, together with the prompt's last part."""
    alone, model = meant("Which river flows through Vienna?", "Which river flows through Vienna?", PAINTER)
    other, longer = meant("When was he born?", "When was Rembrandt born?", PAINTER)
    assert alone != other
    assert model.forwards < longer.forwards - 4
