"""Requests of the desktop to the whole app: quit, show the window, open a file."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class QtApplication(QApplication):
    """Qt's application, with signals for requests of the desktop.

    It overrides `event` and installs no filter: that would be called with every event of every widget.

    Signals:
        end_wanted: the Dock, the menu or log-out asks to quit. Connected slots prepare the end before they return; then
            Qt closes the remaining windows and ends the event loop.
        window_wanted: the icon in macOS's Dock was clicked, or the app was activated in another way.
        file_given: a file was dropped on the app's icon, or opened with it: its Path.
    """

    end_wanted = Signal()
    window_wanted = Signal()
    file_given = Signal(Path)

    def event(self, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.Quit:
                self.end_wanted.emit()
            case QEvent.Type.ApplicationActivate if sys.platform == "darwin":
                self.window_wanted.emit()
            case QEvent.Type.FileOpen:
                assert isinstance(event, QFileOpenEvent)
                if event.url().isLocalFile():
                    self.file_given.emit(Path(event.url().toLocalFile()))
        return super().event(event)
