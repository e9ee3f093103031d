"""The `earshot` command on a real X server, as a process of its own, with nothing but keys sent to it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from app.history.kept.schema import FILE_NAME
from engine.models.catalogue import ASSETS
from lab.commands.window.process_load import family
from tests.app.displays import HAS_X, x_display

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(not HAS_X, reason="not installed: apt install xvfb xdotool"),
    pytest.mark.skipif(
        not (ASSETS / "starter" / "hearing").is_dir(), reason="the starter model is not in assets/starter/hearing"
    ),
]

PATIENCE_SECONDS = 120.0
T = TypeVar("T")


class Earshot:
    """The running app, its keyboard, and what it has kept."""

    def __init__(self, process: subprocess.Popen[str], environment: dict[str, str], folder: Path) -> None:
        self.process = process
        self._environment = environment
        self._history = folder / "earshot" / "history" / FILE_NAME

    def wait_for_window(self, title: str) -> str:
        """Wait until a window of this title is there, give it the keyboard, and give its number."""
        number = await_that(lambda: self._xdotool("search", "--onlyvisible", "--name", title).split(), f"{title}")[-1]
        self._xdotool("windowfocus", "--sync", number)
        return number

    def press_away(self, title: str, key: str) -> None:
        """Press a key in the window of this title until it is gone: while it is there, it lets no other take any."""
        number = self.wait_for_window(title)

        def is_gone() -> bool:
            if number not in self._xdotool("search", "--onlyvisible", "--name", title).split():
                return True
            self._xdotool("key", "--window", number, key)  # never to the window behind it once it is gone
            return False

        await_that(is_gone, f"the end of {title}")

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the keyboard is."""
        self._xdotool("key", "--delay", "80", *keys)

    def sessions(self) -> list[tuple[str, bool, bool]]:
        """Return the source of every session, whether it has ended, and whether unexpectedly."""
        with closing(sqlite3.connect(f"file:{self._history}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT source, ended IS NOT NULL, crashed FROM session").fetchall()
        return [(source, bool(ended), bool(crashed)) for source, ended, crashed in rows]

    def _xdotool(self, *words: str) -> str:
        done = subprocess.run(["xdotool", *words], env=self._environment, capture_output=True, text=True, timeout=400)
        return done.stdout


def await_that(is_so: Callable[[], T], what: str) -> T:
    """Look again and again until there is something; each look takes a while itself."""
    due = time.monotonic() + PATIENCE_SECONDS
    while not (found := is_so()):
        assert time.monotonic() < due, f"never came: {what}"
    return found


@contextmanager
def earshot(display: str, folder: Path) -> Iterator[Earshot]:
    """Run the command with a home of its own."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WAYLAND")}
    environment |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "XDG_DATA_HOME": str(folder), "LC_ALL": "C.UTF-8"}
    environment |= {"XDG_CONFIG_HOME": str(folder / "config"), "QT_ACCESSIBILITY": "0"}
    process = subprocess.Popen(
        [sys.executable, "-m", "app"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        yield Earshot(process, environment, folder)
    finally:
        process.kill()
        process.wait()


def test_the_first_run_the_demo_and_the_end_by_keys_alone(tmp_path: Path) -> None:
    with x_display() as display, earshot(display, tmp_path) as app:
        app.press_away("Welcome to Earshot", "Return")
        app.wait_for_window("^Earshot$")
        app.press("ctrl+d")
        await_that(lambda: len(family(app.process.pid)) > 1, "the engine")
        started = [each.pid for each in family(app.process.pid)]
        assert len(started) > 1  # the engine
        app.press("ctrl+q")
        output, _ = app.process.communicate(timeout=PATIENCE_SECONDS)
        assert app.process.returncode == 0, output
        assert app.sessions() == []  # the demo is not kept
        await_that(lambda: not any(Path(f"/proc/{each}").is_dir() for each in started), "the end of every process")
