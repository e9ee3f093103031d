"""A page of the tuning panel: charts that stay in sight, and beneath them settings that have an effect on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import Figure, FigureBoard
from app.tuning.chart_grid import ChartGrid
from app.widgets.layouts import in_column
from app.widgets.rows import Row

MARGIN_PIXELS = 16
BETWEEN_CONTROLS_PIXELS = 18
LOW_BELOW_PIXELS = 600


class Section(QWidget):
    """Settings beneath what is measured of them.

    Attributes:
        charts: what is measured here.
        rows: of the settings, by their paths.
        usual: the button that sets everything here as it usually is.
    """

    def __init__(
        self,
        settings: Settings,
        board: FigureBoard,
        figures: Sequence[Figure],
        make_usual: Callable[[Preferences], Preferences],
    ) -> None:
        super().__init__()
        self.charts = ChartGrid(board, figures)
        self.rows: dict[str, Row] = {}
        self._settings = settings
        self._make_usual = make_usual
        self.usual = QPushButton(self.tr("Reset to defaults"))
        self.usual.setAccessibleName(self.tr("Reset to defaults"))
        self.usual.setToolTip(self.tr("Set everything on this page back to its default"))
        self.usual.clicked.connect(lambda: settings.alter(make_usual))
        self._controls = QVBoxLayout()
        self._lay_out()
        settings.changed.connect(lambda before, after: self.show_preferences(after))

    def add(self, widget: QWidget) -> None:
        """Put something below what is there."""
        self._controls.addWidget(widget)

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Put settings below what is there; each is shown as long as it has an effect."""
        for row in rows:
            self._controls.addWidget(row)
            self.rows[row.path] = row

    def finish(self) -> None:
        """Put what belongs below all rows there, so that the tabulator comes to it last, and show what is set."""
        self._controls.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)
        self._controls.addStretch(1)
        self.show_preferences(self._settings.preferences)

    def show_preferences(self, preferences: Preferences) -> None:
        """Show what is set."""
        for row in self.rows.values():
            row.take(preferences)
            row.setVisible(row.needs(preferences))
        self.usual.setEnabled(self._make_usual(preferences) != preferences)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.charts.set_low(self.height() < LOW_BELOW_PIXELS)

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setLayout(self._controls)
        self._controls.setContentsMargins(MARGIN_PIXELS, 12, MARGIN_PIXELS, MARGIN_PIXELS)
        self._controls.setSpacing(BETWEEN_CONTROLS_PIXELS)
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the controls in it take the focus, and are scrolled to
        scroll.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)
        line = QFrame()
        line.setProperty("role", "line")
        pinned = in_column(self.charts, margins=(MARGIN_PIXELS, 12, MARGIN_PIXELS, 12))
        in_column(pinned, line, (scroll, 1), on=self, margins=0, spacing=0)
