"""The tables of phrasings: which danger each is, and in which language; "none" for those that are harmless."""

from collections.abc import Iterator
from pathlib import Path

TABLES = ("phrasings.txt", "held_out.txt")


def phrasings(table: str) -> Iterator[tuple[str, str, str]]:
    """Give danger, language and text of each."""
    danger = language = ""
    for line in (Path(__file__).parent / table).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            danger, language = line.strip("[]").split()
        elif line and not line.startswith("#"):
            yield danger, language, line
