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
PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "assets").rglob("README.md")),
)
IN_A_SENTENCE = re.compile(r"`(?:uv run (?:--group parity )?)?(?:earshot ([a-z][^`]+)|((?:bench|profile) [^`]+))`")
"""A command of Earshot in a sentence, however its line is wrapped."""

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_A_BLOCK = re.compile(r"(?:^|&& )(?:[\w./-]*uv run (?:--group parity )?)?earshot ([a-z][^#<>|&\n]*)", re.MULTILINE)
"""A command of Earshot in a block of shell, without its comment and redirections."""


def commands() -> list[str]:
    """List every command of Earshot that a page names."""
    found = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found |= {named or bench for named, bench in IN_A_SENTENCE.findall(text)}
        found |= {command for block in BLOCK.findall(text) for command in IN_A_BLOCK.findall(block)}
    given = {" ".join(each.replace("…", "de").split()) for each in found}
    return sorted(given - {"bench", "train"})


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


def test_the_pages_name_their_commands() -> None:
    found = commands()
    assert sum(command.startswith("bench") for command in found) > 15
    assert {"demo", "caption talk.mp3 --speakers", "translate --to es", "ask --mic"} <= set(found)
