"""A level meter: the last seconds as a row of bars, the newest at the right."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.sound.loudness import QUIETEST_DBFS

BARS = 26
BAR_PIXELS = 3
GAP_PIXELS = 2
FLOOR_DBFS = -58.0
CEILING_DBFS = -12.0


class LevelMeter(QWidget):
    """Shows loudness over time; flat while nothing is recorded."""

    def __init__(self, parent: QWidget | None = None, *, bars: int = BARS) -> None:
        super().__init__(parent)
        self._heights: deque[float] = deque([0.0] * bars, maxlen=bars)
        self._active = False
        self.setAccessibleName(self.tr("Input level"))
        self.setToolTip(self.tr("How loud the input is"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def newest(self) -> float:
        """Height of the newest bar, 0 to 1."""
        return self._heights[-1]

    def show_level(self, dbfs: float) -> None:
        """Add the loudness of the newest sound."""
        span = CEILING_DBFS - FLOOR_DBFS
        height = min(max((dbfs - FLOOR_DBFS) / span, 0.0), 1.0) if dbfs > QUIETEST_DBFS else 0.0
        self._heights.append(height)
        self._active = True
        self.update()

    def rest(self) -> None:
        """Show that nothing is recorded."""
        self._heights.extend([0.0] * len(self._heights))
        self._active = False
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(len(self._heights) * (BAR_PIXELS + GAP_PIXELS) - GAP_PIXELS, 30)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        palette = self.palette()
        painter.setBrush(palette.color(QPalette.ColorRole.Accent if self._active else QPalette.ColorRole.Mid))
        for place, height in enumerate(self._heights):
            pixels = max(BAR_PIXELS, height * self.height())
            left = place * (BAR_PIXELS + GAP_PIXELS)
            bar = QRectF(left, (self.height() - pixels) / 2, BAR_PIXELS, pixels)
            painter.drawRoundedRect(bar, BAR_PIXELS / 2, BAR_PIXELS / 2)
        painter.end()
