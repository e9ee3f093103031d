"""Timers in words: length, label and time of day."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from engine.answer.tools.numbers import read_number
from engine.answer.tools.outcomes import ToolOutcome
from engine.answer.tools.wording import folded
from engine.turns import Language

MOST_LABEL = 60
"""Longest label of a timer, in characters."""

_CLOCK = re.compile(
    r"(\d{1,2})(?: ?[:.h] ?(\d{2}))?(?: ?(?:uhr|h|heures?))?(?: (\d{2}))? ?(a\.?m\.?|p\.?m\.?)?(?: ?o'clock)?"
)
_HALF_DAY = timedelta(hours=12)
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

_IN_WORDS = re.compile(
    rf"(?:(?:a )?(?P<part>{'|'.join(_PARTS)}) )?(?P<hour>\d{{1,2}}|[a-z]{{3,7}})(?P<minute> [a-z]{{3,}}(?:-[a-z]+)?)??"
    r"(?P<rest> ?(?:uhr|heures?|h|[ap]\.?m\.?|o'clock))?"
    rf"(?: (?P<behind>{'|'.join(_BEHIND)}))?"
)

_PAST = re.compile(
    r"(?P<count>\d{1,2}|[a-z-]{3,12}) (?:minuten? |minutes? )?(?P<way>past|to|nach|vor) (?P<hour>\d{1,2}|[a-z]{3,7})"
)
_NAMED = {
    **dict.fromkeys(("noon", "midday", "mittag", "midi", "mediodia"), "12 pm"),
    **dict.fromkeys(("midnight", "mitternacht", "minuit", "medianoche"), "12 am"),
}


def clock_expression() -> str:
    """Return a regular expression for a time of day, over folded text."""
    ways = (re.sub(r"\((?:\?P<\w+>|(?!\?))", "(?:", way.pattern) for way in (_CLOCK, _IN_WORDS, _PAST))
    return f"(?:{'|'.join((*ways, *_NAMED))})"


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
    doubtful = not half and 1 <= hour <= 12 and "h" not in plain
    return f"{hour:02}:{minute:02}{'?' if doubtful else ''}"


def _in_digits(plain: str, language: Language) -> str:
    """Return a time of day in digits for one in words: "half past six" is "6:30"."""
    if plain in _NAMED:
        return _NAMED[plain]
    if (past := _PAST.fullmatch(plain)) is not None and (shown := _minutes_past(past, language)) is not None:
        return shown
    found = _IN_WORDS.fullmatch(plain)
    hour = None if found is None else read_number(found["hour"], language)
    if found is None or hour is None or not 0 <= hour <= 24:
        return plain
    earlier, minutes = (_PARTS | _BEHIND).get(found["part"] or found["behind"] or "", (0, ""))
    if found["minute"] and (said := read_number(found["minute"].strip(), language)) is not None:
        minutes = f"{int(said):02}"
    shown = f"{(int(hour) + earlier - 1) % 12 + 1 if earlier else int(hour)}:{minutes or '00'}"
    return f"{shown}{found['rest'] or ''}"


def _minutes_past(found: re.Match[str], language: Language) -> str | None:
    """Write "ten to nine" as "8:50"; return None if it is no time."""
    count, hour = (read_number(found[part], language) for part in ("count", "hour"))
    if count is None or hour is None or not (0 < count < 60 and 0 <= hour <= 24):
        return None
    minutes = int(hour) * 60 + int(count) * (-1 if found["way"] in ("to", "vor") else 1)
    return f"{(minutes // 60 - 1) % 12 + 1 if hour <= 12 else minutes // 60}:{minutes % 60:02}"


def seconds_of(arguments: Mapping[str, str], now: datetime) -> float:
    """Return the length of a requested timer that starts now, in seconds."""
    if "seconds" in arguments:
        return float(arguments["seconds"])
    clock, _, doubtful = arguments["at"].partition("?") if "?" in arguments["at"] else (arguments["at"], "", None)
    hour, minute = map(int, clock.split(":"))
    due = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    step = _HALF_DAY if doubtful is not None else 2 * _HALF_DAY
    while due <= now:
        due += step
    while due - step > now:
        due -= step
    return (due - now).total_seconds()


def timer_set(seconds: float, label: str) -> ToolOutcome:
    """Return the outcome that a timer runs."""
    return _outcome("timer_set", f"{seconds:g}", label)


def timer_over(seconds: float, label: str) -> ToolOutcome:
    """Return the outcome that a timer rings."""
    return _outcome("timer_over", f"{seconds:g}", label[:1].upper() + label[1:])


def timers_left(running: Sequence[tuple[float, str]]) -> ToolOutcome:
    """Return the outcome with the time left of each timer and its label, the next to ring first."""
    if not running:
        return ToolOutcome("no_timer")
    if len(running) == 1:
        return _outcome("timer_left", f"{running[0][0]:.0f}", running[0][1])
    told = "\n".join(f"{max(0.0, left):.0f} {label}".strip() for left, label in running)
    return ToolOutcome("timers_left", {"timers": told})


def _outcome(kind: str, seconds: str, label: str) -> ToolOutcome:
    values = {"seconds": seconds}
    return ToolOutcome(f"{kind}_named", values | {"label": label}) if label else ToolOutcome(kind, values)
