"""What a tool came to, and the words in which that is told, in the language of the request."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from engine.answer.tools.dates import write_duration
from engine.answer.tools.table import Call
from engine.errors import OptionError
from engine.translate.languages import name_of
from engine.turns import Language


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool came to.

    Attributes:
        kind: which words tell it, by their name in answers.toml.
        values: what stands in those words; "seconds" stands there as "duration", and codes of languages by name.
    """

    kind: str
    values: Mapping[str, str] = field(default_factory=dict)


def words_of(outcome: Outcome, language: Language) -> tuple[str, ...]:
    """Tell an outcome in sentences. KeyError where nobody has written words for it."""
    values = dict(outcome.values)
    if "seconds" in values:
        values["duration"] = write_duration(float(values["seconds"]), language)
    if "language" in values:
        values["language"] = _language_name(values["language"], language)
    sentences = (sentence.format(**values) for sentence in _file()[language][outcome.kind])
    return tuple(sentence for sentence in sentences if sentence)


def doing(call: Call) -> str:
    """Say what a call will do, in a few words; "" where there is nothing to wait for."""
    return str(_file()[call.language]["doing"].get(call.tool.name, ""))


@cache
def _file() -> dict[str, Any]:
    """Read the words, once."""
    return tomllib.loads(resources.files(__package__).joinpath("answers.toml").read_text(encoding="utf-8"))


def _language_name(code: str, language: Language) -> str:
    """Name a language in another, where that is known; else in English."""
    own = tomllib.loads(resources.files(__package__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    if language != "en":
        return next((name for name, known in own["languages"].items() if known == code), code)
    try:
        return name_of(code)
    except OptionError:
        return code
