"""The tool that a whole text asks for; a text that only mentions one asks for none.

The languages' files hold the phrasings, as regular expressions over the whole text without polite words around it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache, lru_cache
from importlib import resources
from string import digits
from typing import Any

from engine.answer.safety.wording import meant
from engine.answer.tools.arithmetic import NoValueError, evaluate, parse
from engine.answer.tools.clock import clock_expression, read_moment
from engine.answer.tools.dates import (
    MOST_TIMER_SECONDS,
    date_expression,
    duration_expression,
    feast_expression,
    near_expression,
    read_date,
    read_duration,
    sum_expression,
)
from engine.answer.tools.numbers import NUMBER, read_number
from engine.answer.tools.places import time_in
from engine.answer.tools.table import LANGUAGES, TOOLS, Call, Ending
from engine.answer.tools.timers import MOST_LABEL
from engine.answer.tools.units import converted, find_unit, unit_expression, unit_words
from engine.answer.tools.wording import folded, tidy
from engine.translate.languages import NAMES
from engine.turns import Language

LONGEST = 400
"""Longest text that asks for a tool, in characters."""

MOST_LINES = 20
"""Most sentences of the captions that are read out at a time."""

FOLLOW_UP = "translate_again"
"""Name of a request for the last answer, or the last translated words, in another language."""

_QUOTES = "\"'“”„«»‘’"
_QUOTED = rf"[{_QUOTES}] ?(?P<quoted>[^{_QUOTES}]+(?:['’][^{_QUOTES}]+)*?) ?[{_QUOTES}]"
_NO_TOPICS = frozenset(
    (
        *("that", "it", "this", "these", "those", "them", "something", "anything", "what", "so", "so far"),
        *("das", "es", "dies", "ca", "cela", "eso", "esto"),
    )
)
_LOOSE = re.compile(r"\[[^]]*\]|(?<=[a-z(|])'|\\?-")
"""Optional parts of a phrasing: apostrophes and hyphens; text in brackets stays as it is."""

_LISTED = re.compile(r"(?i),? and |, ?| ")
_LITERAL = re.compile(r"[a-z]{2,}")
_WITHOUT_WORDS = frozenset(
    (
        *("start_captions", "stop_captions", "translate_captions", "stop_translating", "text_larger", "text_smaller"),
        *("text_usual", "mark_place", "export_subtitles", "timer_left", "cancel_timer", "undo", "missed", "last_lines"),
        *("repeat", "help"),
    )
)
"""Tools that need no words of the user's own."""

MOST_RESPELT = 8
"""Most words of a text whose misspellings are corrected."""

_OWN_WORDS = ("topic", "label", "text")
"""Prefixes of a phrasing's groups for words of the user's own."""

_SUMS = (("a", "b", "+"), ("c", "d", "*"), ("e", "f", "/"), ("h", "g", "-"))
_INCHES_IN_FOOT = 12
_MOMENTS = (1, 60, 3600)
"""Lengths in seconds that mean "soon" where nothing else is said."""

_MOST_NAME = 4
"""Most words of a timer's name by which it is cancelled."""


_WHO = ("who", "whom", "whose", "speaker")
"""Groups of a pattern that hold the name of a speaker."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A request for a tool, or for FOLLOW_UP, with its arguments and language.

    Attributes:
        ending: the kind of its last words.
    """

    name: str
    language: Language
    arguments: Mapping[str, str]
    ending: Ending = field(default="words", compare=False)

    @property
    def call(self) -> Call:
        """The same as a call of a tool. Raises KeyError for a FOLLOW_UP."""
        return Call(TOOLS[self.name], self.language, self.arguments, self.ending)


class Phrasings:
    """Phrasings of requests for tools in one language.

    Attributes:
        asking: words of a question about the meeting that ask.
        joining: words that may stand between those of its topic.
    """

    def __init__(self, language: Language) -> None:
        """Read the language's file."""
        self._language = language
        file = tomllib.loads(resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
        self.asking, self.joining = (frozenset(file.get(part, "").split()) for part in ("asking", "joining"))
        self._repeat: str = file["repeat"]
        self._parts: dict[str, str] = file["parts"]
        self._languages = _language_names(file["languages"], english=language == "en")
        before, self._between, after = (_polite(file[part]) for part in ("before", "between", "after"))
        self._around = re.compile(rf"^(?P<before>(?:(?:{before}),? )*)(?P<rest>.*?)(?P<after>(?:,? (?:{after}))*)$")
        self._words = (
            frozenset(
                word
                for name, patterns in file["tools"].items()
                if name in _WITHOUT_WORDS
                for word in _LITERAL.findall(" ".join(patterns))
            )
            | frozenset(map(folded, self._languages))
            | unit_words(language)
        )
        self._which = re.compile(self._expanded(file["which"]))
        self._patterns = tuple(
            (name, re.compile(self._expanded(pattern)))
            for name, patterns in file["tools"].items()
            for pattern in patterns
        )

    def asked(self, text: str) -> ToolRequest | None:
        """Find the request in a tidy text."""
        plain = folded(text)
        for begin, end in self._cuts(plain):
            for name, pattern in self._patterns:
                match = pattern.fullmatch(plain, begin, end)
                found = None if match is None else self._arguments(name, match, text)
                if match is not None and found is not None:
                    if name == "translate_phrase" and (lines := self._lines_in(match, text)) is not None:
                        return ToolRequest("last_lines", self._language, {**lines, "language": found["language"]})
                    whole = name != "calculate" or _is_whole(found["expression"], self._language)
                    return ToolRequest(name, self._language, found, _ending(match, len(plain)) if whole else "words")
        return None

    def _lines_in(self, match: re.Match[str], text: str) -> Mapping[str, str] | None:
        """Return the request for the captions' last sentences that is to be translated; None if it is other words."""
        named = _groups(match, text).get("text")
        asked = None if named is None else self.asked(f"{self._repeat} {named}")
        return asked.arguments if asked is not None and asked.name == "last_lines" else None

    def asked_misspelt(self, text: str) -> ToolRequest | None:
        """Find the request in a short text after correcting words that are like one of a request's.

        Words of the user's own, to be searched for, translated or remembered, stay as they are.
        """
        words = text.split()
        if len(words) > MOST_RESPELT:
            return None
        respelt = [self._respelt(word) for word in words]
        if respelt == words:
            return None
        found = self.asked(" ".join(respelt))
        return found if found is not None and found.name in _WITHOUT_WORDS | {"convert"} else None

    def which_timer(self, text: str) -> dict[str, str] | None:
        """Read the answer to the question which timer is meant; return None if it is none."""
        match = self._which.fullmatch(folded(text))
        return None if match is None else self._meant_timer(_groups(match, text))

    def language_in(self, text: str) -> str | None:
        """Find the code of the last language that a text names."""
        named = (self._languages.get(word) for word in reversed(re.findall(r"[^\W_]+", folded(text))))
        return next((code for code in named if code is not None), None)

    def _respelt(self, word: str) -> str:
        plain = folded(word)
        if plain in self._words:
            return word
        likely = sorted(key for key in meant(plain, self._words) if abs(len(key) - len(plain)) <= 1)
        return likely[0] if len(likely) == 1 else word

    def _cuts(self, plain: str) -> Iterator[tuple[int, int]]:
        """Yield the range of the text, also without polite words at its beginning and end."""
        yield 0, len(plain)
        if (around := self._around.match(plain)) is not None:
            begin, end = around.span("rest")
            for cut in dict.fromkeys(((begin, end), (begin, len(plain)), (0, end))):
                if cut != (0, len(plain)):
                    yield cut

    def _expanded(self, pattern: str) -> str:
        language = self._language
        for name, part in self._parts.items():
            pattern = pattern.replace(f"{{{name}}}", part)
        slots = {
            "{quoted}": _QUOTED,
            "{expression}": r".+",
            "{number}": NUMBER,
            "{unit}": unit_expression(language),
            "{duration}": duration_expression(language),
            "{date}": date_expression(language),
            "{near}": near_expression(language),
            "{sum}": sum_expression(language),
            "{feast}": feast_expression(language),
            "{clock}": clock_expression(language),
            "{language}": "|".join(sorted(map(re.escape, self._languages), key=len, reverse=True)),
        }
        spaced = _loosened(re.sub(r" (?!\?)", f",?[ -](?:(?:{self._between}) )?", pattern))
        for name, expression in slots.items():
            spaced = spaced.replace(name, expression)
        return spaced

    def _arguments(self, name: str, match: re.Match[str], text: str) -> dict[str, str] | None:
        """Return the arguments of a call; None if the matched text is no such request."""
        said = _groups(match, text)
        language = self._language
        match name:
            case "calculate":
                expression = _expression(said, language)
                return {"expression": expression} if parse(expression, language) else None
            case "convert":
                return self._measure(said)
            case "timer":
                return self._rings(said)
            case "cancel_timer":
                return self._meant_timer(said)
            case "date":
                when = said.get("when", "")
                return {"when": when} if not when or read_date(when, language, date.today()) else None
            case "time" if "duration" in said:
                return self._lasting(said["duration"]) or None
            case "time" if "place" in said:
                return {"place": said["place"]} if time_in(said["place"], datetime.now()) else None
            case "said_about" | "when_about":
                who = next((said[key] for key in _WHO if said.get(key)), "")
                topic = said.get("topic", who).strip(f" {_QUOTES}")
                meant = {"topic": topic} | ({"who": who} if who else {})
                return meant if topic and folded(topic) not in _NO_TOPICS else None
            case "last_lines":
                return self._counted(said.get("count", "1"))
            case "missed":
                return self._lasting(said.get("duration"))
            case _:
                return self._named(said)

    def _measure(self, said: dict[str, str]) -> dict[str, str] | None:
        """Return a measure and the unit to convert it to; None if it has no value in that."""
        if "feet" in said:
            inches = _INCHES_IN_FOOT * int(said["feet"]) + int(said["inches"])
            return {"number": str(inches), "unit": "inches", "target": said["target"]}
        unit, target = (find_unit(said[key], self._language) for key in ("unit", "target"))
        one = said["number"].lower() in ("a", "an")
        number = read_number("1" if one else said["number"], self._language)
        if number is None or not unit or not target or converted(number, unit, target) is None:
            return None
        return {"number": "1" if one else said["number"], "unit": said["unit"], "target": said["target"]}

    def _rings(self, said: dict[str, str]) -> dict[str, str] | None:
        """Return when a timer rings, and its label if there is one."""
        label = said.get("label", "").strip(f" {_QUOTES}")
        named = {"label": label} if 0 < len(label) <= MOST_LABEL else {}
        if "at" in said:
            moment = read_moment(said["at"], self._language, wakes="wakes" in said)
            return None if moment is None else moment | named
        lasting = said.get("duration") or said["bare"]
        seconds = read_duration(lasting, self._language)
        if seconds is None or not 1 <= seconds <= MOST_TIMER_SECONDS:
            return None
        if "bare" in said and not lasting[0].isdigit() and seconds in _MOMENTS:  # "a second" asks to wait
            return None
        return {"seconds": f"{seconds:g}"} | named

    def _meant_timer(self, said: dict[str, str]) -> dict[str, str] | None:
        """Return the arguments for the timers that are meant: all, or those of a length, a time or a name."""
        if "all" in said:
            return {"all": "1"}
        named = said.get("duration") or said.get("label", "").strip(f" {_QUOTES}")
        if not named:
            return {}
        if (seconds := read_duration(named, self._language)) is not None:
            return {"seconds": f"{seconds:g}"}
        if (moment := read_moment(named, self._language)) is not None:
            return {"at": moment["at"]}
        return {"label": named} if len(named.split()) <= _MOST_NAME and len(named) <= MOST_LABEL else None

    def _counted(self, said: str) -> dict[str, str] | None:
        """Return the wanted number of sentences."""
        number = read_number(said.strip(), self._language)
        if number is None or number.denominator > 1 or not 1 <= number <= MOST_LINES:
            return None
        return {"count": str(number)}

    def _lasting(self, said: str | None) -> dict[str, str] | None:
        """Return a duration in seconds; no argument if none is named."""
        if said is None:
            return {}
        readings = (read_duration(each, self._language) for each in (said, f"1 {said}", f"a {said}"))
        seconds = next(filter(None, readings), None)
        return None if seconds is None else {"seconds": f"{seconds:g}"}

    def _named(self, said: dict[str, str]) -> dict[str, str] | None:
        """Return arguments with the code of a language for its name, and with quoted words."""
        if "quoted" in said:
            said["text"] = said.pop("quoted")
        if "text" in said and not (said := said | {"text": said["text"].strip(f" {_QUOTES}")})["text"]:
            return None
        if "language" in said:
            said["language"] = self._languages[folded(said["language"])]
        return said


@lru_cache(maxsize=1_000)
def recognise(text: str) -> ToolRequest | None:
    """Find the tool that a text asks for, in any of the languages; return None if it asks for none."""
    plain = tidy(text)
    if not plain or len(plain) > LONGEST:
        return None
    for find in (Phrasings.asked, Phrasings.asked_misspelt):
        found = (find(phrasings_of(language), plain) for language in LANGUAGES)
        if (asked := next((asked for asked in found if asked is not None), None)) is not None:
            return asked
    return None


@cache
def phrasings_of(language: Language) -> Phrasings:
    """Read the phrasings of a language, once."""
    return Phrasings(language)


def _groups(match: re.Match[str], text: str) -> dict[str, str]:
    """Return what a match found in a text, by the names of its groups without the digits at their ends."""
    return {
        key.rstrip(digits): text[match.start(key) : match.end(key)].strip()
        for key, value in match.groupdict().items()
        if value
    }


def _expression(said: Mapping[str, str], language: Language) -> str:
    """Write a calculation as one expression; "" if it is none."""
    if "expression" in said:
        return said["expression"]
    if "off" in said:
        return f"{said['price']} - {said['price']} * {said['off']} / 100"
    if "added" in said:
        return f"{said['price']} + {said['price']} * {said['added']} / 100"
    if "share" in said:
        return f"{said['price']} * {said['share']} / 100"
    if "whole" in said:
        return f"{said['part']} / {said['whole']} * 100"
    if "listed" in said or "averaged" in said:
        numbers = [each for each in _LISTED.split(said.get("listed") or said["averaged"]) if each]
        if not all(read_number(each, language) is not None for each in numbers):
            return ""
        total = " + ".join(numbers)
        return f"({total}) / {len(numbers)}" if "averaged" in said else total
    return next(f"{said[one]} {sign} {said[other]}" for one, other, sign in _SUMS if one in said)


def _ending(match: re.Match[str], length: int) -> Ending:
    """Return the kind of the last words of a request of this length; polite words belong to the phrasing."""
    last = [part for part, said in match.groupdict().items() if said and match.end(part) == match.end()]
    if match.end() < length or not last or last == ["language"]:
        return "phrasing"
    return "words" if any(part.startswith(_OWN_WORDS) for part in last) else "number"


def _is_whole(text: str, language: Language) -> bool:
    """Return whether an expression is complete, though it may have no value."""
    tokens = parse(text, language)
    try:
        return tokens is not None and evaluate(tokens) is not None
    except NoValueError:
        return True


def _language_names(own: Mapping[str, Any], *, english: bool) -> dict[str, str]:
    """Return languages' codes by their folded names."""
    known = {folded(name): code for code, name in NAMES.items()} if english else {}
    return known | {folded(name): code for name, code in own.items()}


def _loosened(expression: str) -> str:
    """Let apostrophes and hyphens of a phrasing be missing, or be spaces: "qu est ce que", "whats"."""
    return _LOOSE.sub(lambda found: found[0] if found[0][0] == "[" else f"[{found[0][-1]} ]?", expression)


def _polite(words: str) -> str:
    return _loosened("|".join(sorted(map(re.escape, words.split("|")), key=len, reverse=True)))
