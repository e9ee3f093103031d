"""Pairs said in other ways: with other names and numbers, and without case and punctuation.

A quarter of Tatoeba is about Tom and Mary: a model that learns their names by heart can't copy others. Names and
numbers that stand in both sentences of a pair are replaced in both.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from random import Random
from typing import Any

from engine.models.catalogue import ASSETS
from lab.recipes.sentences.pairs import Pair

PLACES = ASSETS / "translations" / "places.toml"
PHRASES = ASSETS / "translations" / "phrases.toml"
NAME_SHARE = 0.7
INVENTED_SHARE = 0.25
NUMBER_SHARE = 0.5
PLAIN_SHARE = 0.06

COLUMNS = ("en", "de", "fr", "es")
NUMBERS = {"number": (2, 99), "hour": (2, 12), "percent": (2, 99), "amount": (10, 9999)}

_PLACE = re.compile(r"\{(\w+)\}")
_ELIDED = re.compile(r"\b(qu|d)e (?=[aeiouéèêâîôœAEIOUÉÈÊ])|\b(s)i (?=ils?\b)")
_NUMBER = re.compile(r"(?<![\w.,:])\d{1,4}(?![\w:]|[.,]\d)")
_MARKS = re.compile(r"[.,!?;:]+(?=\s|$)")
# The two commonest names of Tatoeba, and the forms that they have in its translations.
_COMMON_NAMES = {"men": ("Tom", re.compile(r"Tom\w*")), "women": ("Mary", re.compile(r"Mar(?:y|i[ae]|ía)\w*"))}


@cache
def places() -> dict[str, Any]:
    """Read what stands in the places of sentences: names, cities, days and months."""
    found: dict[str, Any] = tomllib.loads(PLACES.read_text(encoding="utf-8"))
    return found


@cache
def phrases() -> dict[str, list[list[str]]]:
    """Read what else stands in the places of patterns, by the place: a phrase in each language."""
    found: dict[str, list[list[str]]] = tomllib.loads(PHRASES.read_text(encoding="utf-8"))
    return found


def is_pattern(pair: Pair) -> bool:
    """Return whether a pair has places for phrases, so that it says something else each time."""
    return any(place.lower() in phrases() for place in _PLACE.findall(pair.source))


def varied(pair: Pair, code: str, random: Random) -> Pair:
    """Fill the places of a pair, and by chance give it other names and numbers, or write it as it is heard."""
    if "{" in pair.source:
        pair = filled(pair, code, random)
    pair = renamed(pair, random)
    if random.random() < NUMBER_SHARE:
        pair = renumbered(pair, random)
    if random.random() < PLAIN_SHARE:
        pair = Pair(_MARKS.sub("", pair.source).lower() or pair.source, pair.target)
    return pair


def filled(pair: Pair, code: str, random: Random) -> Pair:
    """Fill the places of both sentences alike, such as {name}, {day} or {number}.

    Raises:
        ValueError: what stands in a place is not known.
    """
    if is_pattern(pair):
        made = filled(_phrased(pair, code, random), code, random)
        return Pair(made.source, _ELIDED.sub(r"\1\2'", made.target) if code == "fr" else made.target)
    found = dict.fromkeys(_PLACE.findall(pair.source))
    fillings = {place: _filling(place, COLUMNS.index(code), random) for place in found}
    source, target = (
        _PLACE.sub(lambda place: fillings[place[1]][side], text)  # noqa: B023
        for side, text in enumerate((pair.source, pair.target))
    )
    return Pair(source, target)


def _phrased(pair: Pair, code: str, random: Random) -> Pair:
    """Put phrases into a pattern, in capitals where their place is; each phrase with places of its own."""
    chosen = {place: random.choice(options) for place, options in phrases().items()}

    def put(text: str, column: int) -> str:
        def phrase(place: re.Match[str]) -> str:
            row = chosen.get(place[1].lower())
            if row is None:
                return place[0]
            said = row[column]
            return said if place[1].islower() else said[0].upper() + said[1:]

        return _PLACE.sub(phrase, text)

    target = put(pair.target, COLUMNS.index(code))
    return Pair(put(pair.source, 0), target)


def renamed(pair: Pair, random: Random) -> Pair:
    """Replace Tom and Mary by somebody else, where they stand in both sentences, and there in no other form."""
    for kind, (name, forms) in _COMMON_NAMES.items():
        here = forms.findall(pair.source)
        if here and set(here) == {name} and here == forms.findall(pair.target) and random.random() < NAME_SHARE:
            other = _name(random, kind)
            pair = Pair(forms.sub(other, pair.source), forms.sub(other, pair.target))
    return pair


def renumbered(pair: Pair, random: Random) -> Pair:
    """Replace the numbers of a pair by others of as many digits, where the same ones stand in both sentences.

    A one is left alone: with another number its grammar would change.
    """
    here, there = _NUMBER.findall(pair.source), _NUMBER.findall(pair.target)
    if not here or Counter(here) != Counter(there) or any(int(number) < 2 for number in here):
        return pair
    others = {number: _another(number, random) for number in here}
    source, target = (_NUMBER.sub(lambda found: others[found[0]], text) for text in (pair.source, pair.target))
    return Pair(source, target)


def invented_name(random: Random) -> str:
    """Make up a name that stands in no list: with it copying is learnt."""
    parts = places()
    syllables = random.randint(1, 3)
    made = [random.choice(parts[kind]) for _ in range(syllables) for kind in ("beginnings", "vowels")]
    return "".join([*made, random.choice(parts["ends"])]).capitalize()


def _filling(place: str, column: int, random: Random) -> tuple[str, str]:
    """Return what stands in a place, in English and in the other language."""
    if place in ("day", "month"):
        words = random.choice(places()[f"{place}s"])
        return words[0], words[column]
    if place in NUMBERS:
        number = str(random.randint(*NUMBERS[place]))
        return number, number
    if place not in ("name", "city"):
        raise ValueError(f"nothing is known to stand in {{{place}}}")
    name: str = random.choice(places()["cities"]) if place == "city" else _name(random, random.choice(("men", "women")))
    return name, name


def _name(random: Random, kind: str) -> str:
    return invented_name(random) if random.random() < INVENTED_SHARE else str(random.choice(places()[kind]))


def _another(number: str, random: Random) -> str:
    return str(random.randint(max(2, 10 ** (len(number) - 1)), 10 ** len(number) - 1))
