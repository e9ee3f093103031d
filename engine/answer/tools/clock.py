"""Times of day in words and digits, with the day and the part of the day that they are in."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from functools import cache

from engine.answer.tools.dates import near_expression, read_date
from engine.answer.tools.numbers import number_words, read_number
from engine.answer.tools.wording import folded
from engine.turns import Language

_CLOCK = re.compile(
    r"(\d{1,2})(?: ?[:.h] ?(\d{2}))?(?: ?(?:uhr|h|heures?|horas?))?(?: (\d{2}))? ?(a\.?m\.?|p\.?m\.?)?(?: ?o'clock)?"
)
_HALF_DAY = timedelta(hours=12)
_EARLIEST_HOUR = 6
"""Hour before which a time of another day is in the afternoon, unless something is to wake people."""

_PARTS = {
    **{"half past": (0, "30"), "quarter past": (0, "15"), "quarter to": (-1, "45")},
    **{"halb": (-1, "30"), "viertel nach": (0, "15"), "viertel vor": (-1, "45"), "dreiviertel": (-1, "45")},
}
"""Parts of an hour, before or after it, in minutes."""

_BEHIND = {
    **{"et demie": (0, "30"), "et demi": (0, "30"), "et quart": (0, "15"), "moins le quart": (-1, "45")},
    **{"y media": (0, "30"), "y cuarto": (0, "15"), "menos cuarto": (-1, "45")},
}
"""The same after the hour."""

_NAMED = {
    **dict.fromkeys(("noon", "midday", "mittags", "mittag", "midi", "el mediodia", "mediodia"), "pm"),
    **dict.fromkeys(("midnight", "mitternacht", "minuit", "la medianoche", "medianoche"), "am"),
}
_AT = {
    "en": "at|for|by|on|around|about",
    "de": "um|auf|fur|gegen|am|ab",
    "fr": "a|pour|vers|le",
    "es": "(?:a|para|de|sobre) las?|a|para|las?",
}
_MORNING = {
    "en": "(?:in the|this|the) morning|morning",
    "de": "(?:am|heute) (?:morgen|vormittag)|morgens|fruh|vormittags?",
    "fr": "du matin|(?:le|ce) matin|matin",
    "es": "(?:de|por) la (?:manana|madrugada)|esta manana",
}
_EVENING = {
    "en": "(?:in the|this) (?:afternoon|evening)|afternoon|evening|tonight|(?:at )?night",
    "de": "(?:am|heute) (?:nachmittag|abend)|heute nacht|nachmittags?|abends?|nachts?",
    "fr": "(?:de |cet )?l?'?apres-midi|du soir|(?:le|ce) soir|soir|de la nuit|cette nuit",
    "es": "(?:de|por) la (?:tarde|noche)|esta (?:tarde|noche)",
}
"""Parts of the day; in the first an hour is as it is said, in the second it is after noon."""

_NIGHT = re.compile(r"night|nacht|nuit|noche")
_AFTER_MIDNIGHT = 5
"""Last hour of the night that is after midnight."""


@cache
def _in_words(language: Language) -> re.Pattern[str]:
    """Return a pattern for an hour with its minutes, in words or digits."""
    number = number_words(language, below=60)
    hour = rf"(?:\d{{1,2}}|(?:{number})(?:[ -](?:et )?une?)?)"
    minutes = rf"(?:(?:et|y|oh|moins|menos) )?(?:\d{{1,2}}|(?:{number})(?:[ -](?:(?:et|y) )?(?:{number}))?)"
    return re.compile(
        rf"(?:(?:a )?(?P<part>{'|'.join(_PARTS)}) )?(?P<hour>{hour})(?P<minute> {minutes})??"
        rf"(?:(?P<rest> ?(?:uhr|heures?|horas?|h|[ap]\.?m\.?|o'clock))(?P<after> {minutes})??)?"
        rf"(?: (?P<behind>{'|'.join(_BEHIND)}))?"
    )


@cache
def _past(language: Language) -> re.Pattern[str]:
    """Return a pattern for minutes before or after an hour: "ten to nine"."""
    number = rf"\d{{1,2}}|{number_words(language, below=60)}"
    return re.compile(rf"(?P<count>{number}) (?:minuten? |minutes? )?(?P<way>past|to|nach|vor) (?P<hour>{number})")


@cache
def clock_expression(language: Language) -> str:
    """Return a regular expression for a time of day with its day, over folded text."""
    patterns = (_past(language), _CLOCK, _in_words(language))  # "ten to nine" is not ten with other words behind it
    ways = (re.sub(r"\((?:\?P<\w+>|(?!\?))", "(?:", way.pattern) for way in patterns)
    named = rf"(?:(?:a )?(?:{'|'.join(_PARTS)}) )?(?:{'|'.join(_NAMED)})(?: (?:{'|'.join(_BEHIND)}))?"
    core = rf"(?:(?:{_AT[language]}) )?(?:{'|'.join(ways)}|{named})"
    around = rf"(?:(?:{_AT[language]}) )?(?:{_MORNING[language]}|{_EVENING[language]}|{near_expression(language)})"
    return rf"(?:(?:{around},? ){{0,2}}{core}(?:,? {around}){{0,2}})"


def read_moment(text: str, language: Language, *, wakes: bool = True) -> dict[str, str] | None:
    """Read a time of day as "at" in the form of `read_clock`, and its day, if one is named, as "day".

    An early hour of another day is in the afternoon unless it `wakes`: nobody is reminded at three in the night.
    """
    plain = folded(text).strip()
    part = re.search(rf"\b(?:{_MORNING[language]}|(?P<late>{_EVENING[language]}))(?!\w)", plain)
    rest = plain if part is None else f"{plain[: part.start()]} {plain[part.end() :]}"
    day = re.search(rf"\b{near_expression(language)}(?!\w)", rest)
    rest = rest if day is None else f"{rest[: day.start()]} {rest[day.end() :]}"
    rest = re.sub(
        rf"^(?:(?:{_AT[language]}) )+|(?: (?:{_AT[language]}))+$", "", " ".join(rest.replace(",", " ").split())
    )
    clock = read_clock(rest, language)
    if clock is None:
        return None
    at, doubtful, _ = clock.partition("?")
    if part is not None and 1 <= int(at[:2]) <= 12:
        at, doubtful = _in_part(at, late=bool(part["late"]), night=_NIGHT.search(part.group()) is not None), ""
    elif doubtful and day is not None and not wakes and int(at[:2]) < _EARLIEST_HOUR:
        at, doubtful = f"{int(at[:2]) + 12}{at[2:]}", ""
    return {"at": at + doubtful} | ({} if day is None else {"day": day.group()})


def _in_part(at: str, *, late: bool, night: bool) -> str:
    """Return a time on a face of twelve hours as one of 24 hours, in the earlier or later part of the day."""
    hour = int(at[:2]) % 12
    after_noon = late and not (night and hour <= _AFTER_MIDNIGHT)
    return f"{hour + (12 if after_noon or (late and at.startswith('12') and not night) else 0):02}{at[2:]}"


def seconds_until(due: datetime, now: datetime) -> float:
    """Return the seconds between two moments by the local clock, of which a night of the year lacks an hour."""
    return due.timestamp() - now.timestamp()


def in_seconds(seconds: float, now: datetime) -> datetime:
    """Return what the local clock will show after some seconds."""
    return datetime.fromtimestamp(now.timestamp() + seconds)


def next_moment(at: str, day: str, language: Language, now: datetime) -> datetime:
    """Return when a time of day, and of a day if one is named, comes next."""
    clock, doubtful, _ = at.partition("?")
    named = read_date(day, language, now.date()) if day else None
    due = datetime.combine(named or now.date(), time.fromisoformat(clock))
    if named is not None and named > now.date():
        return due
    step = _HALF_DAY if doubtful else 2 * _HALF_DAY
    while due <= now:
        due += step
    while due - step > now:
        due -= step
    return due


def read_clock(text: str, language: Language) -> str | None:
    """Read a time of day as HH:MM, with "?" behind it if it may be in the morning or the evening."""
    plain = _in_digits(folded(text).strip(), language)
    found = _CLOCK.fullmatch(plain)
    if found is None:
        return None
    hour, minute = int(found[1]), int(found[2] or found[3] or 0)
    half = (found[4] or "").replace(".", "")
    if hour > 23 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    exact = half or "h" in plain.replace("o'clock", "") or (plain.startswith("0") and found[2])  # "09:05", "7 Uhr"
    return f"{hour:02}:{minute:02}{'' if exact or not 1 <= hour <= 12 else '?'}"


def _in_digits(plain: str, language: Language) -> str:
    """Return a time of day in digits for one in words: "half past six" is "6:30"."""
    for name, half in _NAMED.items():
        if re.search(rf"\b{name}\b", plain):
            shown = _in_digits(plain.replace(name, "12"), language)
            before = shown.startswith("11")
            return f"{shown} {half if not before else 'am' if half == 'pm' else 'pm'}"
    past = _past(language).fullmatch(plain)
    if past is not None and (nearby := _minutes_past(past, language)) is not None:
        return nearby
    found = _in_words(language).fullmatch(plain)
    hour = None if found is None else read_number(found["hour"], language)
    if found is None or hour is None or not 0 <= hour <= 24:
        return plain
    earlier, minutes = (_PARTS | _BEHIND).get(found["part"] or found["behind"] or "", (0, ""))
    if count_said := found["minute"] or found["after"]:
        count = _count(count_said, language)
        if count is None or (found["minute"] and found["after"]):  # "10 minutes" is no time of day
            return plain
        earlier, minutes = (-1, f"{60 + count:02}") if count < 0 else (earlier, f"{count:02}")
    shown = f"{(int(hour) + earlier - 1) % 12 + 1 if earlier else int(hour)}:{minutes or '00'}"
    return f"{shown}{found['rest'] or ''}"


def _count(said: str, language: Language) -> int | None:
    """Read minutes behind an hour: "thirty", "oh five", "y veinte", "moins dix"; return None if they are none."""
    sign, number = re.fullmatch(r"(?:(et|y|oh|moins|menos) )?(.+)", said.strip()).groups()  # type: ignore[union-attr]
    count = read_number(number, language)
    if count is None or count.denominator != 1 or not 0 < count < 60 or (count < 10 and sign is None):
        return None
    return -int(count) if sign in ("moins", "menos") else int(count)


def _minutes_past(found: re.Match[str], language: Language) -> str | None:
    """Write "ten to nine" as "8:50"; return None if it is no time."""
    count, hour = (read_number(found[part], language) for part in ("count", "hour"))
    if count is None or hour is None or not (0 < count < 60 and 0 <= hour <= 24):
        return None
    minutes = int(hour) * 60 + int(count) * (-1 if found["way"] in ("to", "vor") else 1)
    return f"{(minutes // 60 - 1) % 12 + 1 if hour <= 12 else minutes // 60}:{minutes % 60:02}"
