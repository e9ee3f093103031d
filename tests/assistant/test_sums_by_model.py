"""A calculation that a model writes is done only with the numbers of the question."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.answer.predictor import Predictor
from engine.answer.tools.numbers import numbers_in
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.assistant.sums_by_model import names_number, outcome_of, sum_of
from tests.plain_decoding import result_of
from tests.scripted_model import ScriptedModel


def asked(question: str, written: str) -> tuple[ToolOutcome | None, ScriptedModel]:
    model = ScriptedModel(lambda text: written, assistant_instruction=None)
    return result_of(sum_of(Predictor(model), question)), model  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "written", "said"),
    [
        ("If five pens cost £3.75, how much are 8?", "3.75 / 5 * 8", "That is 6."),
        ("A shirt of 45 euros is 20% cheaper. What is it?", "45 * (1 - 20 / 100)", "That is 36."),
        ("I've 1.35 kilos, each takes 150 grams. How many?", "1.35 / 0.150", "That is 9."),
        ("Seven people pay 158.20. What does each?", "158.20 / 7", "That is 22.6."),
        ("My film lasts 135 minutes and begins at 21:10. When is it over?", "21:10 + 135 min", "At 11:25 pm."),
        ("I leave at 9:35 and need 48 minutes. When am I there?", "9:35 + 48 min", "At 10:23."),
        ("I must be there at 8:15 and need 40 minutes. When do I leave?", "8:15 - 40 min", "At 7:35."),
        (
            "It begins at half past nine in the evening and takes 50000 hours. When does it end?",
            "21:30 + 50000 h",
            "At 5:30 am.",
        ),
        ("How many hours are there in 3 weeks?", "3 * 7 * 24", "That is 504."),
    ],
)
def test_the_calculator_does_what_the_model_writes(question: str, written: str, said: str) -> None:
    found, _ = asked(question, written)
    assert found is not None
    assert words_of(found, "en") == (said,)


@pytest.mark.parametrize(
    ("question", "written"),
    [
        ("Three friends share 87 pounds. What does each pay?", "87 / 4"),  # nobody named four
        ("How many pints are 5 litres?", "5 * 0.5555"),
        ("Who ruled France from 1804 to 1815?", "none"),
        ("I sleep from 10:40 till 6:15, how long is that?", "6:15 - 10:40"),  # which halves of the day?
        ("I sleep from 10:40 till 6:15, how long is that?", "6:15 / 10"),
        ("We leave at 25:10 for 30 minutes. When is it over?", "25:10 + 30 min"),
        ("What are 3 apples and 5 pears?", "3 apples + 5 pears"),
        ("What is 5 divided by nothing?", "5 / (1 - 1)"),
        ("What is 5?", "5"),
        ("What is 5?", "(5)"),
        ("What is 5 squared?", "5 ** 2"),
        ("I leave at 9:35 and need 48 minutes. When am I there?", "8:35 + 48 min"),
        ("I leave at 9:35 and need 48 minutes. When am I there?", "9:37 + 48 min"),
        ("I leave at 9:35 and need some minutes. When am I there?", "9:35 + 60 min"),
    ],
)
def test_what_is_not_sure_is_left_to_others(question: str, written: str) -> None:
    assert asked(question, written)[0] is None


def test_an_article_is_no_number() -> None:
    assert not names_number("How many of them are a problem?")
    assert names_number("Two of them are.")


def test_results_are_written_as_the_language_does() -> None:
    found = outcome_of("62.5 / 4", {Fraction("62.5"), Fraction(4)}, "de")
    assert found is not None
    assert "15,625" in words_of(found, "de")[0]
    clock = outcome_of("21:10 + 135 min", {Fraction(each) for each in (21, 10, 135)}, "de")
    assert clock is not None
    assert words_of(clock, "de") == ("Um 23:25 Uhr.",)


def test_numbers_are_found_in_words_and_digits() -> None:
    assert numbers_in("nine tables for six, and 1,250 more", "en") == {9, 6, 1250}
    assert numbers_in("zweiundzwanzig Karten zu 62,50 Euro", "de") == {22, Fraction("62.5")}
    assert numbers_in("nothing at all", "en") == set()
