"""Speech acts of a meeting: who promises, asks for, decides or leaves open something, by a small grammar.

A sentence is read by the grammars of all languages, since people mix them, and a transcript need not say its language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, get_args

from engine.answer.sentences import sentences_of
from engine.answer.tools.dates import coming_expression, date_expression
from engine.answer.tools.wording import folded
from engine.notes.records import Language, SaidLine

Act = Literal["commits", "requests", "decides", "concludes", "group", "assents", "doubts", "defers", "denies"]

MOST_SENTENCES = 1 << 15
"""Most sentences whose reading is kept: more than a day has."""

LANGUAGES: tuple[Language, ...] = get_args(Language)

_AT_THE_START = ("concludes", "assents")
_NOBODY = "(?!)"
_BEFORE_A_TIME = {
    "en": r"(?:(?:by|until|before|on|for|in|at|not before)(?: the)? )?",
    "de": r"(?:(?:bis|vor|am|ab|im|in|zu|zum|gleich)(?: de[rmn])? )?",
    "fr": r"(?:(?:avant|d'ici|pour|jusqu'a|en)(?: le| la| l')? ?)?",
    "es": r"(?:(?:antes de|para|hasta|en)(?: el| la)? ?)?",
}
_SPANS = {
    "en": r"(?:this|next) (?:morning|afternoon|evening|week|weekend|month|year)|tonight|in \w+ (?:days|weeks|months)|"
    r"(?:the )?(?:end|beginning|middle) of (?:the|this|next) (?:week|month|year)|"
    r"the (?:\w+-)?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth)|"
    r"the (?:\w+teenth|twentieth|thirtieth)|"
    r"tomorrow (?:morning|afternoon|evening)",
    "de": r"(?:noch )?(?:diese|nachste|kommende)[nrms]? (?:woche|monat|jahr|wochenende)|"
    r"(?:heute|morgen) (?:fruh|mittag|nachmittag|abend)|in \w+ (?:tagen|wochen|monaten)|"
    r"(?:ende|anfang|mitte)(?: de[rs]| dieses| nachsten)? (?:woche|monats|jahres)",
    "fr": r"(?:cette|la) semaine(?: prochaine)?|ce (?:soir|matin|mois)|"
    r"(?:la )?fin (?:du mois|de la semaine|de l'annee)",
    "es": r"(?:esta|la) (?:semana|tarde|noche)(?: que viene| proxima)?|(?:este|el) mes(?: que viene)?|"
    r"(?:el )?fin(?:al)? de(?:l mes| semana| la semana)",
}
"""Times that are no dates: parts of days, weeks, months."""


@dataclass(frozen=True, slots=True)
class SaidSentence:
    """A sentence of a line, with what it does.

    Attributes:
        order: its place among all sentences.
        line: the line's place among all lines.
        number: the line's number.
        acts: what it does, in any language.
        asks: it is a question.
        when: the time that it names, in its words; "" if it names none.
    """

    order: int
    line: int
    number: int
    speaker: str
    text: str
    acts: frozenset[str]
    asks: bool
    when: str

    @property
    def promises(self) -> bool:
        """Return whether somebody commits to something, and does not deny it."""
        return "commits" in self.acts and not self.asks and "denies" not in self.acts

    @property
    def requests(self) -> bool:
        """Return whether somebody is asked to do something."""
        return "requests" in self.acts and "denies" not in self.acts


def said_sentences(lines: Sequence[SaidLine]) -> list[SaidSentence]:
    """Split lines into sentences, and find what each of them does."""
    names = names_in(lines)
    parts = [(place, line, text) for place, line in enumerate(lines) for text in _split(line.text)]
    return [
        SaidSentence(
            order,
            place,
            line.number,
            line.speaker,
            text,
            acts_of(text, names),
            text.rstrip().endswith("?"),
            time_in(text),
        )
        for order, (place, line, text) in enumerate(parts)
    ]


@lru_cache(MOST_SENTENCES)
def _split(text: str) -> tuple[str, ...]:
    return sentences_of(text)


def names_in(lines: Iterable[SaidLine]) -> frozenset[str]:
    """Return the words of the speakers' names, without case and accents."""
    return frozenset(word for each in {line.speaker for line in lines} for word in re.findall(r"\w{2,}", folded(each)))


def named_in(text: str, names: frozenset[str]) -> str:
    """Return the first speaker's name in a text, as it is written there; "" if there is none."""
    return next((word for word in re.findall(r"\w+", text) if folded(word) in names and word[0].isupper()), "")


@lru_cache(MOST_SENTENCES)
def acts_of(text: str, names: frozenset[str]) -> frozenset[str]:
    """Return what a sentence does, by the grammar of any language; one that finds only a denial does not know it."""
    plain = folded(text)
    found = set[str]()
    for language in LANGUAGES:
        acts = {act for act, form in _forms(language, names) if form.search(plain)}
        found |= acts if acts != {"denies"} else set()
    return frozenset(found)


def language_of(lines: Iterable[SaidLine]) -> Language:
    """Return the language whose grammar finds most in some lines; English if none does."""
    texts = [folded(line.text) for line in lines]

    def found(language: Language) -> int:
        return sum(form.search(text) is not None for text in texts for _, form in _forms(language, frozenset()))

    return max(LANGUAGES, key=found)


@lru_cache(64)
def _forms(language: Language, names: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the patterns of a language's acts for these names."""
    name = f"(?:{'|'.join(sorted(map(re.escape, names)))})" if names else _NOBODY
    return tuple(
        (act, re.compile(rf"^\W*(?:{form})" if act in _AT_THE_START else form.replace("{name}", name)))
        for act, form in _file()[language].items()
    )


@lru_cache(MOST_SENTENCES)
def time_in(text: str) -> str:
    """Return the last time that a sentence names, with its preposition, in the sentence's own words."""
    plain = folded(text)
    found = [match for language in LANGUAGES for match in _times(language).finditer(plain)]
    if not found:
        return ""
    last = max(found, key=lambda match: (match.end(), -match.start()))
    return text[last.start() : last.end()].strip()


@cache
def _times(language: Language) -> re.Pattern[str]:
    """Return a pattern for times in a language that may lie ahead."""
    forms = f"{_SPANS[language]}|{date_expression(language)}|{coming_expression(language)}"
    return re.compile(rf"\b{_BEFORE_A_TIME[language]}(?:{forms})\b")


@cache
def _file() -> dict[str, dict[str, str]]:
    """Read the grammars, once."""
    text = resources.files(__package__).joinpath("grammar.toml").read_text(encoding="utf-8")
    grammars: dict[str, dict[str, str]] = tomllib.loads(text)
    return grammars
