"""The overlay shown once on the screens there are: python -m tests.app.overlay.overlay_on_screens FOLDER [X Y].

Moves it to X, Y by its keys if they are given, and prints where it stands as one line of JSON.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.look.theme import Theme
from app.overlay.overlay import Overlay
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel


def main(folder: Path, place: QPoint | None) -> None:
    app = QApplication(sys.argv[:1])
    settings = Settings(PreferencesFile(folder))
    settings.load()
    overlay = Overlay(CaptionModel(), settings, Theme(app))
    settings.alter(lambda now: replace(now, overlay=replace(now.overlay, shown=True)))
    overlay.follow()
    app.processEvents()
    if place is not None:
        overlay.move(place)
        app.processEvents()
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
            app.sendEvent(overlay, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))
        while overlay._note_place.isActive():
            app.processEvents()
    print(json.dumps([overlay.screen().name(), overlay.x(), overlay.y()]))
    settings.settle()
    overlay.close_for_good()


if __name__ == "__main__":
    main(Path(sys.argv[1]), QPoint(*map(int, sys.argv[2:4])) if len(sys.argv) > 2 else None)
