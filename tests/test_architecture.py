"""The pages that lead through the code are true: the modules that they name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = (
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/reliability.md",
    "docs/macos.md",
    "docs/windows.md",
    "docs/packaging.md",
)
NAMED = re.compile(r"`((?:app|engine|lab|assets|tests|docs|resources)/[^`*… ]+)`")
SOUGHT = (
    "voice gate", "barge-in", "mask-k", "word times", "thread profile", "resume of a download", "the overlay's place",
    "retention of history", "endpoint", "last draft",
)  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_every_module_that_a_page_names_exists(page: str) -> None:
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    assert named
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("page", (*PAGES, "README.md", "CHANGELOG.md", "lab/LOG.md", "lab/people/README.md"))
def test_every_link_of_a_page_leads_somewhere(page: str) -> None:
    path = ROOT / page
    targets = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [each for each in targets if not (path.parent / each).exists()] == []


@pytest.mark.parametrize("what", SOUGHT)
def test_what_is_sought_is_found_on_the_map(what: str) -> None:
    (row,) = re.findall(rf"^\| {re.escape(what)} \| (.*`.+) \|$", CONTRIBUTING, re.MULTILINE)
    assert re.search(r"`(lab|app|engine)/[\w/]+\.py`", row)


def test_three_ways_lead_through_the_code() -> None:
    sections = re.findall(r"^### The way of ([^\n]+)\n(.*?)(?=^#|\Z)", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    assert [title for title, _ in sections] == ["a sample", "a question", "a slider"]
    assert all(len(re.findall(r"^\d+\. `", body, re.MULTILINE)) >= 5 for _, body in sections)
