"""Ways to ask for what the assistant can do, as they are written in assets/dialogues/requests.

A file holds tools, ways to ask for each with fields in them, and what fills the fields:

    # said_about
    ? What did {who} say about {topic}?

    = topic
    the deadline

Under "none" stand near neighbours that ask for no tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from engine.answer.tools.table import TOOLS
from lab.recipes.assistant.dialogues import FOLDER, DialogueError

PATH = FOLDER / "requests" / "en.txt"
NONE = "none"
MOST_FILLED = 4
"""Number of ways that are made of one with fields."""

_FIELD = re.compile(r"\{(\w+)\}")


def read_requests(path: Path = PATH) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Read ways to ask by their tools, and fillings by their fields. DialogueError names the line that is wrong."""
    ways: dict[str, list[str]] = {}
    fillings: dict[str, list[str]] = {}
    block: list[str] | None = None
    asks = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark, _, text = line.strip().partition(" ")
        if mark in ("#", "=") and text:
            asks = mark == "#"
            if asks and text != NONE and text not in TOOLS:
                raise DialogueError(f"{path.name}, line {number}: there is no tool {text!r}.")
            block = (ways if asks else fillings).setdefault(text, [])
        elif line.strip():
            if block is None or asks != (mark == "?"):
                raise DialogueError(f"{path.name}, line {number}: {line.strip()[:20]!r} stands in the wrong place.")
            block.append(text if asks else line.strip())
    return ways, fillings


def requests(random: Random, path: Path = PATH) -> Iterator[tuple[str, str, str]]:
    """Return tools with questions that ask for them, and the way to ask that each question is made of."""
    ways, fillings = read_requests(path)
    for tool, asked in ways.items():
        for way in asked:
            count = MOST_FILLED if _FIELD.search(way) else 1
            for question in dict.fromkeys(_filled(way, fillings, random) for _ in range(count)):
                yield tool, question, way


def _filled(way: str, fillings: dict[str, list[str]], random: Random) -> str:
    filled = _FIELD.sub(lambda field: random.choice(fillings[field[1]]), way)
    return filled[0].upper() + filled[1:]
