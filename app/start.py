"""The program behind `earshot` without a command: opens the window and runs until it is closed."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QTimer

from app.application import Application, with_models
from app.desktop.qt_application import QtApplication
from app.desktop.single_start import SingleStart, request_of
from app.overlay.overlay_desktop import prepare_qt
from app.preferences.preferences import Preferences
from app.preferences.preferences_file import FILE_NAME
from app.preferences.program import data_folder, flatpak_id
from app.preferences.reading import read_preferences
from app.window.interrupts import Interrupts


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and run until it is closed."""
    parser = argparse.ArgumentParser(prog="earshot", description="Open the window.")
    parser.add_argument("--model", help="name or folder of the hearing model, from now on")
    parser.add_argument("--translation-model", help="name or folder of the language model, from now on")
    parser.add_argument("--hidden", action="store_true", help="start in the tray, without showing the window")
    parser.add_argument("file", nargs="?", type=Path, help="audio file to caption at once")
    arguments = parser.parse_args(argv)
    prepare_qt(_stored().overlay, os.environ)
    qt = QtApplication(sys.argv[:1])
    qt.setApplicationName("earshot")
    qt.setApplicationDisplayName("Earshot")
    qt.setDesktopFileName(flatpak_id() or "earshot")
    qt.setQuitOnLastWindowClosed(False)  # the window may be in the tray, with the overlay or a dialog as the last one
    first = SingleStart(data_folder(), qt)
    if first.hand_over(request_of(arguments.file, arguments.model, arguments.translation_model)):
        return 0
    application = Application(qt, given=lambda now: with_models(now, arguments.model, arguments.translation_model))
    application.window.left.connect(first.close)
    application.window.left.connect(qt.quit)
    first.requested.connect(application.carry_out_request)
    first.carry_out = application.desktop.orders.carry_out
    application.start(hidden=arguments.hidden)
    spare_the_collector()
    if arguments.file is not None:
        QTimer.singleShot(0, lambda: application.window.open_file(arguments.file))
    with Interrupts(application.window):
        return qt.exec()


def _stored() -> Preferences:
    """Return the stored preferences; the app itself reports if they cannot be read."""
    try:
        return read_preferences((data_folder() / FILE_NAME).read_text("utf-8")).preferences
    except (OSError, ValueError):
        return Preferences()


def spare_the_collector() -> None:
    """Exclude long-lived objects from garbage collection, because a full collection would stall the window."""
    gc.collect()
    gc.freeze()
