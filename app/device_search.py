"""Looking for microphones without holding up the window: loading PortAudio and asking the system take a while."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, Signal

from engine.errors import AudioError


class DeviceSearch(QObject):
    """Lists input devices on a thread of its own, one search at a time.

    Signals:
        found: a tuple of InputDevice, the default first; empty where there is none.
        failed: why there can be none, in one sentence.
    """

    found = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Search now; does nothing while a search is under way."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="device search", daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> None:
        """Let a search come to its end, for the app's own: PortAudio must not be left in the middle of it."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        from app.audio_devices import list_input_devices

        try:
            self.found.emit(list_input_devices())
        except AudioError as error:
            self.failed.emit(str(error))
