"""The map of the house is true: its modules exist, and its picture is what the imports say now."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SOUGHT = (
    "voice gate", "barge-in", "mask-k", "word times", "thread profile", "resume of a download", "the overlay's place",
    "retention of history", "endpoint", "last draft",
)  # fmt: skip


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_rooms", ROOT / "docs" / "draw_rooms.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_module_that_contributing_names_exists() -> None:
    named = re.findall(r"`((?:app|engine|assets|tests|docs|resources)/[^`*]+)`", CONTRIBUTING)
    assert len(named) > 50
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("what", SOUGHT)
def test_what_is_sought_is_found_on_the_map(what: str) -> None:
    (row,) = re.findall(rf"^\| {re.escape(what)} \| (.*`.+) \|$", CONTRIBUTING, re.MULTILINE)
    assert re.search(r"`(lab|app|engine)/[\w/]+\.py`", row)


def test_the_committed_picture_is_what_the_imports_say_now(drawing: ModuleType) -> None:
    page = drawing.PAGE.read_text(encoding="utf-8")
    shown = page.partition(drawing.BEGIN)[2].partition(drawing.END)[0]
    assert shown == drawing.drawn(), "run: uv run python docs/draw_rooms.py --write"


def test_three_ways_are_drawn(drawing: ModuleType) -> None:
    ways = drawing.ways_of_contributing()
    assert list(ways) == ["The way of a sample", "The way of a question", "The way of a slider"]
    assert all(len(modules) >= 5 for modules in ways.values())


def test_an_arrow_is_left_out_where_others_lead(drawing: ModuleType) -> None:
    edges = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert drawing.without_detours(edges) == {"a": {"b"}, "b": {"c"}, "c": set()}
