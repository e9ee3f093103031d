"""Charts side by side, redrawn a few times per second while they are visible and have new values."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from app.tuning.board import Figure, FigureBoard
from app.tuning.chart import FigureChart

REFRESH_MILLISECONDS = 300
GAP_PIXELS = 8
COLUMNS = 2


class ChartGrid(QWidget):
    """Shows some figures of a board. Hidden, or without new values, it does nothing.

    Attributes:
        charts: charts in the order of the figures.
    """

    def __init__(self, board: FigureBoard, figures: Sequence[Figure], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.charts = tuple(FigureChart(figure, board.series[figure.name]) for figure in figures)
        self._stale = {figure.name: False for figure in figures}
        self._rest = QTimer(self, singleShot=True, interval=REFRESH_MILLISECONDS)
        self._rest.timeout.connect(self.refresh)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GAP_PIXELS)
        for place, chart in enumerate(self.charts):
            grid.addWidget(chart, place // COLUMNS, place % COLUMNS)
        board.updated.connect(self._note_update)

    def set_low(self, low: bool) -> None:
        """Set low charts, which leave more height to the controls below."""
        for chart in self.charts:
            chart.set_low(low)

    def refresh(self) -> None:
        """Redraw charts with new values."""
        for chart in self.charts:
            if self._stale[chart.figure.name]:
                self._stale[chart.figure.name] = False
                chart.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _note_update(self, name: str) -> None:
        if name not in self._stale:
            return
        self._stale[name] = True
        if self.isVisible() and not self._rest.isActive():
            self._rest.start()
