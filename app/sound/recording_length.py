"""The length of a recording, found on a thread of its own: files may lie on a slow disk."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.errors import AudioError


class LengthSearch(QObject):
    """Finds how long recordings are.

    Signals:
        found: a Path and its length in seconds. Nothing is reported of a file that does not say, or cannot be read.
    """

    found = Signal(object, float)

    def start(self, path: Path) -> None:
        """Read the length that a file states."""
        threading.Thread(target=self._run, args=(path,), name="length", daemon=True).start()

    def _run(self, path: Path) -> None:
        from engine.audio.source import audio_seconds

        try:
            seconds = audio_seconds(path)
        except AudioError:
            return  # whoever decodes it says what is wrong
        if seconds > 0:
            self.found.emit(path, seconds)
