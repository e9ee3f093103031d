"""The rail at the window's left, with a button for each page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFont, QFontMetrics, QKeySequence
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QToolButton, QWidget

from app.widgets.layouts import in_column

ICON_PIXELS = 22
WIDTH_PIXELS, COMPACT_WIDTH_PIXELS = 92, 58
_BESIDE_PIXELS = 16
"""Space between the rail's edges and its buttons."""


class Rail(QWidget):
    """A button for each page, and at the bottom buttons for panels and dialogs.

    Attributes:
        buttons: buttons from top to bottom.
    """

    def __init__(self, pages: Sequence[QAction], others: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rail")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Pages"))
        group = QButtonGroup(self)
        column = in_column(on=self, margins=(8, 12, 8, 12), spacing=4)
        self.buttons: tuple[RailButton, ...] = tuple(RailButton(action) for action in (*pages, *others))
        for button in self.buttons[: len(pages)]:
            group.addButton(button)
            column.addWidget(button)
        column.addStretch(1)
        for button in self.buttons[len(pages) :]:
            column.addWidget(button)
        self.set_compact(False)

    @property
    def names_height(self) -> int:
        """Return the height at which all names are whole."""
        return self._names_height

    def set_compact(self, compact: bool) -> None:
        """Set whether only icons are shown; the names stay for screen readers and in the tool tips."""
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if compact else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        for button in self.buttons:
            button.setToolButtonStyle(style)
        if not compact:
            self._names_height = self.sizeHint().height()
        self.setFixedWidth(COMPACT_WIDTH_PIXELS if compact else max(WIDTH_PIXELS, self._widest()))

    def _widest(self) -> int:
        """Return the width that the longest name needs in bold, as for the visible page."""
        font = QFont(self.buttons[0].font())
        font.setBold(True)
        metrics = QFontMetrics(font)
        return max(metrics.horizontalAdvance(button.text()) for button in self.buttons) + 2 * _BESIDE_PIXELS


class RailButton(QToolButton):
    """Mirrors an action as a large button, its name beneath its icon."""

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = action
        self.setProperty("role", "rail")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCheckable(action.isCheckable())
        self.clicked.connect(action.trigger)
        action.changed.connect(self.mirror)
        self.mirror()

    def mirror(self) -> None:
        """Copy the action's present state."""
        action = self._action
        name = action.text().replace("&", "").rstrip("…")
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.setText(action.iconText().replace("&", "").rstrip("…"))
        self.setIcon(action.icon())
        self.setEnabled(action.isEnabled())
        self.setChecked(action.isChecked())
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({keys})" if keys else name)
