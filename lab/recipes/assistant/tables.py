"""Tables of phrasings: which danger or which tool each asks for, and in which language; "none" asks for neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.models.catalogue import ASSETS

FOLDER = ASSETS / "bench" / "phrasings"
SAFETY = ("safety", "safety_held_out")
OBLIQUE, OBLIQUE_LIMITS, OBLIQUE_JUDGED = "oblique", "oblique_limits", "oblique_judged"
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
