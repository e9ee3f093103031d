"""Days, times and durations: read in words, and written as each language does."""

from __future__ import annotations

import re
from calendar import monthrange
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
_AROUND_EASTER = {
    "en": {"easter": 0, "easter sunday": 0, "good friday": -2, "easter monday": 1, "pentecost": 49},
    "de": {"ostern": 0, "ostersonntag": 0, "karfreitag": -2, "ostermontag": 1, "pfingsten": 49},
    "fr": {"paques": 0, "le dimanche de paques": 0, "le lundi de paques": 1, "la pentecote": 49},
    "es": {"pascua": 0, "el domingo de pascua": 0, "viernes santo": -2, "pentecostes": 49},
}
"""Feasts by their distance from Easter Sunday, in days."""

_NEXT = {"en": "(?:the )?next", "de": "nachsten?", "fr": "prochain", "es": "(?:proximo|que viene)"}
_LAST = {"en": "(?:the )?last", "de": "(?:letzten?|vergangenen?)", "fr": "dernier", "es": "pasado"}
_COMING = {
    "en": "on|this|coming|this coming|the",
    "de": "am|den|diesen|kommenden|am kommenden",
    "fr": "le|ce",
    "es": "el|este",
}
_SKIPS_A_WEEK = ("en", "de")
"""Languages in which "next Friday" is that of the next week; in others it is the first that comes."""
_NEAR = {
    "en": {"today": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2, "the day before yesterday": -2},
    "de": {"heute": 0, "morgen": 1, "gestern": -1, "ubermorgen": 2, "vorgestern": -2},
    "fr": {"aujourd'hui": 0, "demain": 1, "hier": -1, "apres-demain": 2, "avant-hier": -2},
    "es": {"hoy": 0, "manana": 1, "ayer": -1, "pasado manana": 2, "anteayer": -2},
}
_AWAY = {
    "en": ((r"in (?P<count>[\w -]{1,24}) (?P<unit>days?|weeks?|months?)", 1),
           (r"(?P<count>[\w -]{1,24}) (?P<unit>days?|weeks?|months?) from (?:now|today)", 1),
           (r"(?P<count>[\w -]{1,24}) (?P<unit>days?|weeks?|months?) ago", -1)),
    "de": ((r"in (?P<count>[\w -]{1,24}) (?P<unit>tagen?|wochen?|monaten?)", 1),
           (r"vor (?P<count>[\w -]{1,24}) (?P<unit>tagen?|wochen?|monaten?)", -1)),
    "fr": ((r"dans (?P<count>[\w -]{1,24}) (?P<unit>jours?|semaines?|mois)", 1),
           (r"il y a (?P<count>[\w -]{1,24}) (?P<unit>jours?|semaines?|mois)", -1)),
    "es": ((r"(?:en|dentro de) (?P<count>[\w -]{1,24}) (?P<unit>dias?|semanas?|mes(?:es)?)", 1),
           (r"hace (?P<count>[\w -]{1,24}) (?P<unit>dias?|semanas?|mes(?:es)?)", -1)),
}  # fmt: skip
_WEEKS = ("week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas")
_MONTHLY = ("month", "months", "monat", "monate", "monaten", "mois", "mes", "meses")
MOST_DAYS_AWAY = 100_000
_PARTS = {
    "en": {"second": 1, "seconds": 1, "minute": 60, "minutes": 60, "hour": 3600, "hours": 3600,
           "sec": 1, "secs": 1, "min": 60, "mins": 60, "hr": 3600, "hrs": 3600},
    "de": {"sekunde": 1, "sekunden": 1, "minute": 60, "minuten": 60, "stunde": 3600, "stunden": 3600, "min": 60},
    "fr": {"seconde": 1, "secondes": 1, "minute": 60, "minutes": 60, "heure": 3600, "heures": 3600, "min": 60},
    "es": {"segundo": 1, "segundos": 1, "minuto": 60, "minutos": 60, "hora": 3600, "horas": 3600, "min": 60},
}  # fmt: skip
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
    """Return a regular expression for "today", "in three days", "next Friday" and the like."""
    near = sorted(map(re.escape, _NEAR[language]), key=len, reverse=True)
    away = (_without_groups(way) for way, _ in _AWAY[language])
    return "(?:" + "|".join((*near, *away, _without_groups(_weekday_expression(language)))) + ")"


def _without_groups(expression: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", expression)


def _weekday_expression(language: Language) -> str:
    """Return a regular expression for a day of the week, with the words that tell which one is meant."""
    days = f"(?P<day>{'|'.join(folded(_WEEKDAYS[language]).split())})"
    which = f"(?P<next>{_NEXT[language]})|(?P<last>{_LAST[language]})"
    before = rf"(?:(?:{_COMING[language]}) )?"
    if language in ("fr", "es"):
        return rf"{before}{days}(?: (?:{which}))?"
    return rf"(?:{before}(?:{which}) )?{before}{days}"


def date_expression(language: Language) -> str:
    """Return a regular expression for a date or a feast, over folded text."""
    months = "|".join(folded(_MONTHS[language]).split())
    feasts = "|".join(sorted(map(re.escape, _FEASTS[language] | _AROUND_EASTER[language]), key=len, reverse=True))
    day = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
    between = {"en": "(?: of)?", "de": "", "fr": "", "es": "(?: de)?"}[language]
    before = {"en": "(?:the )?", "de": "(?:der |dem |den |zum )?", "fr": "(?:le )?", "es": "(?:el )?"}[language]
    year = r"(?:,? (?:de )?\d{4})?"
    weekday = _without_groups(_weekday_expression(language))
    forms = [rf"{before}{day}{between} (?:{months}){year}", feasts, r"\d{4}-\d{2}-\d{2}", weekday]
    if language == "en":
        forms.append(rf"(?:{months})(?: the)? {day}{year}")
    return f"(?:{'|'.join(forms)})"


def read_date(text: str, language: Language, today: date) -> date | None:
    """Read a date; one without a year is the next one there is."""
    plain = folded(text)
    if plain in _NEAR[language]:
        return today + timedelta(days=_NEAR[language][plain])
    if (near := _away(plain, language, today) or _weekday(plain, language, today)) is not None:
        return near
    if plain in _FEASTS[language]:
        return _next(*_FEASTS[language][plain], today)
    if plain in _AROUND_EASTER[language]:
        away = timedelta(days=_AROUND_EASTER[language][plain])
        return next(feast for year in (0, 1) if (feast := _easter(today.year + year) + away) >= today)
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


def _away(plain: str, language: Language, today: date) -> date | None:
    """Read "in two weeks" and "three days ago"."""
    for way, sign in _AWAY[language]:
        found = re.fullmatch(way, plain)
        number = None if found is None else read_number(found["count"], language)
        if found is None or number is None or number.denominator != 1 or number > MOST_DAYS_AWAY:
            continue
        count = sign * int(number)
        try:
            if found["unit"] in _MONTHLY:
                return _months_away(today, count)
            return today + timedelta(days=count * (7 if found["unit"] in _WEEKS else 1))
        except (ValueError, OverflowError):
            return None
    return None


def _months_away(today: date, count: int) -> date:
    """Return the same day of another month, or its last one if it has fewer days."""
    years, month = divmod(today.month - 1 + count, 12)
    first = date(today.year + years, month + 1, 1)
    return first.replace(day=min(today.day, monthrange(first.year, first.month)[1]))


def _weekday(plain: str, language: Language, today: date) -> date | None:
    """Read a day of the week as the next one, the one of the next week, or the last one."""
    found = re.fullmatch(_weekday_expression(language), plain)
    if found is None:
        return None
    day = folded(_WEEKDAYS[language]).split().index(found["day"])
    if found["next"] and language in _SKIPS_A_WEEK:
        return today + timedelta(days=7 - today.weekday() + day)
    ahead = (day - today.weekday()) % 7
    return today + timedelta(days=ahead - 7 if found["last"] else ahead or 7)


def _easter(year: int) -> date:
    """Return Easter Sunday of a year (the Gregorian computus by Meeus)."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


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
    """Return a regular expression for a possible duration, over folded text."""
    halves = "|".join(sorted(map(re.escape, _HALVES[language]), key=len, reverse=True))
    return rf"(?:{halves}|[^,]{{1,40}}?(?: |-)?(?:{_parts(language)})(?:,? .{{1,60}}?(?:{_parts(language)}))*)"


def read_duration(text: str, language: Language) -> float | None:
    """Read a duration, in seconds; return None if it is none, or there are other words."""
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
    """Write a duration in hours, minutes and seconds, without those that are zero."""
    rounded = max(0, round(seconds))
    counts = (rounded // 3600, rounded % 3600 // 60, rounded % 60)
    *names, joined = _COUNTED[language]
    written = [
        names[2 * place + (count != 1)].format(count) for place, count in enumerate(counts) if count or not rounded
    ]
    written = written if rounded else written[-1:]
    return joined.join([", ".join(written[:-1]), written[-1]] if len(written) > 1 else written)


Now = Callable[[], datetime]
