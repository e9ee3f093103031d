"""Tables of phrasings: which danger or which tool each asks for, and in which language; "none" asks for neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.answer.intents.classifier import starter_classifier
from engine.answer.safety.recognition import recognise as recognise_danger
from engine.answer.tools.by_meaning import call_by_meaning
from engine.answer.tools.recognition import recognise as recognise_request
from engine.assistant.doubt import as_taught
from engine.models.catalogue import ASSETS

FOLDER = ASSETS / "bench" / "phrasings"
SAFETY = ("safety", "safety_held_out")
REQUESTS = ("requests",)
NONE = "none"


class Phrasing(NamedTuple):
    """One line of a table: what it asks for, in which language, and its text."""

    kind: str
    language: str
    text: str


def phrasings(tables: Sequence[str]) -> Iterator[Phrasing]:
    """Read tables: a heading such as [suicide en], then a phrasing a line."""
    for table in tables:
        kind = language = ""
        for line in (FOLDER / f"{table}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                kind, _, language = line.strip("[]").partition(" ")
            elif line and not line.startswith("#"):
                yield Phrasing(kind, language, line)


def found_danger(text: str) -> tuple[str, str]:
    """Return the danger that is recognised, and in which language."""
    found = recognise_danger(text)
    return (NONE, "") if found is None else (found.danger, found.language)


def found_request(text: str) -> tuple[str, str]:
    """Return the tool that is recognised, by the phrasing or by its meaning, and in which language."""
    found = recognise_request(text)
    if found is not None:
        return found.name, found.language
    meant = call_by_meaning(as_taught(text), (), starter_classifier())
    return (NONE, "") if meant is None else (meant.tool.name, meant.language)


def safety_share() -> float:
    """Return the share of the phrasings of danger, and of their harmless neighbours, that are recognised as what they
    are."""
    return _share([found_danger(each.text) == _wanted(each) for each in phrasings(SAFETY)])


def command_share() -> float:
    """Return the share of the requests, and of their neighbours, that are recognised as what they are."""
    return _share([found_request(each.text) == _wanted(each) for each in phrasings(REQUESTS)])


def _wanted(phrasing: Phrasing) -> tuple[str, str]:
    return (NONE, "") if phrasing.kind == NONE else (phrasing.kind, phrasing.language)


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right)
