"""A page of the tuning panel: charts that stay visible where there is room, above the settings that affect them."""

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
    """Settings beneath the charts of their figures.

    Attributes:
        charts: charts of the figures.
        rows: rows of the settings, by path.
        usual: the button that resets everything here.
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
        self.usual.clicked.connect(self._restore_defaults)
        self._controls = QVBoxLayout()
        self._lay_out()
        settings.changed.connect(lambda before, after: self.show_preferences(after))

    def add(self, widget: QWidget) -> None:
        """Add a widget at the bottom."""
        self._controls.addWidget(widget)

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Add settings at the bottom; each is shown while it has an effect."""
        for row in rows:
            self._controls.addWidget(row)
            self.rows[row.path] = row

    def finish(self) -> None:
        """Add the reset button below all rows, last in the tab order, and show the preferences."""
        self._controls.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)
        self._controls.addStretch(1)
        self.show_preferences(self._settings.preferences)

    def _restore_defaults(self) -> None:
        self._settings.alter(self._make_usual)
        shown = (row.control for row in self.rows.values() if row.isVisibleTo(self) and row.control.isEnabled())
        if (first := next(shown, None)) is not None:
            first.setFocus()  # the button has nothing left to do

    def show_preferences(self, preferences: Preferences) -> None:
        """Show the preferences."""
        for row in self.rows.values():
            row.show_preferences(preferences)
            row.setVisible(row.needs(preferences))
        self.usual.setEnabled(self._make_usual(preferences) != preferences)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.charts.set_low(self.height() < LOW_BELOW_PIXELS)
        self._pin(self.height() >= 2 * self.charts.sizeHint().height())

    def _pin(self, stays: bool) -> None:
        """Keep the charts above the settings, or let them scroll with these."""
        if stays != (self._pinned.indexOf(self.charts) >= 0):
            (self._pinned if stays else self._controls).insertWidget(0, self.charts)
            self._above.setVisible(stays)

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setLayout(self._controls)
        self._controls.setContentsMargins(MARGIN_PIXELS, 12, MARGIN_PIXELS, MARGIN_PIXELS)
        self._controls.setSpacing(BETWEEN_CONTROLS_PIXELS)
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its controls get the focus, and are scrolled to
        scroll.viewport().setAutoFillBackground(False)
        inside.setAutoFillBackground(False)
        line = QFrame()
        line.setProperty("role", "line")
        self._pinned = in_column(self.charts, margins=(MARGIN_PIXELS, 12, MARGIN_PIXELS, 12))
        self._above = QWidget()
        in_column(self._pinned, line, on=self._above, margins=0, spacing=0)
        in_column(self._above, (scroll, 1), on=self, margins=0, spacing=0)
