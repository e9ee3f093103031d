"""Notification of the window when sound devices come, go, or another becomes the default."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.sound import device_events

REST_MILLISECONDS = 300
"""Pause that collects several events into one: a device that is connected causes several."""


class DeviceWatch(QObject):
    """Waits for events of devices, at no cost while there are none.

    Signals:
        changed: the devices may have changed: search for them.
    """

    changed = Signal()
    _news_came = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watching = False
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self.changed)
        self._news_came.connect(self._rest.start)

    def start(self) -> None:
        """Start watching, unless it is watching already."""
        if not self._watching:
            self._watching = True
            device_events.add(self._tell)

    def stop(self) -> None:
        """Stop watching."""
        if self._watching:
            self._watching = False
            device_events.remove(self._tell)
            self._rest.stop()

    def _tell(self) -> None:
        self._news_came.emit()
