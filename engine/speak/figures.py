"""Figures as a person reads them out: times of day, dates, ordinals, Roman numbers, prices, units and decades.

What voices read well by themselves stays as it is: plain numbers, and ordinals like "24th" and "1er".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.turns import Language

Words = Mapping[str, Any]
"""A language's part of reading.toml."""

_NOON = 12
_ENGLISH_TIME = re.compile(
    r"(?<![\d:.,])(\d{1,2}):([0-5]\d)(?: ?([ap])\.? ?m\b(?:\.(?= ?[a-z]))?)?(?![:\d]|\.\d)", re.I
)
_TIMES = {
    "de": re.compile(r"(?<![\d:.,])(?:(\d{1,2})[:.]([0-5]\d) Uhr\b|(\d\d):([0-5]\d)(?![:\d]))"),
    "fr": re.compile(r"(?<![\d:.,])(?:(\d{1,2}) ?h(?: ?([0-5]\d))?(?![\w:])|(\d\d):([0-5]\d)(?![:\d]))"),
    "es": re.compile(r"(?<![\d:.,])(?:(?<=\bla )|(?<=\blas )|(?=\d\d:))(\d{1,2}):([0-5]\d)(?![:\d])(?: h\b\.?)?()()"),
}
_NUMBER = r"(?P<whole{0}>\d{{1,3}}(?:[.,\u00a0\u202f]\d{{3}})+|\d+)(?:[.,](?P<part{0}>\d{{1,2}}))?"
_FEW_CENTS = 9
"""Most cents that are named as such: "3 dollars 5" sounds like 3.50."""

_SIGN, _COUNTRY = r"[$€£¥]", r"(?:US|CA|AU|NZ|HK)"
_ISO = re.compile(r"(?<![\d/-])(\d{4})-(\d\d)-(\d\d)(?![\d/-])")
_DAYS = {
    "de": re.compile(r"(?<![\d.])(\d{1,2})\. ?(\d{1,2})\.(?: ?(\d{4}|\d\d)(?!\d))?"),
    "fr": re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])"),
    "es": re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])"),
}
_MONTHS_OF_A_YEAR, _DAYS_OF_A_MONTH = 12, 31
_GERMAN_ORDINAL = re.compile(
    r"(?:\b(?P<before>am|dem|den|des|zum|vom|im|beim|zur|der|die|das) )?(?<![\d.,:])(?P<number>\d{1,2})\."
    r"(?= (?P<next>[a-zäöüA-ZÄÖÜ]\w+))",
    re.I,
)
_ORDINALS = {
    "fr": re.compile(r"(?<![\w.,])(\d{1,2})(?:e|ème|eme|es|èmes)(?!\w)()"),
    "es": re.compile(r"(?<![\w.,])(\d{1,2})\.?(?:[º°]|o\b|(ª|a\b|er\b))"),
}
_ROMAN = re.compile(
    r"(?P<before>\b[^\W\d_][\w'’-]*) (?P<roman>(?=[IVX])X{0,2}(?:IX|IV|V?I{0,3}))"
    r"(?P<ending>er|e|ème)?(?P<dot>\.?)(?!\w)"
)
_LONE_LETTERS = ("I", "V", "X")
_ENDS_NAME = re.compile(r"$| of\b|[,;:!?)]")
_DECADE = re.compile(r"(?<![\w.,])(?:'|’)?(\d\d)?([2-9])0s\b")
_NUMBER_SIGN = re.compile(r"(?<![\w#&])(?:#|[Nn]o\. )(?=\d)")
_FEET = re.compile(r"(?<![\d.,])(\d+) ?(?:ft|')\.? ?(\d{1,2}) ?(?:in\b\.?|\")")


def figures_aloud(text: str, language: Language, words: Words) -> str:
    """Rewrite the figures of a text as people read them."""
    text = _NUMBER_SIGN.sub(f"{words['number']} ", text)
    text = _prices(language).sub(lambda found: _price(found, words), text)
    text = _ISO.sub(lambda found: _date(found[0], found[3], found[2], found[1], language, words), text)
    if language == "en":
        text = _ENGLISH_TIME.sub(_english_time, text)
        text = _DECADE.sub(
            lambda found: f"{found[1] or ''} {words['decades'].split()[int(found[2]) - 2]}".strip(), text
        )
        text = _FEET.sub(
            lambda found: (
                f"{found[1]} {words['units']['ft'][found[1] != '1']} {found[2]} {words['inches'][found[2] != '1']}"
            ),
            text,
        )
    else:
        text = _DAYS[language].sub(lambda found: _date(found[0], found[1], found[2], found[3], language, words), text)
        text = _TIMES[language].sub(lambda found: _time(found, language), text)
    text = _ROMAN.sub(lambda found: _roman(found, language, words), text)
    if language == "de":
        text = _GERMAN_ORDINAL.sub(lambda found: _german_ordinal(found, words), text)
    if language in _ORDINALS:
        text = _ORDINALS[language].sub(lambda found: _ordinal(found, words), text)
    return _units(language, tuple(words["units"])).sub(lambda found: _unit(found, words), text)


def _english_time(found: re.Match[str]) -> str:
    """Read "3:00 pm" as 3 pm, "9:05 am" as 9 oh 5 am, and "15:00" as 3 pm."""
    hour, minute = int(found[1]), int(found[2])
    half = f" {found[3].lower()}m" if found[3] else ""
    if hour > 2 * _NOON or (half and not 0 < hour <= _NOON):
        return found[0]
    if minute:
        return f"{hour} oh {minute}{half}" if minute < 10 else f"{hour}:{minute}{half}"
    if half or not hour % (2 * _NOON):
        return f"{hour}{half}" if half else "midnight"
    return f"{hour} o'clock" if hour <= _NOON else f"{hour - _NOON} pm"


def _time(found: re.Match[str], language: Language) -> str:
    """Read "15:30" as 15 Uhr 30, 15 heures 30, or 15 y 30."""
    hour, minute = int(found[1] or found[3]), int(found[2] or found[4] or 0)
    if hour > 2 * _NOON:
        return found[0]
    minutes = f" {minute}" if minute else ""
    match language:
        case "de":
            return f"{'ein' if hour == 1 else hour} Uhr{minutes}"
        case "fr":
            return f"{ {1: 'une', 21: 'vingt et une'}.get(hour, hour) } heure{'s' if hour > 1 else ''}{minutes}"
        case _:
            told = "una" if hour == 1 else str(hour)
            return f"{told} y{minutes}" if minute else f"{told} en punto" if hour <= _NOON else f"{told} horas"


@cache
def _prices(language: Language) -> re.Pattern[str]:
    """Return a pattern for a price with its sign before or behind it."""
    short = r"k|K|m|M|mn|bn|b|B|tn|Mio\.?|Mrd\.?|Md"
    large = r"thousand|[mb]illion|trillion|Tausend|Millionen?|Milliarden?|mille|millions|milliards?|mil|millón|millones"
    many = rf"(?: ?(?P<short{{0}}>{short})(?!\w)| (?P<large{{0}}>{large})\b(?: d'| de)?)?"
    before = (
        rf"(?P<country>{_COUNTRY})?(?P<sign1>{_SIGN}) ?(?P<below>-?){_NUMBER.format(1)}{many.format(1)}(?![\w]|[.,]?\d)"
    )
    behind = rf"{_NUMBER.format(2)}{many.format(2)}[ \u00a0\u202f]?(?P<sign2>{_SIGN})(?![\w])"
    return re.compile(rf"(?<![\w$€£¥.,]){before}|(?<![\w$€£¥.,]){behind}")


def _price(found: re.Match[str], words: Words) -> str:
    """Move the currency behind the number, as it is said: "$5.50" is 5 dollars 50, "$5m" 5 million dollars."""
    side = 1 if found["sign1"] else 2
    sign, whole, part = found[f"sign{side}"], found[f"whole{side}"], found[f"part{side}"]
    short, large = found[f"short{side}"], found[f"large{side}"]
    one, several, *small = words[sign]
    below = found["below"] or ""
    country = f"{' '.join(found['country'])} " if found["country"] else ""
    if short or large:
        many = large or words["many"][short.rstrip(".").lower()]
        joined = words["of"] if many.split()[-1] in words["nouns"].split() else " "
        joined = joined.replace("de ", words["elided"]) if several[0] in "aeiou" else joined
        decimals = words["point"] + part if part else ""
        return f"{below}{whole}{decimals} {many}{joined}{country}{several}"
    if part and not small:
        return f"{below}{whole}{words['point']}{part} {country}{several}"
    cents = int((part or "").ljust(2, "0"))
    coins = small[cents != 1] if small else ""
    if cents and whole == "0":
        return f"{below}{cents} {country}{coins}"
    behind = f"{words['with']}{cents}" if cents else ""
    if 0 < cents <= _FEW_CENTS:
        behind = f" {words['with'].strip() or words['and']} {cents} {coins}"
    return f"{below}{whole} {country}{one if whole == '1' else several}{behind}"


def _date(written: str, day: str, month: str, year: str | None, language: Language, words: Words) -> str:
    """Read a date in figures with the name of its month; leave what is none."""
    if not (1 <= int(month) <= _MONTHS_OF_A_YEAR and 1 <= int(day) <= _DAYS_OF_A_MONTH):
        return written
    named = words["months"].split()[int(month) - 1]
    said = f" {year}" if year else ""
    match language:
        case "en":
            return f"{named} {int(day)},{said}"
        case "de":
            return f"{int(day)}. {named}{said}"
        case "fr":
            return f"{'1er' if int(day) == 1 else int(day)} {named}{said}"
        case _:
            return f"{int(day)} de {named}{f' de{said}' if said else ''}"


def _german_ordinal(found: re.Match[str], words: Words) -> str:
    """Read "am 24. Dezember" and "der 3. Mann": the ending follows the word before."""
    number, before = int(found["number"]), (found["before"] or "").lower()
    stems = words["ordinals"].split()
    if not 1 <= number <= len(stems) or (not before and found["next"] not in words["months"].split()):
        return found[0]
    ending = "er" if not before else "e" if before in ("der", "die", "das") else "en"
    return f"{found['before']} {stems[number - 1]}{ending}" if before else f"{stems[number - 1]}{ending}"


def _ordinal(found: re.Match[str], words: Words) -> str:
    """Read "2e" and "2.ª"; leave what has no name here."""
    number = int(found[1])
    if not 1 <= number <= len(words["ordinals"].split()):
        return found[0]
    said: str = words["ordinals"].split()[number - 1]
    return said if not found[2] else said[:-1] if found[2] == "er" else f"{said[:-1]}a"


def _roman(found: re.Match[str], language: Language, words: Words) -> str:
    """Read "Henry VIII" as Henry the 8th and "World War II" as World War 2."""
    before, roman, ending, dot = found["before"], found["roman"], found["ending"] or "", found["dot"]
    number = _value(roman)
    kings = words["kings"].split()
    king = before in kings or before.removesuffix("s") in kings
    counted = before.lower() in words["counted"].split()
    if not (before[0].isupper() or counted or ending):
        return found[0]
    if roman in _LONE_LETTERS and not ((king or counted or ending) and before[0].isupper()):
        return found[0]
    if language == "en" and roman == "I" and king and not _ENDS_NAME.match(found.string, found.end()):
        return found[0]  # "I told Mary I would come"
    match language:
        case "en" if king:
            return f"{before} the {number}{_english_ending(number)}{dot}"
        case "de" if king and (dot or number > 1):
            dot = dot if found.end() == len(found.string) else ""
            article, case_ending = ("der", "e") if before in kings else ("des", "en")
            return f"{before} {article} {words['ordinals'].split()[number - 1].title()}{case_ending}{dot}"
        case "fr" if ending and number <= len(words["ordinals"].split()):
            return f"{before} {words['ordinals'].split()[number - 1]}{dot}"
        case "es" if king and number <= len(words["ordinals"].split()):
            return f"{before} {words['ordinals'].split()[number - 1]}{dot}"
    return f"{before} {number}{ending}{dot}"


def _english_ending(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _value(roman: str) -> int:
    """Return the value of a Roman number below forty."""
    values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in roman]
    return sum(
        -value if place + 1 < len(values) and value < values[place + 1] else value for place, value in enumerate(values)
    )


@cache
def _units(language: Language, signs: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for a number with the sign of a unit behind it."""
    ways = "|".join(sorted(map(re.escape, signs), key=len, reverse=True))
    return re.compile(rf"(?<![\w.,:/])(\d+(?:[.,]\d+)*)[ \u00a0\u202f]?({ways})(?![\w²³/^])")


def _unit(found: re.Match[str], words: Words) -> str:
    one, several = words["units"][found[2]]
    return f"{found[1]} {one if found[1] == '1' else several}"
