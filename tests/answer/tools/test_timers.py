"""Timers as they are asked for: until when, and how they are told of."""

from datetime import datetime

import pytest

from engine.answer.tools.outcomes import words_of
from engine.answer.tools.timers import read_clock, seconds_of, timer_over, timer_set, timers_left
from engine.turns import Language

NOW = datetime(2026, 3, 1, 9, 0)


@pytest.mark.parametrize(
    ("said", "clock"),
    [
        ("7", "07:00?"), ("7 am", "07:00"), ("7:30 p.m.", "19:30"), ("12 am", "00:00"), ("12 pm", "12:00"),
        ("7 Uhr", "07:00"), ("7 Uhr 15", "07:15"), ("7 h 30", "07:30"), ("19:45", "19:45"), ("7 o'clock", "07:00?"),
        ("seven", "07:00?"), ("half past six", "06:30?"), ("quarter to eight pm", "19:45"), ("six thirty am", "06:30"),
        ("a quarter past one", "01:15?"), ("25", None), ("7:75", None), ("13 pm", None), ("noon", "12:00"),
        ("midnight", "00:00"), ("ten to nine", "08:50?"), ("20 past 6", "06:20?"), ("lunch to dinner", None),
    ],
)  # fmt: skip
def test_a_time_of_day_is_read(said: str, clock: str | None) -> None:
    assert read_clock(said, "en") == clock


@pytest.mark.parametrize(
    ("said", "language", "clock"),
    [
        ("sept heures et demie", "fr", "07:30"), ("huit heures moins le quart", "fr", "07:45"), ("midi", "fr", "12:00"),
        ("siete y media", "es", "07:30?"), ("nueve menos cuarto", "es", "08:45?"), ("zehn vor eins", "de", "12:50?"),
        ("halb acht", "de", "07:30?"), ("mitternacht", "de", "00:00"),
    ],
)  # fmt: skip
def test_a_time_of_day_is_read_in_other_languages(said: str, language: Language, clock: str) -> None:
    assert read_clock(said, language) == clock


@pytest.mark.parametrize(
    ("at", "hours"), [("10:00", 1), ("09:00", 24), ("08:00", 23), ("08:00?", 11), ("10:00?", 1), ("12:30?", 3.5)]
)
def test_it_rings_when_that_time_comes_next(at: str, hours: float) -> None:
    assert seconds_of({"at": at}, NOW) == hours * 3600
    assert seconds_of({"seconds": "90"}, NOW) == 90


def test_every_language_tells_of_timers_with_and_without_names() -> None:
    for language in ("en", "de", "fr", "es"):
        for outcome in (
            timer_set(60, "tea"),
            timer_over(60, "tea"),
            timers_left([(60, "")]),
            timers_left([(60, "tea")]),
        ):
            told = " ".join(words_of(outcome, language))
            assert "1 " in told
            assert ("tea" in told.lower()) == ("label" in outcome.values)
    assert words_of(timers_left([(60, "tea"), (90, "")]), "de") == (
        "Diese Timer laufen: 1 Minute (tea), 1 Minute und 30 Sekunden.",
    )
    assert words_of(timers_left([]), "en") == ("No timer is running.",)
