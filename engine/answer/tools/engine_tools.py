"""The engine's own tools: time, dates, calculations, measures. No model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta

from engine.answer.tools.arithmetic import NoValueError, evaluate, parse
from engine.answer.tools.clock import in_seconds
from engine.answer.tools.dates import read_date, write_date, write_time, write_weekday
from engine.answer.tools.numbers import is_rounded, read_number, write_number
from engine.answer.tools.outcomes import ToolOutcome
from engine.answer.tools.places import time_in
from engine.answer.tools.table import Call
from engine.answer.tools.units import converted, find_unit, write_unit
from engine.turns import Language

OF_MEASURES = 2
"""Decimals of a converted measure."""

_YEAR = timedelta(days=365)
_NEAR = {0: "date_today", 1: "date_tomorrow", -1: "date_yesterday"}


def engine_outcome(call: Call, now: datetime) -> ToolOutcome | None:
    """Return the outcome of a tool at a moment; None if another part carries it out."""
    match call.tool.name:
        case "hush":
            return ToolOutcome("stopped")
        case (
            "help"
            | "greet"
            | "agree"
            | "welcome"
            | "hears_people"
            | "stays_here"
            | "deleting"
            | "where_kept"
            | "languages"
        ):
            return ToolOutcome(call.tool.name)
        case "time":
            return _time(call.arguments, call.language, now)
        case "date":
            return _date(call.arguments.get("when", ""), call.language, now)
        case "weekday" | "days_until":
            return _about_date(call, now)
        case "calculate":
            return calculated(call.arguments["expression"], call.language) or ToolOutcome("no_result")
        case "convert":
            return _measure(call.arguments, call.language)
    return None


def _time(arguments: Mapping[str, str], language: Language, now: datetime) -> ToolOutcome | None:
    """Return the time of now, here or elsewhere, or later; or of a time of day elsewhere."""
    if "at" in arguments:
        return _time_elsewhere(arguments, language, now)
    if "place" in arguments:
        place = arguments["place"]
        there = time_in(place, now)
        named = place.title() if place.islower() else place
        return None if there is None else ToolOutcome("time_in", {"place": named, "time": write_time(there, language)})
    if "seconds" in arguments:
        seconds = arguments["seconds"]
        try:
            then = write_time(in_seconds(float(seconds), now), language)
        except (OSError, OverflowError, ValueError):  # behind the last year there is
            return ToolOutcome("no_date")
        return ToolOutcome("time_then", {"seconds": seconds, "time": then})
    return ToolOutcome("time", {"time": write_time(now, language)})


def _time_elsewhere(arguments: Mapping[str, str], language: Language, now: datetime) -> ToolOutcome | None:
    """Return the time in one city at a time of day in another; without half of the day where that is open."""
    clock, doubtful, _ = arguments["at"].partition("?")
    at = datetime.combine(now.date(), time.fromisoformat(clock))
    here, place = time_in(arguments["from"], now), arguments["place"]
    there = None if here is None else time_in(place, at.replace(tzinfo=here.tzinfo))
    if there is None:
        return None
    return ToolOutcome("time_in", {"place": place.title(), "time": write_time(there, language, half=not doubtful)})


def _days_between(arguments: Mapping[str, str], language: Language, now: datetime) -> ToolOutcome:
    """Count the days from one date to the next other one."""
    since = read_date(arguments["since"], language, now.date())
    until = None if since is None else read_date(arguments["date"], language, since)
    if since is not None and until is not None and date.min + _YEAR < until < since:  # "from 5 October to 2 June 2027"
        since = read_date(arguments["since"], language, until - _YEAR)
    if since is None or until is None or until < since:
        return ToolOutcome("no_date")
    values = {"since": write_date(since, language), "date": write_date(until, language)}
    return ToolOutcome("days_between", values | {"days": str((until - since).days)})


def _date(when: str, language: Language, now: datetime) -> ToolOutcome:
    day = read_date(when, language, now.date()) if when else None
    distance = (day - now.date()).days if day is not None else 0
    day = now.date() + timedelta(days=distance)
    values = {"weekday": write_weekday(day, language), "date": write_date(day, language)}
    return ToolOutcome(_NEAR.get(distance, "date_other"), values)


def _about_date(call: Call, now: datetime) -> ToolOutcome:
    language = call.language
    if "since" in call.arguments:
        return _days_between(call.arguments, language, now)
    day = read_date(call.arguments["date"], language, now.date())
    if day is None:
        return ToolOutcome("no_date")
    days = (day - now.date()).days
    values = {
        "date": write_date(day, language),
        "weekday": write_weekday(day, language),
        "days": str(abs(days)),
    }
    if call.tool.name == "weekday":
        return ToolOutcome("weekday_past" if days < 0 else "weekday", values)
    kinds = {0: "days_until_none", 1: "days_until_one"}
    return ToolOutcome(kinds.get(days, "days_until" if days > 0 else "days_past"), values)


def calculated(expression: str, language: Language, written_in: Language | None = None) -> ToolOutcome | None:
    """Return the result of an expression, which may be written as another language does; None if it has none."""
    try:
        value = evaluate(parse(expression, written_in or language) or [])
    except NoValueError:
        return None
    if value is None:
        return None
    return ToolOutcome("result_about" if is_rounded(value) else "result", {"result": write_number(value, language)})


def _measure(arguments: Mapping[str, str], language: Language) -> ToolOutcome:
    number = read_number(arguments["number"], language)
    unit, target = (find_unit(arguments[name], language) for name in ("unit", "target"))
    value = converted(number, unit, target) if number is not None and unit and target else None
    if value is None or number is None or unit is None or target is None:
        return ToolOutcome("no_result")
    return ToolOutcome(
        "measure_about" if is_rounded(value, OF_MEASURES) else "measure",
        {
            "number": write_number(number, language),
            "unit": write_unit(number, unit, language),
            "result": write_number(value, language, OF_MEASURES),
            "target": write_unit(value, target, language),
        },
    )
