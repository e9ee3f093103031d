"""The overlay's menu where the overlay is a layer: Wayland's own menus need a window beneath them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QMenu

from app.overlay.layer_shell import LayerShell, LayerSurface

AWAY_MILLISECONDS = 3000
"""Time away from the menu after which it closes, since clicks on other windows are not seen."""


class LayeredMenu(QObject):
    """Shows a menu on a layer; as a filter of events it swallows tips, which cannot be shown."""

    def __init__(self, menu: QMenu, layers: LayerShell) -> None:
        super().__init__(menu)
        self._menu, self._layers = menu, layers
        self._layer: LayerSurface | None = None
        self._away = QTimer(self, singleShot=True, interval=AWAY_MILLISECONDS)
        self._away.timeout.connect(menu.close)
        menu.setWindowFlag(Qt.WindowType.BypassWindowManagerHint)
        menu.setToolTipsVisible(False)
        menu.installEventFilter(self)

    def place(self, place: QPoint, overlay: QRect) -> QPoint:
        """Return where the menu opens: beside the overlay, since some compositors draw a newer layer below."""
        size, area = self._menu.sizeHint(), self._menu.screen().geometry()
        x, y = (
            max(min(at, most - length + 1), least)
            for at, length, least, most in (
                (place.x(), size.width(), area.left(), area.right()),
                (place.y(), size.height(), area.top(), area.bottom()),
            )
        )
        corners = (
            QPoint(x, overlay.bottom() + 1),
            QPoint(x, overlay.top() - size.height()),
            QPoint(overlay.right() + 1, y),
            QPoint(overlay.left() - size.width(), y),
        )
        return next((each for each in corners if area.contains(QRect(each, size))), place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.ToolTip:
            return True
        if watched is self._menu:
            if kind == QEvent.Type.Show:
                self._rise()
            elif kind == QEvent.Type.Hide and self._layer is not None:
                self._layer.close()
                self._layer = None
            elif kind == QEvent.Type.Enter:
                self._away.stop()
            elif kind == QEvent.Type.Leave:
                self._away.start()
        return False

    def _rise(self) -> None:
        self._menu.winId()  # which makes the window
        self._away.start()
        try:
            self._layer = self._layers.surface(self._menu.windowHandle())
        except OSError:
            return
        self._layer.open(self._menu.geometry().translated(-self._menu.screen().geometry().topLeft()))
