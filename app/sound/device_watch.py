"""Telling the window when sound devices come, go, or another becomes the default."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from app.sound import device_events

REST_MILLISECONDS = 300
"""A device that is connected is several pieces of news."""


class DeviceWatch(QObject):
    """Waits for news of devices, at no cost while there is none.

    Signals:
        changed: the devices may be others now: look for them.
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
        """Begin to watch; does nothing while watching."""
        if not self._watching:
            self._watching = True
            device_events.add(self._tell)

    def stop(self) -> None:
        """Leave nothing running."""
        if self._watching:
            self._watching = False
            device_events.remove(self._tell)
            self._rest.stop()

    def _tell(self) -> None:
        self._news_came.emit()
