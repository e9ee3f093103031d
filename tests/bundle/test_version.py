"""The version stands in pyproject.toml alone; all else reads it."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import version as installed
from pathlib import Path

import pytest

from app.preferences.program import version

ROOT = Path(__file__).resolve().parents[2]
PLACE = "pyproject.toml"


def number() -> str:
    found: str = tomllib.loads((ROOT / PLACE).read_text(encoding="utf-8"))["project"]["version"]
    return found


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a clone")
def test_no_other_file_of_the_product_names_it() -> None:
    command = ["git", "grep", "-lIw", re.escape(number()), "--", ".", ":!tests", ":!lab/LOG.md", ":!lab/results"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert sorted(found) == ["CHANGELOG.md", PLACE], "CHANGELOG.md is the history of versions"


def test_the_changelog_begins_with_it() -> None:
    newest = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None and newest[1] == number()


def test_the_program_says_it() -> None:
    assert version() == installed("earshot") == number()
