"""Times of day as people say and write them, with the day and the part of the day."""

import re
import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from engine.answer.tools.clock import clock_expression, next_moment, read_clock, read_moment
from engine.answer.tools.engine_tools import engine_outcome
from engine.answer.tools.outcomes import words_of
from engine.answer.tools.table import TOOLS, Call
from engine.answer.tools.timers import timer_set
from engine.answer.tools.wording import folded, tidy
from engine.turns import Language

NOW = datetime(2026, 11, 28, 14, 15)
"""A Saturday."""


@pytest.mark.parametrize(
    ("said", "clock"),
    [
        ("7", "07:00?"), ("7 am", "07:00"), ("7:30 p.m.", "19:30"), ("12 am", "00:00"), ("12 pm", "12:00"),
        ("7 Uhr", "07:00"), ("7 Uhr 15", "07:15"), ("7 h 30", "07:30"), ("19:45", "19:45"), ("7 o'clock", "07:00?"),
        ("seven", "07:00?"), ("half past six", "06:30?"), ("quarter to eight pm", "19:45"), ("six thirty am", "06:30"),
        ("a quarter past one", "01:15?"), ("25", None), ("7:75", None), ("13 pm", None), ("noon", "12:00"),
        ("midnight", "00:00"), ("ten to nine", "08:50?"), ("20 past 6", "06:20?"), ("lunch to dinner", None),
        ("09:05", "09:05"), ("9:05", "09:05?"), ("half past midnight", "00:30"), ("quarter to midnight", "23:45"),
        ("seven oh five", "07:05?"), ("six thirty five am", "06:35"), ("10 minutes", None), ("1 hour", None),
        ("3 days", None), ("ten seconds", None), ("fourteen thirty", "14:30"),
    ],
)  # fmt: skip
def test_a_time_of_day_is_read(said: str, clock: str | None) -> None:
    assert read_clock(said, "en") == clock


@pytest.mark.parametrize(
    ("said", "language", "clock"),
    [
        ("sept heures et demie", "fr", "07:30"), ("huit heures moins le quart", "fr", "07:45"), ("midi", "fr", "12:00"),
        ("sept heures vingt", "fr", "07:20"), ("huit heures moins dix", "fr", "07:50"), ("10 minutes", "fr", None),
        ("midi et demi", "fr", "12:30"), ("vingt et une heures", "fr", "21:00"),
        ("siete y media", "es", "07:30?"), ("nueve menos cuarto", "es", "08:45?"), ("diez minutos", "es", None),
        ("siete y veinte", "es", "07:20?"), ("ocho menos diez", "es", "07:50?"),
        ("zehn vor eins", "de", "12:50?"), ("halb acht", "de", "07:30?"), ("mitternacht", "de", "00:00"),
        ("acht uhr dreissig", "de", "08:30"), ("einundzwanzig uhr", "de", "21:00"), ("3 tage", "de", None),
    ],
)  # fmt: skip
def test_a_time_of_day_is_read_in_other_languages(said: str, language: Language, clock: str | None) -> None:
    assert read_clock(said, language) == clock


@pytest.mark.parametrize(
    ("said", "language", "due"),
    [
        ("8 in the morning", "en", "29 08:00"), ("6:30 tomorrow", "en", "29 06:30"), ("friday at 8", "en", "04 08:00"),
        ("half past six tomorrow morning", "en", "29 06:30"), ("a quarter to nine tonight", "en", "28 20:45"),
        ("tomorrow evening at 8", "en", "29 20:00"), ("12 tonight", "en", "29 00:00"), ("7 at night", "en", "28 19:00"),
        ("2 in the morning", "en", "29 02:00"), ("today at 5", "en", "28 17:00"), ("noon tomorrow", "en", "29 12:00"),
        ("the day after tomorrow at 7", "en", "30 07:00"), ("8 pm tomorrow", "en", "29 20:00"),
        ("morgen um 6:30", "de", "29 06:30"), ("morgen früh um 7", "de", "29 07:00"), 
        ("8 uhr morgens", "de", "29 08:00"),
        ("um 8 morgen abend", "de", "29 20:00"), ("am Montag um 8", "de", "30 08:00"),
        ("3 uhr nachmittags", "de", "28 15:00"), ("um 2 uhr nachts", "de", "29 02:00"),
        ("8 heures du matin", "fr", "29 08:00"), ("demain à 6h30", "fr", "29 06:30"),
        ("ce soir à 9 heures", "fr", "28 21:00"), ("demain soir à huit heures et demie", "fr", "29 20:30"),
        ("lundi à 8 h", "fr", "30 08:00"),
        ("las 8 de la mañana", "es", "29 08:00"), ("mañana a las 6:30", "es", "29 06:30"),
        ("mañana por la mañana a las 7", "es", "29 07:00"), ("la una y media de la tarde", "es", "29 13:30"),
        ("el lunes a las 8", "es", "30 08:00"), ("las 3 de la madrugada", "es", "29 03:00"),
    ],
)  # fmt: skip
def test_a_moment_is_read_with_its_day(said: str, language: Language, due: str) -> None:
    plain = folded(tidy(said))
    assert re.fullmatch(clock_expression(language), plain)
    moment = read_moment(plain, language)
    assert moment is not None
    assert f"{next_moment(moment['at'], moment.get('day', ''), language, NOW):%d %H:%M}" == due


def test_nobody_is_reminded_in_the_night_but_people_wake_then() -> None:
    assert read_moment("tomorrow at 3", "en", wakes=False) == {"at": "15:00", "day": "tomorrow"}
    assert read_moment("tomorrow at 5", "en") == {"at": "05:00?", "day": "tomorrow"}


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """New York's time: clocks go forward in the night to 8 March 2026, and back in the night to 1 November."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("new_york")
@pytest.mark.parametrize(("evening", "hours"), [(datetime(2026, 3, 7, 22), 8), (datetime(2026, 10, 31, 22), 10)])
def test_case_an_alarm_over_the_change_of_the_clocks_rings_at_its_time(evening: datetime, hours: int) -> None:
    seconds, outcome = timer_set({"at": "07:00"}, "en", evening)
    assert seconds == hours * 3600
    assert words_of(outcome, "en") == (f"The alarm is set for 7:00 am, in {hours} hours.",)
    later = engine_outcome(Call(TOOLS["time"], "en", {"seconds": "32400"}), evening)
    assert later is not None and later.values["time"] == ("8:00 am" if hours == 8 else "6:00 am")
