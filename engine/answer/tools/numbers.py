"""Numbers in words and digits of four languages: found in a text, read, and written."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache

from engine.answer.tools.wording import folded
from engine.turns import Language

MOST_DIGITS = 15
"""Most digits of a result; longer ones are rounded, as powers of ten."""

DECIMALS = 4

_ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
    "siebzehn achtzehn neunzehn",
    "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
    "dix-huit dix-neuf",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve",
}
_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante soixante-dix quatre-vingt quatre-vingt-dix",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
_OTHERS: dict[str, dict[str, int]] = {
    "en": {"a": 1},
    "de": {"ein": 1, "eine": 1, "einen": 1, "einer": 1, "einem": 1, "zwo": 2},
    "fr": {"une": 1, "quatre-vingts": 80},
    "es": {
        **{"un": 1, "una": 1, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500},
        **{"seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900, "ciento": 100},
    },
}
_LARGE: dict[str, dict[str, int]] = {
    "en": {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000},
    "de": {"hundert": 100, "tausend": 1_000, "million": 1_000_000, "millionen": 1_000_000, "milliarde": 10**9},
    "fr": {"cent": 100, "cents": 100, "mille": 1_000, "million": 1_000_000, "millions": 1_000_000},
    "es": {"cien": 100, "mil": 1_000, "millon": 1_000_000, "millones": 1_000_000},
}
_JOINS = {"en": ("and",), "de": ("und",), "fr": ("et",), "es": ("y",)}
_POINT = {"en": ("point",), "de": ("komma",), "fr": ("virgule",), "es": ("coma", "punto")}


@cache
def _words(language: Language) -> dict[str, int]:
    """Return the words of a language for numbers below a hundred; of German below twenty thousand."""
    ones = [_plain(word) for word in _ONES[language].split()]
    tens = [_plain(word) for word in _TENS[language].split()]
    found = dict(zip(ones, range(20), strict=True)) | dict(zip(tens, range(20, 100, 10), strict=True))
    for ten, value in list(zip(tens, range(20, 100, 10), strict=True)):
        for one, digit in list(zip(ones, range(20), strict=True))[1:20]:
            match language:
                case "en" if digit < 10:
                    found[f"{ten}-{one}"] = value + digit
                case "de" if digit < 10:
                    found[f"{'ein' if digit == 1 else one}und{ten}"] = value + digit
                case "fr" if digit < 10 or value in (60, 80):
                    found.setdefault(f"{ten}-{one}", value + digit)
                    found.setdefault(f"{ten} {one}", value + digit)
                case "es" if value == 20 and digit < 10:
                    found[f"veinti{one}"] = value + digit
    if language == "de":
        for large, value in (("hundert", 100), ("tausend", 1_000)):
            for one, digit in list(zip(ones, range(20), strict=True))[1:20]:
                found["ein" * (digit == 1) + one * (digit > 1) + large] = value * digit
        for one, value in list(found.items()):
            if value < 100:
                hundreds = [("hundert", 100), *((word, found[word]) for word in list(found) if _is_hundred(word))]
                found |= {f"{hundred}{one}": begun + value for hundred, begun in hundreds}
    return found | {folded(word): value for word, value in _OTHERS[language].items()}


def number_words(language: Language, *, below: int) -> str:
    """Return a regular expression for the words of a language for numbers below another, longest first."""
    found = (word for word, value in _words(language).items() if value < below)
    return "|".join(sorted(map(re.escape, found), key=len, reverse=True))


def _plain(text: str) -> str:
    """Return folded text with "ss" for "ß", as `tidy` writes it."""
    return folded(text).replace("ß", "ss")


def _is_hundred(word: str) -> bool:
    return word.endswith("hundert")


_MINUS = "minus|negative|moins|menos"
_ROUND = "|".join(sorted({word for words in _LARGE.values() for word in words}, key=len, reverse=True))
NUMBER = rf"(?:(?:(?:{_MINUS}) |-)?\d[\d.,]*(?: (?:{_ROUND})\b)?|[a-z-]+(?: [a-z-]+){{0,7}}?)"
"""Regular expression for a possible number, over folded text; `read_number` decides whether it is one."""

_DIGITS = re.compile(r"\d[\d.,]*(?<![.,])")
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_ANY_WORD = re.compile(r"\w+")


def number_end(plain: str, place: int, language: Language) -> int | None:
    """Return the end of the number that begins at a place of a folded text; None if there is none."""
    if digits := _DIGITS.match(plain, place):
        large = re.compile(rf" (?:{_ROUND})\b").match(plain, digits.end())
        return digits.end() if large is None else large.end()
    known = _words(language).keys() | _LARGE[language].keys()
    small = (*_JOINS[language], *_POINT[language])
    end = None
    while (word := _WORD.match(plain, place)) is not None:
        said = word.group()
        if said in known or all(part in known for part in said.split("-")):
            end = word.end()
        elif end is None or said not in small:
            break
        place = word.end() + 1 if plain[word.end() : word.end() + 1] == " " else len(plain)
    return end


def numbers_in(text: str, language: Language) -> set[Fraction]:
    """Return all numbers of a text, in digits or words."""
    plain, place, found = folded(text), 0, set[Fraction]()
    while place < len(plain):
        end = number_end(plain, place, language) if plain[place].isalnum() else None
        value = None if end is None else read_number(plain[place:end], language)
        if value is not None:
            found.add(value)
        word = _ANY_WORD.match(plain, place)
        place = max(end or 0, word.end() if word else 0, place + 1)
    return found


def read_number(text: str, language: Language) -> Fraction | None:
    """Read a number, in digits or words, folded or not; return None if it is none."""
    plain = _plain(text).strip()
    if below := re.fullmatch(rf"(?:{_MINUS}) (.+)", plain):
        above = read_number(below[1], language)
        return None if above is None else -above
    if plain[:1].isdigit() or plain[:1] == "-":
        figures, _, large = plain.partition(" ")
        value = _digits(figures, language)
        times = _LARGE[language].get(large) if large else 1
        return None if value is None or times is None else value * times
    parts = re.split(rf" (?:{'|'.join(_POINT[language])}) ", plain, maxsplit=1)
    whole = _said(parts[0], language)
    if whole is None or len(parts) == 1:
        return whole
    digits = [_said(word, language) for word in parts[1].split()]
    if any(each is None or not 0 <= each < 100 for each in digits):
        return None
    return whole + Fraction(f"0.{''.join(str(each) for each in digits)}")


def _digits(plain: str, language: Language) -> Fraction | None:
    decimal, thousands = (".", ",") if language == "en" else (",", ".")
    grouped = re.fullmatch(rf"-?\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", plain)
    if grouped:
        plain = plain.replace(thousands, "")
    try:
        return Fraction(plain.replace(",", "."))
    except ValueError:
        return None


def _said(plain: str, language: Language) -> Fraction | None:
    known, large = _words(language), _LARGE[language]
    total = part = last = 0
    if language == "fr":
        plain = re.sub(r"\bquatre vingt(s?)\b", r"quatre-vingt\1", plain)
    words = plain.split()
    place = 0
    while place < len(words):
        two = " ".join(words[place : place + 2])  # "soixante et onze" apart, some numbers are two words
        word, step = (two, 2) if two in known else (words[place], 1)
        place += step
        parts = [word] if word in known or word in large else word.split("-")
        for each in parts:
            if each in known:
                if not _goes_on(last, known[each], language):
                    return None
                last = known[each]
                part += last
            elif each in large:
                last = 0
                total, part = (total, max(part, 1) * 100) if large[each] == 100 else (
                    total + max(part, 1) * large[each], 0
                )  # fmt: skip
            elif each not in _JOINS[language]:
                return None
    return Fraction(total + part) if words and words[-1] not in _JOINS[language] else None


def _goes_on(last: int, value: int, language: Language) -> bool:
    """Return whether a number's word may follow another: "twenty five", not "two five" or "nineteen ninety"."""
    if language == "de" and 0 < last < 10:
        return value in range(20, 100, 10)  # "zwei und zwanzig", written apart
    if last in range(20, 100, 10):
        return value < 10 or (language == "fr" and last in (60, 80) and value < 20)
    return last % 100 == 0 and (not last or value < 100)


def write_number(value: Fraction, language: Language, decimals: int = DECIMALS) -> str:
    """Write a number as the language does, rounded to this many decimals; small ones keep their first digits."""
    rounded, decimals = _rounded(value, decimals)
    if abs(rounded) >= 10**MOST_DIGITS:
        text = _in_powers(rounded)
        return text if language == "en" else text.replace(".", ",")
    whole, _, part = f"{float(abs(rounded)):,.{decimals}f}".partition(".") if rounded.denominator > 1 else (
        f"{abs(rounded.numerator):,}", "", ""
    )  # fmt: skip
    part = part.rstrip("0")
    if len(whole) == 5:  # 1,234: four digits need no mark
        whole = whole.replace(",", "")
    sign = "-" if rounded < 0 else ""
    if language == "en":
        return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"
    whole = whole.replace(",", "." if language == "de" else "\N{NO-BREAK SPACE}")
    return f"{sign}{whole},{part}" if part else f"{sign}{whole}"


def is_rounded(value: Fraction, decimals: int = DECIMALS) -> bool:
    """Return whether `write_number` leaves out part of a number."""
    rounded, _ = _rounded(value, decimals)
    return value != (Fraction(_in_powers(rounded)) if abs(rounded) >= 10**MOST_DIGITS else rounded)


def _rounded(value: Fraction, decimals: int) -> tuple[Fraction, int]:
    """Return a number as it is written, and its decimals: more than these if it is small."""
    while value and decimals < 12 and abs(value) < Fraction(1, 10 ** (decimals - 2)):
        decimals += 1
    return round(value, decimals), decimals


def _in_powers(value: Fraction) -> str:
    """Write a large number with four digits and a power of ten, also one that no float holds."""
    return f"{Context(prec=4).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():g}"
