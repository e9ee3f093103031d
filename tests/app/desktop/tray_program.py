"""A program with a window and an icon in the tray: says what becomes of them. It is given its settings' folder."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.desktop.tray import Tray
from app.look.theme import Theme
from app.preferences.paths import with_value
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings

PATIENCE_MILLISECONDS = 120_000


def main() -> None:
    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    settings = Settings(PreferencesFile(Path(sys.argv[1])))
    tray = Tray(settings, Theme(app), ())
    settings.alter(lambda now: with_value(now, "behaviour.tray", False))
    print("available" if tray.is_available() else "not available")
    print("shown" if tray.is_shown else "not shown")
    tray.window_wanted.connect(app.quit)
    settings.alter(lambda now: with_value(now, "behaviour.tray", True))
    tray.follow()
    print("shown" if tray.is_shown else "not shown")
    QTimer.singleShot(PATIENCE_MILLISECONDS, lambda: app.exit(1))
    print("wanted" if app.exec() == 0 else "not wanted")
    settings.alter(lambda now: with_value(now, "behaviour.tray", False))
    print("shown" if tray.is_shown else "not shown")
    tray.close()


if __name__ == "__main__":
    main()
