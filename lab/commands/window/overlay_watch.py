"""Time from a caption's coming out of the engine's pipe to its being painted in the overlay."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot

from app.engine_link.engine_client import EngineClient
from app.overlay.overlay_face import OverlayFace
from app.transcript.caption_text import composed
from engine.events import Caption

TAIL_CHARACTERS = 16
"""Number of its last characters by which a caption is known again in the overlay."""

MOST_WAITING = 50


class OverlayWatch(QObject):
    """Notes when captions come in, and when the overlay has painted them.

    Attributes:
        seconds: how long each caption took; of those that were replaced before they were painted, to the painting of
            what replaced them.
    """

    def __init__(self, client: EngineClient, face: OverlayFace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.seconds: list[float] = []
        self._face = face
        self._waiting: deque[tuple[float, str]] = deque(maxlen=MOST_WAITING)
        self._painted = QTimer(self, singleShot=True, interval=0)
        self._painted.timeout.connect(self._note_painted)
        client.arrived.connect(self._note_arrival, Qt.ConnectionType.DirectConnection)
        face.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._painted.start()  # it is painted by the next turn of the event loop
        return False

    @Slot(object)
    def _note_arrival(self, event: object) -> None:
        """Note a caption, on the thread that reads the engine's pipe."""
        if isinstance(event, Caption) and (event.committed or event.pending):
            self._waiting.append((time.monotonic(), _tail(composed(event)[0])))

    def _note_painted(self) -> None:
        now = time.monotonic()
        shown = _tail("".join(self._face.shown[0]))
        waiting = tuple(self._waiting)
        newest = max((at for at, (_, tail) in enumerate(waiting) if shown.endswith(tail)), default=-1)
        for came, _ in waiting[: newest + 1]:
            self._waiting.popleft()
            self.seconds.append(now - came)


def _tail(text: str) -> str:
    return "".join(text.split())[-TAIL_CHARACTERS:]
