"""The overlay on two screens, of which one comes and goes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

LEFT = {"name": "left", "x": 0, "y": 0, "width": 1000, "height": 700}
RIGHT = {"name": "right", "x": 1000, "y": 0, "width": 1200, "height": 900}


def shown(folder: Path, screens: list[dict[str, object]], *place: int) -> list[object]:
    """Show the overlay on such screens, moved somewhere if a place is given, and say where it stands."""
    description = folder / "screens.json"
    described = [{**each, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1} for each in screens]
    description.write_text(json.dumps({"screens": described}))
    environment = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={description}"}
    command = [sys.executable, "-m", "tests.app.overlay.overlay_on_screens", str(folder), *map(str, place)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stderr
    return list(json.loads(run.stdout.splitlines()[-1]))


def test_it_comes_back_to_the_screen_it_stood_on_and_keeps_a_place_on_each(tmp_path: Path) -> None:
    assert shown(tmp_path, [LEFT, RIGHT], 50, 60) == ["left", 50, 60]
    assert shown(tmp_path, [LEFT, RIGHT], 1300, 80) == ["right", 1300, 80]
    assert shown(tmp_path, [LEFT, RIGHT]) == ["right", 1300, 80]
    assert shown(tmp_path, [LEFT]) == ["left", 50, 60], "the right screen is unplugged"
    assert shown(tmp_path, [LEFT, RIGHT]) == ["right", 1300, 80], "and plugged in again"
