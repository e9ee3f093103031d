"""The overlay where a real X server sends the mouse: clicks that stop at it, clicks that go through."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = ("xvfb-run", "xdotool", "xprop")
missing = [tool for tool in TOOLS if shutil.which(tool) is None]


@pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")
def test_the_mouse_drags_it_and_goes_through_it_when_asked_to(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    command = [
        "xvfb-run",
        "-a",
        "-s",
        "-screen 0 1000x700x24",
        sys.executable,
        "-m",
        "tests.app.overlay.overlay_on_x11",
    ]
    run = subprocess.run([*command, str(tmp_path)], env=environment, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert found.pop("dragged") == [60, 50]
    assert found.pop("moved_by_keys") == [20, 20]
    assert found == {
        "active": False,
        "framed_by_the_mouse": True,
        "clicks_kept": True,
        "frame_goes_with_the_mouse": True,
        "clicks_let_through": True,
        "clicks_behind": 1,
        "on_all_workspaces": True,
        "takes_keys_when_told": True,
        "keyboard_given_up": True,
    }
