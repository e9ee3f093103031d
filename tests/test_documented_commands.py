"""The commands that the pages name can be given as they stand there, and the rows that they ask for are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from app.terminal.cli import make_parser
from lab.bench import side_by_side
from lab.bench.captions import peer

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "assets").rglob("README.md")))
NAMED = re.compile(r"`(?:uv run )?(?:earshot )?((?:bench|profile) [^`]+)`")
"""A bench in a sentence, however its line is wrapped."""


def commands() -> list[str]:
    """List every bench and profile that a page names with something behind it."""
    found = {" ".join(each.split()) for page in PAGES for each in NAMED.findall(page.read_text(encoding="utf-8"))}
    return sorted(found)


class Chosen(Exception):
    """All rows that were asked for are known."""


@pytest.mark.parametrize("command", commands())
def test_a_command_that_a_page_names_is_understood(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options, unknown = make_parser().parse_known_args(shlex.split(command))
    assert not unknown
    if not getattr(options, "methods", ""):
        return
    choose = side_by_side.choose

    def check(*arguments: Any) -> None:
        choose(*arguments)
        raise Chosen

    monkeypatch.setattr(side_by_side, "choose", check)
    monkeypatch.setattr(peer, "has_peer", lambda: True)  # it is not loaded for this
    with pytest.raises(Chosen):  # an unknown row is another error, and comes before a model is loaded
        options.run(options)


def test_the_page_of_benchmarks_names_its_commands() -> None:
    assert sum(command.startswith("bench") for command in commands()) > 20
