"""The list of all keyboard shortcuts."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialogButtonBox, QGridLayout, QLabel, QScrollArea, QWidget

from app.actions import Actions
from app.look.theme import figures_font
from app.widgets.layouts import in_column
from app.widgets.screen_room import ScreenDialog


class ShortcutList(ScreenDialog):
    """Shows the actions that have a shortcut, menu by menu."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        self.resize(460, 560)
        grid = QGridLayout()
        grid.setContentsMargins(24, 20, 24, 20)
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(8)
        for title, those in actions.menus:
            self._list(grid, title, [each for each in those if each is not None and not each.shortcut().isEmpty()])
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        content = QWidget()
        content.setObjectName("bar")
        content.setLayout(grid)
        area = QScrollArea()
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(content)
        area.setMinimumWidth(content.sizeHint().width() + area.verticalScrollBar().sizeHint().width())
        area.setAccessibleName(self.windowTitle())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = in_column((area, 1), on=self, margins=(0, 0, 0, 16))
        row = in_column(buttons, margins=(24, 0, 24, 0))
        column.addLayout(row)

    def _list(self, grid: QGridLayout, title: str, actions: list[QAction]) -> None:
        if not actions:
            return
        heading = QLabel(title.replace("&", ""))
        heading.setProperty("role", "quiet")
        if grid.rowCount() > 1:
            grid.setRowMinimumHeight(grid.rowCount(), 10)
        grid.addWidget(heading, grid.rowCount(), 0, 1, 2)
        for action in actions:
            row = grid.rowCount()
            keys = QLabel(action.shortcut().toString(QKeySequence.SequenceFormat.NativeText))
            keys.setFont(figures_font())
            grid.addWidget(QLabel(action.text().replace("&", "").rstrip("…")), row, 0)
            grid.addWidget(keys, row, 1, Qt.AlignmentFlag.AlignRight)
