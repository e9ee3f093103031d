"""Changes that a trial makes to its own surroundings: they end with it, and nothing outside of it notices."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.commands.endurance import surroundings
from lab.commands.endurance.surroundings import mounting, set_clock, what_is_missing

FORBIDS = """
import errno, sys
from pathlib import Path
from lab.commands.endurance.surroundings import read_only
file = Path(sys.argv[1]) / "note"
file.write_text("before")
with read_only(file.parent):
    for spoil in (lambda: file.write_text("x"), file.unlink, file.with_name("other").touch):
        try:
            spoil()
        except OSError as error:
            assert error.errno == errno.EROFS, error
        else:
            raise AssertionError("it was written")
    print(file.read_text())
    sys.stdin.readline()
file.write_text("after")
"""


def test_a_disk_turns_read_only_for_a_trial_alone_and_back(tmp_path: Path) -> None:
    words = mounting()
    if not words:
        pytest.skip(what_is_missing()["mount"])
    command = [*words, sys.executable, "-c", FORBIDS, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as trial:
        assert trial.stdin and trial.stdout
        assert trial.stdout.readline() == "before\n"
        (tmp_path / "ours").touch()
        trial.stdin.close()
    assert trial.returncode == 0
    assert (tmp_path / "note").read_text() == "after"


def test_where_nothing_can_be_mounted_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    assert mounting() == []
    assert what_is_missing().keys() == {"mount", "sound"}


def test_the_wall_clock_jumps_and_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", time.time)  # what follows is undone
    monkeypatch.setattr(surroundings, "_true_time", lambda: 1_000.0)
    set_clock(-3_600.0)
    assert time.time() == -2_600.0
    set_clock(0.0)
    assert time.time() == 1_000.0
