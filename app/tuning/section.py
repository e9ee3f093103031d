"""A page of the tuning panel: charts that stay in sight, and beneath them settings that have an effect on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.preferences.paths import value_at, with_value
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import Figure, FigureBoard
from app.tuning.chart_grid import ChartGrid
from app.widgets.control import Control

MARGIN_PIXELS = 16
BETWEEN_CONTROLS_PIXELS = 18
LOW_BELOW_PIXELS = 600

Write = Callable[[Preferences, Any], Preferences]
Where = Callable[[Preferences], bool]


class Section(QWidget):
    """Binds controls to preferences: each shows what is set, and sets what a person chooses.

    Attributes:
        charts: what is measured here.
        usual: the button that sets everything here as it usually is.
    """

    def __init__(
        self,
        settings: Settings,
        board: FigureBoard,
        figures: Sequence[Figure],
        make_usual: Callable[[Preferences], Preferences],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.charts = ChartGrid(board, figures)
        self._settings = settings
        self._make_usual = make_usual
        self._bound: list[tuple[Control, str, Where | None]] = []
        self.usual = QPushButton(self.tr("Usual settings"))
        self.usual.setAccessibleName(self.tr("Usual settings"))
        self.usual.setToolTip(self.tr("Set everything on this page as it usually is"))
        self.usual.clicked.connect(lambda: settings.alter(make_usual))
        self._controls = QVBoxLayout()
        self._lay_out()
        settings.changed.connect(lambda before, after: self.show_preferences(after))

    def add(self, widget: QWidget) -> None:
        """Put something below what is there."""
        self._controls.addWidget(widget)

    def bind(self, control: Control, path: str, where: Where | None = None, write: Write | None = None) -> None:
        """Put a control below the others.

        Args:
            path: of the value that it shows and sets, such as "captions.step_seconds".
            where: with which preferences it means anything; elsewhere it is not shown.
            write: how a value gets into the preferences, where it is more than putting it there.
        """
        self._controls.addWidget(control)
        self._bound.append((control, path, where))
        put = write or (lambda preferences, value: with_value(preferences, path, value))

        def take(value: object) -> None:
            stored = _as_stored(value, value_at(self._settings.preferences, path))
            self._settings.alter(lambda preferences: put(preferences, stored))

        control.chosen.connect(take)

    def finish(self) -> None:
        """Put what belongs below all controls there, so that the tabulator comes to it last, and show what is set."""
        self._controls.addWidget(self.usual, 0, Qt.AlignmentFlag.AlignLeft)
        self._controls.addStretch(1)
        self.show_preferences(self._settings.preferences)

    def show_preferences(self, preferences: Preferences) -> None:
        """Show what is set."""
        for control, path, where in self._bound:
            shown = where is None or where(preferences)
            control.setVisible(shown)
            if shown:
                control.show_value(value_at(preferences, path))
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
        pinned = QVBoxLayout()
        pinned.setContentsMargins(MARGIN_PIXELS, 12, MARGIN_PIXELS, 12)
        pinned.addWidget(self.charts)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(pinned)
        whole.addWidget(line)
        whole.addWidget(scroll, 1)


def _as_stored(value: object, now: object) -> object:
    """A slider's value as the preferences have it: whole numbers are whole."""
    return round(value) if isinstance(value, float) and isinstance(now, int) else value
