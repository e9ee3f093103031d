"""Searches for sound devices off the GUI thread: loading PortAudio and asking the system take a while."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from shiboken6 import isValid

from engine.errors import AudioError

if TYPE_CHECKING:
    from app.sound.audio_devices import InputDevice
    from app.sound.output_devices import OutputDevice


class DeviceSearch(QObject):
    """Lists devices on a thread of its own, one search at a time.

    Attributes:
        inputs, outputs: results of the newest search; None before the first.

    Signals:
        found: a tuple of InputDevice, the default first; empty if there are none.
        outputs_found: a tuple of OutputDevice, the default first; empty if there are none, or none can be opened.
        failed: why there can be no input, in one sentence.
    """

    found = Signal(object)
    outputs_found = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.inputs: tuple[InputDevice, ...] | None = None
        self.outputs: tuple[OutputDevice, ...] | None = None
        self._thread: threading.Thread | None = None
        self._again = False
        self._lock = threading.Lock()
        self.found.connect(self._keep_inputs)
        self.outputs_found.connect(self._keep_outputs)

    def start(self) -> None:
        """Start a search; if one is in progress, search once more after it."""
        with self._lock:
            if self._thread is not None:
                self._again = True
                return
            self._thread = threading.Thread(target=self._run, name="device search", daemon=True)
            self._thread.start()

    def wait(self, seconds: float) -> None:
        """Wait for the search to end, before the app ends: PortAudio must not be interrupted in it."""
        with self._lock:
            self._again = False
            thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _run(self) -> None:
        while True:
            try:
                self._search()
            except RuntimeError:
                if isValid(self):
                    raise
                return  # the app ended meanwhile, as on a slow machine, and there is no receiver
            with self._lock:
                if not self._again:
                    self._thread = None
                    return
                self._again = False

    def _search(self) -> None:
        from app.sound.audio_devices import list_input_devices
        from app.sound.output_devices import list_output_devices

        try:
            self.found.emit(list_input_devices())
        except AudioError as error:
            self.failed.emit(str(error))
        try:
            self.outputs_found.emit(list_output_devices())
        except AudioError:
            self.outputs_found.emit(())

    @Slot(object)
    def _keep_inputs(self, devices: object) -> None:
        assert isinstance(devices, tuple)
        self.inputs = devices

    @Slot(object)
    def _keep_outputs(self, devices: object) -> None:
        assert isinstance(devices, tuple)
        self.outputs = devices
