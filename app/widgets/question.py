"""A question in a box of its own."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics, QShowEvent
from PySide6.QtWidgets import QGridLayout, QMessageBox, QWidget

TITLE_BAR_PIXELS = 180
"""Room in a title bar for its icon and its buttons, and for letters larger than Qt expects."""


class Question(QMessageBox):
    """Asks before something is lost. The box is wide enough for its title, which desktops would elide."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setIcon(QMessageBox.Icon.Warning)
        self.setWindowTitle(title)

    def showEvent(self, event: QShowEvent) -> None:
        grid = self.layout()
        assert isinstance(grid, QGridLayout)
        bold = self.font()
        bold.setBold(True)
        title = QFontMetrics(bold).horizontalAdvance(self.windowTitle())
        margins = grid.contentsMargins()
        least = min(title + TITLE_BAR_PIXELS, self.screen().availableGeometry().width())
        beside = margins.left() + margins.right() + grid.horizontalSpacing()
        grid.setColumnMinimumWidth(grid.columnCount() - 1, max(least - beside - self.iconPixmap().width(), 0))
        super().showEvent(event)
