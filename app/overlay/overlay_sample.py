"""A sample of the overlay, over something light and something dark."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.overlay.overlay_face import OverlayFace
from app.overlay.overlay_lines import Passage
from app.preferences.preferences import OverlayOptions

MOST_HEIGHT_PIXELS = 300
USUAL_CHARACTERS, LEAST_CHARACTERS = 42, 28
WITH_BREAKS = 1.15
"""Extra space of text in lines, because words are not broken."""

_MARGIN = 16
_BRIGHT, _DIM = QColor("#F3D9B1"), QColor("#26476B")


class OverlaySample(QWidget):
    """Shows an overlay with a text in it, in its own size if there is room, else smaller."""

    def __init__(self, overlay: OverlayOptions) -> None:
        super().__init__()
        self._overlay = overlay
        self._shown = 0  # id of the text; the face shows no id again
        self._face = OverlayFace(overlay, self)
        self._face.set_framed(True)  # otherwise the text fades after a while
        self.setAccessibleName(self.tr("Sample of the overlay"))
        self._fit()

    def show_overlay(self, overlay: OverlayOptions) -> None:
        """Show the sample with these options."""
        if overlay != self._overlay:
            self._overlay = overlay
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sky = QLinearGradient(0, 0, self.width(), 0)
        for place, colour in ((0.0, _BRIGHT), (0.35, _BRIGHT), (0.65, _DIM), (1.0, _DIM)):
            sky.setColorAt(place, colour)
        painter.setBrush(sky)
        painter.setPen(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 10, 10)
        painter.end()

    def _fit(self) -> None:
        room = self.width() - 2 * _MARGIN
        self._face.apply(self._overlay)
        least = self._face.fitting(LEAST_CHARACTERS)
        scale = min(1.0, room / least.width(), MOST_HEIGHT_PIXELS / least.height())
        if scale < 1.0:
            self._face.apply(replace(self._overlay, points=max(self._overlay.points * scale, 10.0)))
        wanted = self._face.fitting(USUAL_CHARACTERS)
        self.setFixedHeight(wanted.height() + 2 * _MARGIN)
        self._face.setGeometry(QRect(_MARGIN, _MARGIN, min(wanted.width(), room), wanted.height()))
        self._face.clear()
        self._shown += 1
        spoken, translated = (
            [Passage(self._shown, text, text.rfind(" "))] for text in self._texts(self._face.characters(room))
        )
        self._face.show_passages(spoken, translated)

    def _texts(self, characters: float) -> tuple[str, str]:
        """Return a text and its translation that fit in the lines without rolling up."""
        long = (
            self.tr("This is how captions look while somebody speaks"),
            self.tr("So sehen Untertitel aus, während jemand spricht"),
        )
        if self._overlay.lines * characters >= WITH_BREAKS * max(map(len, long)):
            return long
        return self.tr("This is how captions look"), self.tr("So sehen Untertitel aus")
