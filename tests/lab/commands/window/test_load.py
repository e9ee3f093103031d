"""A long history in the window: that every step is done and counted, and that sizes which make no sense are refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from app.terminal.cli import main


def test_a_meeting_among_sessions_is_listed_opened_searched_exported_and_grows() -> None:
    command = [sys.executable, "-m", "app", "bench", "load", "--lines", "120", "--sessions", "30", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["figures"]
    assert (figures.pop("lines"), figures.pop("sessions")) == (120, 30)
    longest = figures.pop("longest_seconds")
    assert longest == max(figures.values()) > 0 and all(seconds > 0 for seconds in figures.values())


@pytest.mark.parametrize("wrong", [["--lines", "1"], ["--sessions", "0"]])
def test_a_history_of_nothing_is_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "load", *wrong]) == 2
    assert "--lines must be at least 10" in capsys.readouterr().err
