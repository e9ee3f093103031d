"""A row for choosing a colour."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QColorDialog, QPushButton

from app.preferences.settings import Settings
from app.widgets.rows import Row

SAMPLE = QSize(36, 18)


class ColourRow(Row):
    """A button that shows a colour and opens the system's colour dialog."""

    control: QPushButton

    def __init__(self, settings: Settings, path: str, name: str, explanation: str = "") -> None:
        super().__init__(settings, path, QPushButton(), name, explanation)
        self.control.setIconSize(SAMPLE)
        self.control.clicked.connect(self._ask)
        self._colour = QColor()

    def show_value(self, value: Any) -> None:
        self._colour = QColor(value)
        sample = QPixmap(SAMPLE)
        sample.fill(self._colour)
        painter = QPainter(sample)
        painter.setPen(self.palette().color(QPalette.ColorRole.Dark))
        painter.drawRect(sample.rect().adjusted(0, 0, -1, -1))
        painter.end()
        self.control.setIcon(QIcon(sample))
        self.control.setText(value.upper())

    def _ask(self) -> None:
        chosen = QColorDialog.getColor(self._colour, self.window(), self.control.accessibleName())
        if chosen.isValid():
            self.put(chosen.name())
