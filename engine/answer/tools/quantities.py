"""Questions of dates and times that are told by what they name, not by their phrasing.

Two dates and "how many days", or "in days", ask for the days between them. One date asks for its weekday, where that
word stands beside it. A time of day in one city asks for the time in another. A question that names more than that is
left to others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import NamedTuple

from engine.answer.tools.clock import read_moment
from engine.answer.tools.dates import date_expression, feast_expression, read_date
from engine.answer.tools.numbers import read_number
from engine.answer.tools.places import time_in
from engine.answer.tools.table import LANGUAGES, TOOLS, Call
from engine.answer.tools.wording import folded
from engine.turns import Language

MOST_WORDS = 30
"""Most words of a question that is read."""

LONGEST = 8
"""Most words of a time of day, or of the name of a city."""

_WEEKDAY = {"en": "weekday|day of the week", "de": "wochentag", "fr": "jour de la semaine", "es": "dia de la semana"}
_DAYS = {
    "en": "(?:many|in) days",
    "de": "(?:viele|in) tagen?",
    "fr": "(?:combien de|en) jours",
    "es": "(?:cuantos|en) dias",
}
_WHEN = re.compile(r"\b(?:when|(?:what|which) time|how late)\b")
_WORD = re.compile(r"[^\s,;?!]+")


class Span(NamedTuple):
    """A part of a text, by its place, and what was read there."""

    begin: int
    end: int
    read: str


class Found(NamedTuple):
    """The tool that a question asks for, with its arguments."""

    tool: str
    arguments: Mapping[str, str]


def call_by_quantities(text: str) -> Call | None:
    """Find what a question asks of the dates or times that it names; return None if it asks nothing of them."""
    plain = folded(" ".join(text.split())).strip(" .?!¿¡")
    if not text.rstrip().endswith("?") or len(plain.split()) > MOST_WORDS:
        return None
    for language in LANGUAGES:
        found = _of_dates(plain, language)
        if found is None and language == "en":
            found = _of_times(plain)
        if found is not None:
            return Call(TOOLS[found.tool], language, found.arguments)
    return None


def _of_dates(plain: str, language: Language) -> Found | None:
    dates = [found[0] for found in re.finditer(rf"(?<!\w){date_expression(language)}(?!\w)", plain)]
    days = [each for each in dates if re.search(r"\d", each) or re.fullmatch(feast_expression(language), each)]
    if len(days) < len(dates) or any(read_date(each, language, date.today()) is None for each in dates):
        return None
    if len(dates) == 1 and re.search(rf"\b(?:{_WEEKDAY[language]})\b", plain):
        return Found("weekday", {"date": dates[0]})
    if len(dates) == 2 and re.search(rf"\b{_DAYS[language]}\b", plain):
        return Found("days_until", {"since": dates[0], "date": dates[1]})
    return None


def _of_times(plain: str) -> Found | None:
    """Find the time in another city."""
    clocks = list(_longest(plain, _clock))
    if len(clocks) != 1 or not _WHEN.search(plain):
        return None
    (clock,) = clocks
    rest = plain[: clock.begin] + " " * (clock.end - clock.begin) + plain[clock.end :]
    cities = sorted(
        _longest(rest, _city), key=lambda city: min(abs(city.begin - clock.end), abs(clock.begin - city.end))
    )
    if re.search(r"\d", rest) or len(cities) != 2:
        return None
    return Found("time", {"at": clock.read, "from": cities[0].read, "place": cities[1].read})


def _longest(plain: str, read: Callable[[str], str | None]) -> Iterator[Span]:
    """Yield the longest parts of a text that can be read, from the first on."""
    words, place = list(_WORD.finditer(plain)), 0
    while place < len(words):
        spans = (
            (words[place].start(), words[last].end())
            for last in range(min(len(words), place + LONGEST) - 1, place - 1, -1)
        )
        found = next((Span(b, e, said) for b, e in spans if (said := read(plain[b:e].rstrip("."))) is not None), None)
        if found is not None:
            yield found
        end = words[place].end() if found is None else found.end
        place = next((later for later in range(place, len(words)) if words[later].start() >= end), len(words))


def _clock(said: str) -> str | None:
    """Read a time of day with its day part; a bare number is none, nor is a time of another day."""
    if not re.search(r"\d:\d|[a-z]", said) or said.split()[0] in ("in", "the"):
        return None
    moment = None if read_number(said, "en") is not None else read_moment(said, "en")
    return moment["at"] if moment is not None and "day" not in moment else None


def _city(said: str) -> str | None:
    begun, _, name = said.partition(" ")
    return name if begun == "in" and time_in(name, datetime.now()) is not None else None
