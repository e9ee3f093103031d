"""Fixed answers to danger, in the language of the question, with the numbers of the region."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engine.answer.safety.recognition import RecognisedDanger, recognise
from engine.answer.safety.rules import LANGUAGES, Danger, Language, rules_of

_LINE = re.compile(r"\[(\w+)\]")
_NUMBER = re.compile(r"\d[\d -]*\d")


@dataclass(frozen=True, slots=True)
class SafetyAnswer:
    """An answer to danger.

    Attributes:
        sentences: as they are shown, and are spoken one by one.
    """

    danger: Danger
    language: Language
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """All sentences."""
        return " ".join(self.sentences)


class SafetyAnswers:
    """Answers for one region."""

    def __init__(self, region: str | None = None) -> None:
        """Use the telephone numbers of a region, such as "DE" (ISO 3166); none if the region is unknown."""
        for language in LANGUAGES:  # now, so that the first question does not wait for it
            rules_of(language)
        self._numbers: dict[str, str] = _file()["regions"].get(region or "", {})

    def to(self, text: str) -> SafetyAnswer | None:
        """Answer a question, whole or only its beginning; return None if it speaks of no danger."""
        found = recognise(text)
        return None if found is None else self.about(found)

    def in_case(self, language: Language) -> str:
        """Return the line for what may speak of danger, or is not understood."""
        words = _file()[language]
        return _filled(words["possible"][0], words, self._numbers_in(language))

    def about(self, found: RecognisedDanger) -> SafetyAnswer:
        """Answer a danger; what only may be one is answered by whom to call."""
        words = _file()[found.language]
        numbers = self._numbers_in(found.language)
        said = words["answers"][found.danger]
        if not found.certain:
            first, last = words["possible"]
            said = [first, *(line for line in said if line == "[crisis]"), last]
        sentences = (_filled(each, words, numbers) for each in said)
        return SafetyAnswer(found.danger, found.language, tuple(sentences))

    def _numbers_in(self, language: Language) -> dict[str, str]:
        """Return the region's numbers, if somebody there may well use this language."""
        return self._numbers if language in ("en", *self._numbers.get("languages", "").split()) else {}


def sayable(sentence: str) -> str:
    """Return a sentence for the voice: telephone numbers digit by digit, in their groups."""
    return _NUMBER.sub(
        lambda number: ", ".join(" ".join(part) for part in re.split(r"[ -]+", number.group())), sentence
    )


def _filled(sentence: str, words: dict[str, Any], numbers: dict[str, str]) -> str:
    """Fill telephone numbers into a sentence, or the words for unknown ones."""

    def named(kind: str, ways: list[str]) -> str:
        known, unknown = ways
        return known.format(numbers[kind]) if kind in numbers else unknown

    whole = _LINE.sub(lambda kind: named(kind[1], words["lines"][kind[1]]), sentence)
    return whole.format(**{kind: named(kind, ways) for kind, ways in words["numbers"].items()})


@cache
def _file() -> dict[str, Any]:
    """Read the answers, once."""
    return tomllib.loads(resources.files(__package__).joinpath("answers.toml").read_text(encoding="utf-8"))
