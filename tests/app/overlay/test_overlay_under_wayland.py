"""The overlay on a Wayland desktop: above a full-screen window and in its place, on a layer or through XWayland."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage

from app.overlay.layer_shell import BYPASS
from app.overlay.overlay_desktop import Limit, is_unmanaged, limits_of, prepare_qt
from app.preferences.preferences import Edge, OverlayOptions, Preferences
from app.preferences.preferences_file import PreferencesFile
from tests.app.overlay.sway import sway
from tests.conftest import ROOT

WAYLAND = {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}
CHOSEN = OverlayOptions(through_x11=True)


@pytest.mark.parametrize(
    ("options", "environment", "platform"),
    [
        (CHOSEN, WAYLAND, "xcb"),
        (OverlayOptions(), WAYLAND, ""),
        (CHOSEN, {"WAYLAND_DISPLAY": "wayland-0"}, ""),  # there is no XWayland
        (CHOSEN, {"DISPLAY": ":0"}, ""),  # a desktop of X11
        (CHOSEN, {**WAYLAND, "QT_QPA_PLATFORM": "wayland"}, "wayland"),  # the user's own choice
    ],
)
def test_windows_go_through_xwayland_only_where_that_was_chosen_and_helps(
    options: OverlayOptions, environment: dict[str, str], platform: str
) -> None:
    found = dict(environment)
    prepare_qt(options, found)
    assert found.get("QT_QPA_PLATFORM", "") == platform
    assert found[BYPASS] == "1"


def test_only_a_wayland_desktop_leaves_the_overlay_alone() -> None:
    assert is_unmanaged("xcb", WAYLAND)
    assert not is_unmanaged("xcb", {"DISPLAY": ":0"})
    assert not is_unmanaged("wayland", WAYLAND)
    assert Limit.ON_TOP in limits_of("wayland")


def covered(picture: QImage) -> QRect:
    """Return the part of a red picture that is not red."""
    found = QRect()
    for y in range(0, picture.height(), 4):
        for x in range(0, picture.width(), 4):
            if picture.pixelColor(x, y).red() < 200:
                found |= QRect(x, y, 4, 4)
    return found


@pytest.mark.parametrize("platform", ["xcb", "wayland"])
@pytest.mark.parametrize(("edge", "lines"), [("bottom", 2), ("top", 6)])
def test_it_stands_above_a_full_screen_window_where_it_was_put(
    tmp_path: Path, edge: Edge, lines: int, platform: str
) -> None:
    options = replace(
        OverlayOptions(through_x11=platform == "xcb"), shown=True, stays=True, edge=edge, lines=lines, opacity=1.0
    )
    PreferencesFile(tmp_path / "data").save(replace(Preferences(), overlay=options))
    with sway() as desktop:
        surroundings = {**desktop.environment, "PYTHONPATH": str(ROOT)}
        surroundings.pop("QT_QPA_PLATFORM", None)
        command = [sys.executable, "-m", "tests.app.overlay.wayland_program", str(tmp_path / "data")]
        program = subprocess.Popen(command, cwd=ROOT, env=surroundings, stdout=subprocess.PIPE, text=True)
        assert program.stdout is not None
        with program:
            said = program.stdout.readline()
            seen = covered(desktop.picture())
            program.kill()
    assert said.startswith(f"{platform} ")
    assert seen.width() > 400
    assert abs(seen.center().x() - 640) < 8
    middle = seen.center().y()
    assert middle > 540 if edge == "bottom" else middle < 260
