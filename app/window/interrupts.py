"""Ctrl-C, SIGTERM and the end of the terminal, which close the window as its close button does."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier

from app.preferences.program import ending_signals
from app.window.main_window import MainWindow


class Interrupts(QObject):
    """A context in which signals close the window as its close button does; see `ending_signals`.

    Python runs signal handlers between its own instructions, and Qt's loop may rest for long without any: the signal
    wakes it by a byte in a socket pair.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._close_window)

    def __enter__(self) -> Interrupts:
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, lambda *_: None) for number in ending_signals()}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _close_window(self) -> None:
        self._reader.recv(64)
        self._window.leave()
