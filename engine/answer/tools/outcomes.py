"""Outcomes of tools, and their words in the language of the request."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib import resources
from typing import Any

from engine.answer.tools.dates import write_date, write_duration
from engine.answer.tools.table import Call
from engine.errors import OptionError
from engine.translate.languages import name_of
from engine.turns import Language

_HOUR = 3600
_ONE = re.compile(r"-?1|1:\d\d|1 \w+")
"""Values that take a verb or an article in the singular: 1, 1:05, or 1 minute."""

MOST_QUOTED = 20
"""Most lines that are read out."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of captions, as it was heard.

    Attributes:
        seconds: when it was said, since the recording began.
        day: of the recording; None of the present one.
        session: of the history; None of the present captions.
        speaker: the speaker's name; "" if it is not known.
    """

    text: str
    seconds: float
    day: date | None = None
    session: int | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The outcome of a tool.

    Attributes:
        kind: the name of its words in answers.toml.
        values: fill the gaps of those words. "seconds" is written as "duration"; codes of languages and "timers" are
            written in words.
        quotes: the lines that it found; they fill the gap "lines".
    """

    kind: str
    values: Mapping[str, str] = field(default_factory=dict)
    quotes: tuple[Quote, ...] = ()


class _Agreeing(str):
    """A value whose gap may ask for words that agree with it: {time:Es la|Son las} is "Es la" before 1:05."""

    def __format__(self, spec: str) -> str:
        one, divider, many = spec.partition("|")
        return (one if _ONE.fullmatch(self) else many) if divider else str(self)


def words_of(outcome: ToolOutcome, language: Language) -> tuple[str, ...]:
    """Return the sentences for an outcome. Raises KeyError if answers.toml has no words for it.

    Quoted text is only said, never interpreted.
    """
    quoted = quotes_of(outcome.quotes, language)
    values = dict(outcome.values)
    if "seconds" in values:
        values["duration"] = write_duration(float(values["seconds"]), language)
    if "timers" in values:
        values["timers"] = _timers(values["timers"], language)
    if "language" in values:
        values["language"] = _language_name(values["language"], language)
    agreeing = {name: _Agreeing(value) for name, value in values.items()}
    told: list[str] = []
    for sentence in _file()[language][outcome.kind]:
        told += quoted if sentence == "{lines}" else (sentence.format(**agreeing),)
    return tuple(told)


def fixed_words() -> tuple[str, ...]:
    """Return the sentences of all languages that no value is put into."""
    kinds = (sentences for kinds in _file().values() for sentences in kinds.values())
    return tuple(each for sentences in kinds for each in sentences if "{" not in each)


def quotes_of(quotes: Sequence[Quote], language: Language) -> tuple[str, ...]:
    """Quote the newest of some lines; a recording's day is named once for its lines that follow each other."""
    told = quotes[-MOST_QUOTED:]
    before = (None, *told)
    return tuple(
        _quote(each, language, with_day=last is None or (last.day, last.session) != (each.day, each.session))
        for last, each in zip(before, told, strict=False)
    )


def _quote(quote: Quote, language: Language, *, with_day: bool) -> str:
    """Quote a line with its time, and with its speaker if that is known."""
    kind, day = "line_now", ""
    if with_day and quote.day is not None:
        kind, day = "line_before", write_date(quote.day, language)
    line: str = _file()[language][kind]
    moment = ", ".join(each for each in (write_moment(quote.seconds), quote.speaker) if each)
    return line.format(time=moment, date=day, text=quote.text)


def asks_which_timer(reply: str, language: Language) -> bool:
    """Return whether a reply asks which of several timers is meant."""
    question: str = _file()[language]["which_timer"][0]
    return reply.startswith(question)


def sources_note(quotes: Sequence[Quote], language: Language) -> str:
    """Return a sentence with the times of the lines that an answer is based on."""
    times = ", ".join(dict.fromkeys(write_moment(quote.seconds) for quote in quotes))
    sentence: str = _file()[language]["used"]
    return sentence.format(times=times)


def write_moment(seconds: float) -> str:
    """Write a place in a recording, such as 2:05 or 1:02:05."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def effect_of(call: Call) -> str:
    """Return in a few words what a call will do; "" if there is nothing to wait for."""
    return str(_file()[call.language]["doing"].get(call.tool.name, ""))


@cache
def _file() -> dict[str, Any]:
    """Read the words, once."""
    return tomllib.loads(resources.files(__package__).joinpath("answers.toml").read_text(encoding="utf-8"))


def _language_name(code: str, language: Language) -> str:
    """Return a language's name in another language if that is known; else in English."""
    own = tomllib.loads(resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    if language != "en":
        return next((name for name, known in own["languages"].items() if known == code), code)
    try:
        return name_of(code)
    except OptionError:
        return code


def _timers(told: str, language: Language) -> str:
    """Write the time left of several timers: "5 minutes (pasta), 10 minutes"."""
    parts = (line.partition(" ") for line in told.splitlines())
    return ", ".join(_left(float(left), language) + (f" ({label})" if label else "") for left, _, label in parts)


def _left(seconds: float, language: Language) -> str:
    """Write the time left of one timer among several, without seconds if it is over an hour."""
    return write_duration(seconds if seconds < _HOUR else round(seconds / 60) * 60, language)
