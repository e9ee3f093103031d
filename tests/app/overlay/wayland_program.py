"""The overlay above a red full-screen window, as a program of its own: `python wayland_program.py FOLDER`.

It begins as the app does, by the preferences in FOLDER, and prints its platform once its words are shown.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.look.theme import Theme
from app.overlay.overlay import Overlay
from app.overlay.overlay_desktop import prepare_qt
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.transcript.caption_model import CaptionModel
from tests.app.made_captions import caption


def main(folder: Path) -> None:
    """Show it until it is killed."""
    file = PreferencesFile(folder)
    prepare_qt(file.load().overlay, os.environ)
    qt = QApplication(sys.argv[:1])
    red = QWidget()
    red.setStyleSheet("background: #ff0000")
    red.showFullScreen()
    settings = Settings(file)
    settings.load()
    model, theme = CaptionModel(), Theme(qt)
    red.setStyleSheet("background: #ff0000")
    overlay = Overlay(model, settings, theme)
    overlay.follow()

    def speak() -> None:
        model.show(caption(1, "These words stay above everything.", final=True))
        QTimer.singleShot(500, lambda: print(qt.platformName(), overlay.geometry().getRect(), flush=True))

    QTimer.singleShot(500, speak)
    qt.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
