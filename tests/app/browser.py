"""Chromium in a test, whose event loop goes on meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from lab.screenshots import browser
from lab.screenshots.browser import Browser


@contextmanager
def chromium(qtbot: QtBot, folder: Path) -> Iterator[Browser]:
    """Run a browser with a profile of its own; skips where there is none."""
    try:
        with browser.chromium(qtbot.waitUntil, folder) as made:
            yield made
    except FileNotFoundError as error:
        pytest.skip(f"{error}: apt install chromium")
