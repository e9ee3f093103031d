"""Calculations in words and signs, exact."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from engine.answer.tools.numbers import number_end, read_number
from engine.answer.tools.wording import folded
from engine.turns import Language

MOST_POWER = 1_000
"""Largest exponent; roots of negative numbers are not calculated either."""

MOST_FACTORIAL = 170
"""Largest number with a factorial that a float holds."""

_OPERATORS: dict[str, dict[str, str]] = {
    "+": {"": r"\+", "en": "plus|added to", "de": "plus", "fr": "plus", "es": "mas"},
    "-": {"": "-|–", "en": "minus|less", "de": "minus", "fr": "moins", "es": "menos"},
    "*": {
        **{"": r"\*|×|·|x", "en": "times|multiplied by|multiplied with", "de": "mal|multipliziert mit"},
        **{"fr": "fois|multiplie par", "es": "por|multiplicado por"},
    },
    "/": {
        **{"": r"/|÷|:", "en": "divided by|over", "de": "geteilt durch|dividiert durch|durch"},
        **{"fr": "divise par|sur", "es": "dividido por|dividido entre|entre"},
    },
    "^": {
        **{"": r"\^|\*\*", "en": "to the power of|to the power|to the", "de": "hoch"},
        **{"fr": "puissance|a la puissance", "es": "elevado a"},
    },
    "%": {
        **{"": "", "en": r"(?:percent|per cent|%) of", "de": "(?:prozent|%) von"},
        **{"fr": "(?:pour cent|pourcent|%) de", "es": "(?:por ciento|%) de"},
    },
    "²": {"": "²", "en": "squared", "de": "(?:im|zum) quadrat", "fr": "au carre", "es": "al cuadrado"},
    "³": {"": "³", "en": "cubed", "de": "hoch drei", "fr": "au cube", "es": "al cubo"},
    "!": {"": "!", "en": "factorial", "de": "fakultat", "fr": "factorielle", "es": "factorial"},
    "n!": {
        **{"": "", "en": "(?:the )?factorial of", "de": "(?:die )?fakultat von"},
        **{"fr": "(?:la )?factorielle de", "es": "(?:el )?factorial de"},
    },
    "√": {
        **{"": "√", "en": "(?:the )?square root of", "de": "(?:die )?(?:quadrat)?wurzel (?:aus|von)"},
        **{"fr": "(?:la )?racine carree de", "es": "(?:la )?raiz cuadrada de"},
    },
    "mod": {"": "", "en": "mod|modulo", "de": "modulo", "fr": "modulo", "es": "modulo"},
    "½": {"": "", "en": "half of", "de": "die halfte von", "fr": "la moitie de", "es": "la mitad de"},
    "⅓": {
        **{"": "", "en": "(?:a|one) third of", "de": "ein drittel von"},
        **{"fr": "(?:le|un) tiers de", "es": "un tercio de"},
    },
    "¼": {
        **{"": "", "en": "(?:a|one) (?:quarter|fourth) of", "de": "ein viertel von"},
        **{"fr": "(?:le|un) quart de", "es": "(?:un cuarto|la cuarta parte) de"},
    },
    "⅔": {"": "", "en": "two thirds of", "de": "zwei drittel von", "fr": "deux tiers de", "es": "dos tercios de"},
    "¾": {
        **{"": "", "en": "three (?:quarters|fourths) of", "de": "drei viertel von"},
        **{"fr": "trois quarts de", "es": "tres cuartos de"},
    },
    "⅕": {
        **{"": "", "en": "(?:a|one) fifth of", "de": "ein funftel von"},
        **{"fr": "(?:le|un) cinquieme de", "es": "(?:un quinto|la quinta parte) de"},
    },
    "⅒": {
        **{"": "", "en": "(?:a|one) tenth of", "de": "ein zehntel von"},
        **{"fr": "(?:le|un) dixieme de", "es": "(?:un decimo|la decima parte) de"},
    },
    "2×": {
        **{"": "", "en": "(?:double|twice)(?: of)?", "de": "das doppelte von"},
        **{"fr": "le double de", "es": "el doble de"},
    },
    "3×": {
        "": "",
        "en": "(?:triple|thrice)(?: of)?",
        "de": "das dreifache von",
        "fr": "le triple de",
        "es": "el triple de",
    },
}

_PARTS = {
    **{"½": Fraction(1, 2), "⅓": Fraction(1, 3), "¼": Fraction(1, 4), "⅔": Fraction(2, 3), "¾": Fraction(3, 4)},
    **{"⅕": Fraction(1, 5), "⅒": Fraction(1, 10)},
    **{"2×": Fraction(2), "3×": Fraction(3)},
}
"""Words before a number, and the part of the number that they mean."""

_AND_A_HALF = (re.compile(r"(?<=\d) and a half\b"), re.compile(r"(?<=[a-z]) and a half\b"))


class NoValueError(Exception):
    """An expression has no value, such as a division by zero, or too large a one."""


@cache
def _token(language: Language) -> re.Pattern[str]:
    operators = "|".join(
        f"(?P<o{place}>{'|'.join(filter(None, (ways[''], _spoken(ways[language]))))})"
        for place, (_, ways) in enumerate(_longest())
    )
    return re.compile(rf"(?:{operators}|(?P<open>\()|(?P<close>\)))\s*")


def _longest() -> list[tuple[str, dict[str, str]]]:
    order = ("%", "√", *_PARTS, "n!", "!", "²", "³", "^", "mod", "*", "/", "+", "-")
    return [(sign, _OPERATORS[sign]) for sign in order]


def _spoken(ways: str) -> str:
    return rf"(?<![^\W\d])(?:{ways})(?!\w)" if ways else ""


def parse(text: str, language: Language) -> list[str | Fraction] | None:
    """Cut an expression into numbers and signs; return None if it is none, or only a number."""
    plain, place = _AND_A_HALF[1].sub(" point five", _AND_A_HALF[0].sub(".5", folded(text))), 0
    found: list[str | Fraction] = []
    while place < len(plain):
        match = _token(language).match(plain, place)  # first: "a third of" begins as a number does
        if match is None and (end := number_end(plain, place, language)) is not None:
            value = read_number(plain[place:end], language)
            if value is None or isinstance(found[-1] if found else "", Fraction):  # "7 8" is no sum
                return None
            found.append(value)
            place = end + len(plain[end:]) - len(plain[end:].lstrip())
            continue
        if match is None:
            return None
        place = match.end()
        signs = [sign for number, (sign, _) in enumerate(_longest()) if match[f"o{number}"] is not None]
        found.append(match["open"] or match["close"] or signs[0])
    return found if any(isinstance(each, str) for each in found) else None


def goes_on(text: str, language: Language) -> bool:
    """Return whether an expression continues another: "divided by six"."""
    tokens = parse(text, language) or [""]
    return tokens[0] in ("+", "*", "/", "^", "mod", "²", "³", "!") or (tokens[0] == "-" and not text.startswith("-"))


def evaluate(tokens: Sequence[str | Fraction]) -> Fraction | None:
    """Evaluate an expression; return None if it is incomplete. Raises NotWorkedOut if it has no value."""
    reader = _ExpressionReader(tokens)
    try:
        value = reader.sum()
    except IndexError:
        return None
    except OverflowError as error:
        raise NoValueError("a root or a power that is too large") from error
    return value if reader.is_done else None


class _ExpressionReader:
    """Reads an expression from left to right: sums of products of powers."""

    def __init__(self, tokens: Sequence[str | Fraction]) -> None:
        self._tokens = list(tokens)
        self._place = 0

    @property
    def is_done(self) -> bool:
        return self._place == len(self._tokens)

    def sum(self) -> Fraction:
        value = self._product()
        while (sign := self._next("+", "-")) is not None:
            value = value + self._product() if sign == "+" else value - self._product()
        return value

    def _product(self) -> Fraction:
        value = self._power()
        while (sign := self._next("*", "/", "%", "mod")) is not None:
            other = self._power()
            if sign in ("/", "mod") and not other:
                raise NoValueError("a division by zero")
            match sign:
                case "*":
                    value = value * other
                case "/":
                    value = value / other
                case "mod":
                    value = value % other
                case _:
                    value = value / 100 * other
        return value

    def _power(self) -> Fraction:
        value = self._single()
        while (sign := self._next("^", "²", "³", "!")) is not None:
            if sign == "!":
                value = _factorial(value)
                continue
            value = _raised(value, {"²": Fraction(2), "³": Fraction(3)}.get(sign) or self._single())
        return value

    def _single(self) -> Fraction:
        if self._next("-"):
            return -self._power()
        if self._next("√"):
            return _root(self._single())
        if self._next("n!"):
            return _factorial(self._single())
        if (part := self._next(*_PARTS)) is not None:
            return self._power() * _PARTS[part]
        if self._next("("):
            value = self.sum()
            if self._next(")") is None:
                raise IndexError
            return value
        number = self._tokens[self._place]
        if not isinstance(number, Fraction):
            raise IndexError
        self._place += 1
        return number

    def _next(self, *signs: str) -> str | None:
        token = self._tokens[self._place] if not self.is_done else None
        if isinstance(token, str) and token in signs:
            self._place += 1
            return token
        return None


def _raised(value: Fraction, power: Fraction) -> Fraction:
    if abs(power) > MOST_POWER or (not value and power < 0):
        raise NoValueError("a power that is too large")
    if power.denominator == 1:
        if abs(power) * max(abs(value.numerator).bit_length(), value.denominator.bit_length()) > 1_000:
            raise NoValueError("a power that is too large")
        return value ** int(power)
    if value < 0:
        raise NoValueError("a root of what is below nothing")
    return Fraction(float(value) ** float(power)).limit_denominator(10**12)


def _factorial(value: Fraction) -> Fraction:
    if value.denominator != 1 or not 0 <= value <= MOST_FACTORIAL:
        raise NoValueError("a factorial of what is no whole number, or that is too large")
    return Fraction(math.factorial(int(value)))


def _root(value: Fraction) -> Fraction:
    if value < 0:
        raise NoValueError("a root of what is below nothing")
    exact = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return exact if exact * exact == value else Fraction(math.sqrt(value)).limit_denominator(10**12)
