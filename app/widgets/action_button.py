"""A button of an action: same text, icon, state and effect, wherever it is placed."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QIcon, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from app.widgets.labels import plain

ICON_PIXELS = 18
_COLOURED = ("main", "stop", "floating")


class ActionButton(QPushButton):
    """Mirrors a QAction.

    Attributes:
        action: what a click triggers.
        compact: whether only the icon is shown; the name stays for screen readers and in the tooltip.
    """

    def __init__(self, action: QAction, role: str = "", parent: QWidget | None = None) -> None:
        """Mirror an action; `role` selects the look in the style sheet: main, stop, flat, floating or, empty, plain."""
        super().__init__(parent)
        self.action = action
        self.compact = False
        self._is_offered = action.isVisible()
        self.setIconSize(QSize(ICON_PIXELS, ICON_PIXELS))
        self.setProperty("role", role)
        self.clicked.connect(action.trigger)
        action.changed.connect(self.mirror)
        self.mirror()

    def set_main(self, main: bool) -> None:
        """Show the button as the main one, or as one of several."""
        role = "main" if main else ""
        if self.property("role") != role:
            self.setProperty("role", role)
            self._restyle()
            self.mirror()

    def set_compact(self, compact: bool) -> None:
        if self.compact != compact:
            self.compact = compact
            self.setProperty("compact", compact)
            self._restyle()
            self.mirror()

    def _restyle(self) -> None:
        self.style().unpolish(self)
        self.style().polish(self)

    def _on_colour(self, icon: QIcon) -> QIcon:
        """Draw an icon in the colour for text on a coloured button."""
        if not self.action.isEnabled() or icon.isNull():
            return icon
        pixmap = icon.pixmap(self.iconSize(), self.devicePixelRatio())
        painter = QPainter(pixmap)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(pixmap.rect(), QApplication.palette().color(QPalette.ColorRole.BrightText))
        painter.end()
        return QIcon(pixmap)

    def mirror(self) -> None:
        """Copy the action's present state."""
        action = self.action
        name = plain(action.text()).rstrip("…")
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.setText("" if self.compact else action.text())
        self.setIcon(self._on_colour(action.icon()) if self.property("role") in _COLOURED else action.icon())
        self.setEnabled(action.isEnabled())
        self.setAccessibleName(name)
        tip = f"{name} ({keys})" if keys else name
        if action.isVisible() != self._is_offered:  # otherwise the page decides
            self._is_offered = action.isVisible()
            self.setVisible(self._is_offered)
        why = "" if action.isEnabled() else action.statusTip()
        self.setToolTip(f"{tip}\n{why}" if why else tip)
