"""The overlay on a real X server, above a window of its own: python -m tests.app.overlay.overlay_on_x11 FOLDER.

Prints what was found as one line of JSON; xdotool moves the mouse and presses its buttons.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QElapsedTimer, QPoint, Qt, QThread
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.look.theme import Theme
from app.overlay.overlay import Overlay
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel

PATIENCE_MILLISECONDS = 120_000


class Behind(QWidget):
    """Window below the overlay; counts the clicks that reach it."""

    def __init__(self) -> None:
        super().__init__()
        self.clicks = 0

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicks += 1


def until(app: QApplication, is_so: Callable[[], bool]) -> bool:
    """Let things happen until it is so, or for as long as patience lasts."""
    clock = QElapsedTimer()
    clock.start()
    while not is_so() and clock.elapsed() < PATIENCE_MILLISECONDS:
        app.processEvents()
        QThread.msleep(5)
    return is_so()


def xdotool(*arguments: object) -> None:
    subprocess.run(["xdotool", *map(str, arguments)], check=True)


def click(place: QPoint) -> None:
    xdotool("mousemove", "--sync", place.x(), place.y(), "click", 1)


def workspace(window: int) -> str:
    """Return the window's workspace, as the X server reports it."""
    run = subprocess.run(["xprop", "-id", str(window), "_NET_WM_DESKTOP"], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def main(folder: Path) -> None:
    app = QApplication(sys.argv[:1])
    settings = Settings(PreferencesFile(folder))
    behind = Behind()
    behind.setGeometry(0, 0, 1000, 700)
    behind.setWindowFlag(Qt.WindowType.FramelessWindowHint)
    behind.show()
    overlay = Overlay(CaptionModel(), settings, Theme(app))
    found: dict[str, object] = {}

    def alter(**changes: object) -> None:
        settings.alter(lambda now: replace(now, overlay=replace(now.overlay, **changes)))  # type: ignore[arg-type]

    alter(shown=True)
    until(app, lambda: overlay.isVisible() and overlay.windowHandle().isExposed())
    found["active"] = overlay.isActiveWindow()
    found["on_all_workspaces"] = workspace(int(overlay.winId())).endswith("= 4294967295")
    overlay.move(100, 100)
    middle = overlay.geometry().center()
    until(app, lambda: overlay.windowHandle().geometry().center() == middle)
    click(middle)
    found["framed_by_the_mouse"] = until(app, overlay.controls.isVisible)
    found["clicks_kept"] = behind.clicks == 0
    xdotool("mousemove", "--sync", 20, 20)
    found["frame_goes_with_the_mouse"] = until(app, lambda: not overlay.controls.isVisible())
    alter(click_through=True)
    app.processEvents()
    click(middle)
    found["clicks_let_through"] = until(app, lambda: behind.clicks == 1) and overlay.isVisible()
    alter(click_through=False)
    app.processEvents()
    before = overlay.pos()
    xdotool("mousedown", 1)
    until(app, lambda: overlay.controls.isVisible())
    for step in range(1, 6):
        xdotool("mousemove", "--sync", middle.x() + 12 * step, middle.y() + 10 * step)
        app.processEvents()
    xdotool("mouseup", 1)
    until(app, lambda: bool(settings.preferences.overlay.places))
    moved = overlay.pos() - before
    found["dragged"] = [moved.x(), moved.y()]
    found["clicks_behind"] = behind.clicks
    overlay.take_focus()
    found["takes_keys_when_told"] = until(app, overlay.isActiveWindow)
    before = overlay.pos()
    xdotool("key", "Right", "key", "Down")
    until(app, lambda: overlay.pos() - before == QPoint(20, 20))
    found["moved_by_keys"] = [overlay.x() - before.x(), overlay.y() - before.y()]
    xdotool("mousemove", "--sync", 20, 20)
    behind.activateWindow()
    until(app, behind.isActiveWindow)
    found["keyboard_given_up"] = until(app, lambda: not overlay.controls.isVisible())
    overlay.close_for_good()
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
