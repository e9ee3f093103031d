"""Questions of dates and times that no phrasing knows."""

from datetime import datetime

import pytest

from engine.answer.tools.engine_tools import engine_outcome
from engine.answer.tools.outcomes import words_of
from engine.answer.tools.quantities import call_by_quantities

NOW = datetime(2026, 11, 30, 14, 5)


def told(text: str) -> str | None:
    call = call_by_quantities(text)
    outcome = None if call is None else engine_outcome(call, NOW)
    return None if call is None or outcome is None else " ".join(words_of(outcome, call.language))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many days lie between 20 May and 8 June?", "From 20 May 2027 to 8 June 2027 it is 19 days."),
        ("How many days from 30 November to 3 December?", "From 30 November 2026 to 3 December 2026 it is 3 days."),
        ("How many days are it from 5 October to 2 June 2027?", "From 5 October 2026 to 2 June 2027 it is 240 days."),
        ("How many days from Christmas to New Year?", "From 25 December 2026 to 1 January 2027 it is 7 days."),
        ("Wie viele Tage vom 3. März bis 17. April?", "Vom 3. März 2027 bis zum 17. April 2027 sind es 45 Tage."),
        ("Combien de jours du 3 mars au 17 avril ?", "Du 3 mars 2027 au 17 avril 2027, il y a 45 jours."),
        ("¿Cuántos días del 3 al 17 de abril?", None),
        ("On which weekday does 14 July 2028 fall?", "14 July 2028 is a Friday."),
        ("Which day of the week did 9 November 1989 have?", "9 November 1989 was a Thursday."),
    ],
)
def test_two_dates_ask_for_the_days_between_them_and_one_for_its_weekday(question: str, answer: str | None) -> None:
    assert told(question) == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When it is 3 in the afternoon in New York, what time is it in Berlin?", "In Berlin it is 9:00 pm."),
        ("What time is it in Berlin when it is half past three in Tokyo?", "In Berlin it is 7:30."),
        ("When it is midnight in Sydney, what time is it in London?", "In London it is 1:00 pm."),
    ],
)
def test_a_time_of_day_in_one_city_asks_for_the_time_in_another(question: str, answer: str) -> None:
    assert told(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "I must be there at 14:30 and the drive takes 50 minutes. When must I leave?",
        "The film ends at 21:00 and lasts 100 minutes. When does it begin?",
        "If a film begins at 19:45 and lasts 110 minutes, when does it end?",
        "When it is 3 pm in New York and 20 degrees, what time is it in Berlin?",
        "A jacket costs 80 euros and is 30 percent off. What do I pay?",
        "What happened in the days between 3 May 1945 and 8 May 1945?",
        "How many rainy days were there between 3 May and 20 May?",
        "When does the shop open?",
        "We are away for 14 days, from 3 March to 17 March, is that fine?",
        "How many days are there between 30 February and 3 March?",
        "How many weeks are there between 1 March and 1 May?",
        "What happened on 3 March?",
        "When it is noon in Paris, what is it like in London and in Rome?",
        "The film begins at 19:45 and lasts 110 minutes.",
    ],
)
def test_a_question_that_names_something_else_is_left_to_others(question: str) -> None:
    assert told(question) is None
