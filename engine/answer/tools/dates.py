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
_DAYS_COUNTED = {
    "en": "days?|weeks?|months?",
    "de": "tagen?|tage|wochen?|monaten?|monate",
    "fr": "jours?|semaines?|mois",
    "es": "dias?|semanas?|mes(?:es)?",
}
_AWAY = {
    "en": (("in {}", 1), ("{} from (?:now|today)", 1), ("{} ago", -1)),
    "de": (("in {}", 1), ("vor {}", -1)),
    "fr": (("dans {}", 1), ("il y a {}", -1)),
    "es": (("(?:en|dentro de) {}", 1), ("hace {}", -1)),
}
"""Ways to count days from today, with the direction."""

_LESS = ("minus", "moins", "menos")
_SUMMED = f"(?:plus|mas|{'|'.join(_LESS)})"
_WEEKS = ("week", "weeks", "woche", "wochen", "semaine", "semaines", "semana", "semanas")
_MONTHLY = ("month", "months", "monat", "monate", "monaten", "mois", "mes", "meses")
MOST_DAYS_AWAY = 100_000
_GREGORIAN = 1583
"""First year of which the feasts are known."""

_SECOND, _MINUTE, _HOUR, _DAY = 1, 60, 3600, 24 * 3600
_PARTS = {
    "en": "second seconds sec secs s | minute minutes min mins m | hour hours hr hrs h | day days | week weeks",
    "de": "sekunde sekunden sek s | minute minuten min m | stunde stunden std h | tag tage tagen | woche wochen",
    "fr": "seconde secondes sec s | minute minutes min mn | heure heures h | jour jours | semaine semaines",
    "es": "segundo segundos seg s | minuto minutos min | hora horas h | dia dias | semana semanas",
}
_PART_SECONDS = (_SECOND, _MINUTE, _HOUR, _DAY, 7 * _DAY)
_SHARES: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {"half": ("half an?", "half"), "quarter": ("a quarter of an?", "quarter of an?"),
           "three": ("three quarters of an?",)},
    "de": {"half": ("(?:eine[rn]? )?halben?",), "quarter": ("(?:eine[rn]? )?viertel",),
           "three": ("(?:eine[rn]? )?dreiviertel",)},
    "fr": {"half": ("(?:une )?demi", "(?:une )?demie"), "quarter": ("(?:un )?quart d'",),
           "three": ("(?:les )?trois quarts d'",)},
    "es": {"half": ("medi[oa]",), "quarter": ("(?:un )?cuarto de",), "three": ("tres cuartos de",)},
}  # fmt: skip
"""Parts of a unit before it: "half an" hour."""

_SHARE_VALUES = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "three": Fraction(3, 4)}
_MORE = {
    "en": "and a (?P<half>half)|and (?:a|one) (?P<quarter>quarter)",
    "de": "und (?:eine )?(?P<half>halbe)|und (?:ein )?(?P<quarter>viertel)",
    "fr": "et (?P<half>demie?)|et (?:un )?(?P<quarter>quart)",
    "es": "y (?P<half>medi[oa])|y (?:un )?(?P<quarter>cuarto)",
}
"""Parts of a unit behind it, or behind the number: "an hour and a half", "two and a half hours"."""

_ARTICLES = {"en": "an?", "de": "", "fr": "", "es": ""}
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y"}
_COUNTED = {
    "en": "day days | hour hours | minute minutes | second seconds",
    "de": "Tag Tage | Stunde Stunden | Minute Minuten | Sekunde Sekunden",
    "fr": "jour jours | heure heures | minute minutes | seconde secondes",
    "es": "día días | hora horas | minuto minutos | segundo segundos",
}
"""Names of units as they are written: of one, and of several."""

MOST_TIMER_SECONDS = 24 * _DAY
"""Longest timer, in seconds."""

_SPACELESS = re.compile(r"(?<=\d)(?=[a-z])|(?<=\d[hms])(?=\d)")  # "10min", "1h30"


def near_expression(language: Language) -> str:
    """Return a regular expression for "today", "in three days", "next Friday" and the like."""
    near = sorted(map(re.escape, _NEAR[language]), key=len, reverse=True)
    away = (_without_groups(_away_expression(way, language)) for way, _ in _AWAY[language])
    days = (sum_expression(language), *near, *away, _without_groups(_weekday_expression(language)))
    return f"(?:{'|'.join(days)})"


def coming_expression(language: Language) -> str:
    """Return a regular expression for "today", "tomorrow" and the like, over folded text."""
    coming = (day for day, away in _NEAR[language].items() if away >= 0)
    return f"(?:{'|'.join(sorted(map(re.escape, coming), key=len, reverse=True))})"


def sum_expression(language: Language) -> str:
    """Return a regular expression for "today plus 24 days", over folded text."""
    near = "|".join(sorted(map(re.escape, _NEAR[language]), key=len, reverse=True))
    return rf"(?:(?:{near}) {_SUMMED} {_without_groups(_away_expression('{}', language))})"


def _away_expression(way: str, language: Language) -> str:
    """Return a regular expression for a way to count days."""
    return way.format(rf"(?P<count>[\w -]{{1,24}}) (?P<unit>{_DAYS_COUNTED[language]})")


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
    day = r"\d{1,2}(?:st|nd|rd|th|er|\.)?"
    between = {"en": "(?: of)?", "de": "", "fr": "", "es": "(?: de)?"}[language]
    before = {"en": "(?:the )?", "de": "(?:der |dem |den |zum )?", "fr": "(?:le )?", "es": "(?:el )?"}[language]
    year = r"(?:,? (?:de )?\d{4})?"
    weekday = _without_groups(_weekday_expression(language))
    forms = [
        rf"{before}{day}{between} (?:{months}){year}",
        rf"{feast_expression(language)}(?: \d{{4}})?",
        r"\d{4}-\d{2}-\d{2}",
        weekday,
    ]
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
    if (feast := _feast(plain, language, today)) is not None:
        return feast
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


def _feast(plain: str, language: Language, today: date) -> date | None:
    """Read a feast, of a year if one is named, else the next one."""
    name, year = (plain[:-5], int(plain[-4:])) if re.search(r" \d{4}$", plain) else (plain, None)
    if year is not None and year < _GREGORIAN:
        return None
    if name in _FEASTS[language]:
        month, day = _FEASTS[language][name]
        return _next(month, day, today) if year is None else date(year, month, day)
    if name not in _AROUND_EASTER[language]:
        return None
    away = timedelta(days=_AROUND_EASTER[language][name])
    years = (today.year, today.year + 1) if year is None else (year,)
    return next(feast for each in years if (feast := _easter(each) + away) >= today or year is not None)


def feast_expression(language: Language) -> str:
    """Return a regular expression for a feast, over folded text."""
    feasts = sorted(map(re.escape, _FEASTS[language] | _AROUND_EASTER[language]), key=len, reverse=True)
    return f"(?:{'|'.join(feasts)})"


def _away(plain: str, language: Language, today: date) -> date | None:
    """Read "in two weeks", "three days ago" and "tomorrow plus 24 days"."""
    ways = [(_away_expression(way, language), sign) for way, sign in _AWAY[language]]
    if (summed := re.fullmatch(rf"(.+?) ({_SUMMED}) (.+)", plain)) is not None and summed[1] in _NEAR[language]:
        today += timedelta(days=_NEAR[language][summed[1]])
        plain, ways = summed[3], [(_away_expression("{}", language), -1 if summed[2] in _LESS else 1)]
    for way, sign in ways:
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


def write_time(moment: datetime, language: Language, *, half: bool = True) -> str:
    """Write a time of day; an English one with `half` of the day, before noon or after."""
    if language == "en":
        named = f" {'am' if moment.hour < 12 else 'pm'}" if half else ""
        return f"{moment.hour % 12 or 12}:{moment.minute:02}{named}"
    if language == "fr":
        return f"{moment.hour} h {moment.minute:02}"
    return f"{moment.hour}:{moment.minute:02}"


@cache
def duration_expression(language: Language) -> str:
    """Return a regular expression for a possible duration, over folded text."""
    more = _without_groups(_MORE[language])
    unit = rf"(?:(?<![a-z])|(?<=viertel))(?:{_parts(language)})(?![a-z])"
    return rf"(?:(?:[^,]|,(?=\d)){{0,40}}?{unit}(?:,? .{{1,60}}?{unit}| (?:{more})| ?\d{{1,2}}\b)*)"


def read_duration(text: str, language: Language) -> float | None:
    """Read a duration, in seconds; return None if it is none, or there are other words."""
    rest, total, unit = _SPACELESS.sub(" ", folded(text)), Fraction(0), 0
    while rest:
        piece = _piece(language).match(rest)
        if piece is None:
            minutes = read_number(rest, language)  # "2 heures 30"
            if unit not in (_MINUTE, _HOUR) or minutes is None or not 0 < minutes < 60:
                return None
            return float(total + minutes * unit // 60)
        share, unit = _share(piece), _units(language)[piece["unit"]]
        value = Fraction(1) if share and not piece["number"] else _value(piece["number"], language)
        if value is None:
            return None
        total += (value + share) * unit
        rest = rest[piece.end() :]
    return float(total) if total > 0 else None


@cache
def _piece(language: Language) -> re.Pattern[str]:
    """Return a pattern for a number with its unit, and what joins it to the next."""
    return re.compile(
        rf"(?P<number>.*?)[ -]?(?:(?<![a-z])|(?<=viertel))(?P<unit>{_parts(language)})\b(?: (?:{_MORE[language]})\b)?"
        rf"(?:,? {_AND[language]}\b|,)? ?"
    )


def _value(said: str, language: Language) -> Fraction | None:
    """Read the number before a unit: "an", "half an", "two and a half", "zweieinhalb"."""
    for share, ways in _SHARES[language].items():
        if re.fullmatch("|".join(ways), said):
            return _SHARE_VALUES[share]
    if _ARTICLES[language] and re.fullmatch(_ARTICLES[language], said):
        return Fraction(1)
    if (more := re.fullmatch(rf"(.+) (?:{_MORE[language]})", said)) is not None:
        whole = read_number(more[1], language)
        return None if whole is None else whole + _share(more)
    if language == "de" and (half := re.fullmatch(r"(?:(.+)ein|andert)halbe?", said)):
        whole = read_number(half[1], language) if half[1] else Fraction(1)
        return None if whole is None else whole + Fraction(1, 2)
    return read_number(said, language)


def _share(found: re.Match[str]) -> Fraction:
    """Return the part of a unit that is named beside its number."""
    return next((_SHARE_VALUES[name] for name in ("half", "quarter") if found[name]), Fraction(0))


@cache
def _units(language: Language) -> dict[str, int]:
    """Return the names of the units with their lengths in seconds."""
    named = zip(_PARTS[language].split(" | "), _PART_SECONDS, strict=True)
    return {name: seconds for names, seconds in named for name in names.split()}


def _parts(language: Language) -> str:
    return "|".join(sorted(_units(language), key=len, reverse=True))


def write_duration(seconds: float, language: Language) -> str:
    """Write a duration in hours, minutes and seconds, without those that are zero."""
    rounded = max(0, round(seconds))
    counts = (rounded // _DAY, rounded % _DAY // _HOUR, rounded % _HOUR // _MINUTE, rounded % _MINUTE)
    names = [each.split() for each in _COUNTED[language].split(" | ")]
    counted = zip(counts, names, strict=True)
    written = [f"{count} {one if count == 1 else many}" for count, (one, many) in counted if count]
    if len(written) < 2:
        return written[0] if written else f"0 {names[-1][1]}"
    return f"{', '.join(written[:-1])} {_AND[language]} {written[-1]}"


Now = Callable[[], datetime]
