"""The answer to the last question is not given to another one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.answer.predictor import ChatTurn, Predictor
from engine.answer.prompt import EXAMPLES
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.repetition import answer_anew
from tests.scripted_model import USER, ScriptedModel

SAID = "The capital of France is Paris."


class Parrot(ScriptedModel):
    """Repeats the last answer wherever there was one."""

    def _row(self, read: list[int]) -> np.ndarray:
        parrots = read.count(USER) > 1 + len(EXAMPLES)
        self.reply = (lambda text: SAID) if parrots else (lambda text: "It is round and bright.")
        return super()._row(read)


def answered(reply: Callable[[str], str], question: str, kind: type[ScriptedModel] = ScriptedModel) -> str:
    predictor = Predictor(kind(reply, assistant_instruction=None))  # type: ignore[arg-type]
    predictor.history = (ChatTurn("What is the capital of France?", SAID),)
    steps = answer_anew(predictor, question)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            assert predictor.history == (ChatTurn("What is the capital of France?", SAID),)
            return str(end.value.text)


def test_another_answer_passes() -> None:
    assert answered(lambda text: "It is the moon.", "What shines at night?") == "It is the moon."


def test_a_repeated_answer_is_replaced_by_one_without_the_conversation() -> None:
    assert answered(lambda text: SAID, "What shines at night?", Parrot) == "It is round and bright."


def test_an_answer_that_is_repeated_even_so_is_an_admission_of_doubt() -> None:
    assert answered(lambda text: SAID, "What shines at night?") == " ".join(words_of(ToolOutcome("unsure"), "en"))


def test_a_question_that_is_said_again_is_no_answer() -> None:
    unsure = " ".join(words_of(ToolOutcome("unsure"), "de"))
    assert answered(lambda text: text, "Hier ist es dunkel, was soll ich tun?") == unsure
    assert answered(lambda text: text, "Have a nice day!") == "Have a nice day!"
    long = "There is a large hole in the roof of the house."
    assert answered(lambda text: text, long) == " ".join(words_of(ToolOutcome("unsure"), "en"))


def test_the_same_question_may_have_the_same_answer() -> None:
    assert answered(lambda text: SAID, "what is the capital of France") == SAID
