"""The table of phrasings: which tool each asks for, and in which language; "none" for those that ask for none."""

from collections.abc import Iterator
from pathlib import Path


def phrasings(folder: Path = Path(__file__).parent, name: str = "phrasings.txt") -> Iterator[tuple[str, str, str]]:
    """Give tool, language and text of each."""
    tool = language = ""
    for line in (folder / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            tool, _, language = line.strip("[]").partition(" ")
        elif line and not line.startswith("#"):
            yield tool, language, line
