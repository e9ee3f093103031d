"""Days, times and durations: read as they are said, and written as each language does."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import cache

from engine.answer.tools.numbers import read_number
from engine.answer.tools.wording import folded
from engine.turns import Language

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
_WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
}
_WRITTEN = {
    "en": "{day} {month} {year}",
    "de": "{day}. {month} {year}",
    "fr": "{day} {month} {year}",
    "es": "{day} de {month} de {year}",
}
_FEASTS = {
    "en": {"christmas eve": (12, 24), "christmas": (12, 25), "christmas day": (12, 25), "new year": (1, 1),
           "new years day": (1, 1), "new year's day": (1, 1), "the new year": (1, 1), "new year's eve": (12, 31),
           "new years eve": (12, 31), "halloween": (10, 31), "valentine's day": (2, 14), "valentines day": (2, 14)},
    "de": {"weihnachten": (12, 25), "heiligabend": (12, 24), "silvester": (12, 31), "neujahr": (1, 1)},
    "fr": {"noel": (12, 25), "nouvel an": (1, 1), "le nouvel an": (1, 1)},
    "es": {"navidad": (12, 25), "nochebuena": (12, 24), "nochevieja": (12, 31), "ano nuevo": (1, 1)},
}  # fmt: skip
_NEAR = {
    "en": {"today": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2, "the day before yesterday": -2},
    "de": {"heute": 0, "morgen": 1, "gestern": -1, "ubermorgen": 2, "vorgestern": -2},
    "fr": {"aujourd'hui": 0, "demain": 1, "hier": -1, "apres-demain": 2, "avant-hier": -2},
    "es": {"hoy": 0, "manana": 1, "ayer": -1, "pasado manana": 2, "anteayer": -2},
}
_AWAY = {
    "en": ((r"in (?P<count>[\w -]{1,24}) (?P<unit>days?|weeks?)", 1),
           (r"(?P<count>[\w -]{1,24}) (?P<unit>days?|weeks?) from (?:now|today)", 1),
           (r"(?P<count>[\w -]{1,24}) (?P<unit>days?|weeks?) ago", -1)),
    "de": ((r"in (?P<count>[\w -]{1,24}) (?P<unit>tagen?|wochen?)", 1),
           (r"vor (?P<count>[\w -]{1,24}) (?P<unit>tagen?|wochen?)", -1)),
    "fr": ((r"dans (?P<count>[\w -]{1,24}) (?P<unit>jours?|semaines?)", 1),
           (r"il y a (?P<count>[\w -]{1,24}) (?P<unit>jours?|semaines?)", -1)),
    "es": ((r"(?:en|dentro de) (?P<count>[\w -]{1,24}) (?P<unit>dias?|semanas?)", 1),
           (r"hace (?P<count>[\w -]{1,24}) (?P<unit>dias?|semanas?)", -1)),
}  # fmt: skip
_WEEKS = ("week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas")
MOST_DAYS_AWAY = 100_000
_PARTS = {
    "en": {"second": 1, "seconds": 1, "minute": 60, "minutes": 60, "hour": 3600, "hours": 3600},
    "de": {"sekunde": 1, "sekunden": 1, "minute": 60, "minuten": 60, "stunde": 3600, "stunden": 3600},
    "fr": {"seconde": 1, "secondes": 1, "minute": 60, "minutes": 60, "heure": 3600, "heures": 3600},
    "es": {"segundo": 1, "segundos": 1, "minuto": 60, "minutos": 60, "hora": 3600, "horas": 3600},
}
_HALVES = {
    "en": {"half an hour": 1800, "a quarter of an hour": 900, "an hour and a half": 5400, "half a minute": 30,
           "one and a half hours": 5400, "three quarters of an hour": 2700},
    "de": {"eine halbe stunde": 1800, "einer halben stunde": 1800, "eine viertelstunde": 900,
           "einer viertelstunde": 900, "anderthalb stunden": 5400, "eineinhalb stunden": 5400,
           "eine dreiviertelstunde": 2700},
    "fr": {"une demi-heure": 1800, "une demi heure": 1800, "un quart d'heure": 900, "une heure et demie": 5400},
    "es": {"media hora": 1800, "un cuarto de hora": 900, "una hora y media": 5400},
}  # fmt: skip
_ARTICLES = {"en": "an?", "de": "", "fr": "", "es": ""}
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y"}
_COUNTED = {
    "en": ("{} hour", "{} hours", "{} minute", "{} minutes", "{} second", "{} seconds", " and "),
    "de": ("{} Stunde", "{} Stunden", "{} Minute", "{} Minuten", "{} Sekunde", "{} Sekunden", " und "),
    "fr": ("{} heure", "{} heures", "{} minute", "{} minutes", "{} seconde", "{} secondes", " et "),
    "es": ("{} hora", "{} horas", "{} minuto", "{} minutos", "{} segundo", "{} segundos", " y "),
}
MOST_TIMER_SECONDS = 24 * 3600

_SPACELESS = re.compile(r"(\d)([a-z])")  # "10min"


def near_expression(language: Language) -> str:
    """Give a regular expression for "today", "in three days" and the like."""
    near = sorted(map(re.escape, _NEAR[language]), key=len, reverse=True)
    away = (re.sub(r"\(\?P<\w+>([^()]*)\)", r"(?:\1)", way) for way, _ in _AWAY[language])
    return "(?:" + "|".join((*near, *away)) + ")"


def date_expression(language: Language) -> str:
    """Give a regular expression for a date or a feast, over folded text."""
    months = "|".join(folded(_MONTHS[language]).split())
    feasts = "|".join(sorted(map(re.escape, _FEASTS[language]), key=len, reverse=True))
    day = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
    between = {"en": "(?: of)?", "de": "", "fr": "", "es": "(?: de)?"}[language]
    before = {"en": "(?:the )?", "de": "(?:der |dem |den |zum )?", "fr": "(?:le )?", "es": "(?:el )?"}[language]
    year = r"(?:,? (?:de )?\d{4})?"
    forms = [rf"{before}{day}{between} (?:{months}){year}", feasts, r"\d{4}-\d{2}-\d{2}"]
    if language == "en":
        forms.append(rf"(?:{months})(?: the)? {day}{year}")
    return f"(?:{'|'.join(forms)})"


def read_date(text: str, language: Language, today: date) -> date | None:
    """Read a date; one without a year is the next one there is."""
    plain = folded(text)
    if plain in _NEAR[language]:
        return today + timedelta(days=_NEAR[language][plain])
    if (days := _days_away(plain, language)) is not None:
        return today + timedelta(days=days)
    if plain in _FEASTS[language]:
        return _next(*_FEASTS[language][plain], today)
    months = folded(_MONTHS[language]).split()
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", plain):
            return date.fromisoformat(plain)
        month = next(number for number, name in enumerate(months, 1) if re.search(rf"\b{name}\b", plain))
        year = re.search(r"\b\d{4}\b", plain)
        day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th|er|\.)?(?!\d)", plain)
        if day is None:
            return None
        return date(int(year[0]), month, int(day[1])) if year else _next(month, int(day[1]), today)
    except (StopIteration, ValueError):
        return None


def _days_away(plain: str, language: Language) -> int | None:
    """Read "in two weeks" and "three days ago" as days."""
    for way, sign in _AWAY[language]:
        found = re.fullmatch(way, plain)
        number = None if found is None else read_number(found["count"], language)
        if found is None or number is None or number.denominator != 1 or number > MOST_DAYS_AWAY:
            continue
        return sign * int(number) * (7 if found["unit"] in _WEEKS else 1)
    return None


def _next(month: int, day: int, today: date) -> date | None:
    for year in range(today.year, today.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:  # 29 February
            continue
        if found >= today:
            return found
    return None


def write_date(day: date, language: Language) -> str:
    """Write a date without its day of the week."""
    month = _MONTHS[language].split()[day.month - 1]
    return _WRITTEN[language].format(day=day.day, month=month, year=day.year)


def write_weekday(day: date, language: Language) -> str:
    """Name the day of the week."""
    return _WEEKDAYS[language].split()[day.weekday()]


def write_time(moment: datetime, language: Language) -> str:
    """Write a time of day."""
    if language == "en":
        half = "am" if moment.hour < 12 else "pm"
        return f"{moment.hour % 12 or 12}:{moment.minute:02} {half}"
    if language == "fr":
        return f"{moment.hour} h {moment.minute:02}"
    return f"{moment.hour}:{moment.minute:02}"


@cache
def duration_expression(language: Language) -> str:
    """Give a regular expression for what may be how long something takes, over folded text."""
    halves = "|".join(sorted(map(re.escape, _HALVES[language]), key=len, reverse=True))
    return rf"(?:{halves}|[^,]{{1,40}}?(?: |-)?(?:{_parts(language)})(?:,? .{{1,60}}?(?:{_parts(language)}))*)"


def read_duration(text: str, language: Language) -> float | None:
    """Read how long something takes, in seconds; None where it says nothing, or something else too."""
    plain = folded(text)
    if plain in _HALVES[language]:
        return float(_HALVES[language][plain])
    rest, total = _SPACELESS.sub(r"\1 \2", plain), Fraction(0)
    while rest:
        piece = re.match(rf"(.+?)[ -]({_parts(language)})\b(?:,? {_AND[language]}\b|,)? ?", rest)
        if piece is None:
            return None
        article = _ARTICLES[language] and re.fullmatch(_ARTICLES[language], piece[1])
        value = Fraction(1) if article else read_number(piece[1], language)
        if value is None:
            return None
        total += value * _PARTS[language][piece[2]]
        rest = rest[piece.end() :]
    return float(total) if total > 0 else None


def _parts(language: Language) -> str:
    return "|".join(sorted(_PARTS[language], key=len, reverse=True))


def write_duration(seconds: float, language: Language) -> str:
    """Write how long something takes, in hours, minutes and seconds, as far as they are any."""
    rounded = max(0, round(seconds))
    counts = (rounded // 3600, rounded % 3600 // 60, rounded % 60)
    *names, joined = _COUNTED[language]
    written = [
        names[2 * place + (count != 1)].format(count) for place, count in enumerate(counts) if count or not rounded
    ]
    written = written if rounded else written[-1:]
    return joined.join([", ".join(written[:-1]), written[-1]] if len(written) > 1 else written)


Now = Callable[[], datetime]
