"""Earshot's tray icon, with a menu."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from app.look.theme import ICON_SIZES, Theme
from app.preferences.settings import Settings


class Tray(QObject):
    """Shows an icon if the preferences ask for one and the desktop has a tray.

    Attributes:
        menu: the icon's menu.
        show_window: the action that brings the window back.

    Signals:
        window_wanted: bring the window to the front.
    """

    window_wanted = Signal()

    def __init__(
        self, settings: Settings, theme: Theme, actions: Sequence[QAction | None], parent: QObject | None = None
    ) -> None:
        """Build the menu of `actions`, which are the window's own; None is a separator."""
        super().__init__(parent)
        self._settings = settings
        self._theme = theme
        self._records = False
        self.show_window = QAction(self.tr("Show &Earshot"), self)
        self.show_window.triggered.connect(self.window_wanted)
        self.menu = QMenu()
        self.menu.addAction(self.show_window)
        for action in actions:
            if action is None:
                self.menu.addSeparator()
            else:
                self.menu.addAction(action)
        self._icon = QSystemTrayIcon(self)
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self._activate)
        self._icon.messageClicked.connect(self.window_wanted)
        settings.changed.connect(self.follow)
        theme.changed.connect(self.refresh_icon)
        self.refresh_icon()
        self.show_recording(False)

    @staticmethod
    def is_available() -> bool:
        """Return whether this desktop has a tray."""
        return QSystemTrayIcon.isSystemTrayAvailable()

    @property
    def is_shown(self) -> bool:
        """Return whether the icon is visible, so that a hidden window can be brought back."""
        return self._icon.isVisible()

    @property
    def tool_tip(self) -> str:
        return self._icon.toolTip()

    def follow(self) -> None:
        """Show or hide the icon according to the preferences."""
        self._icon.setVisible(self._settings.preferences.behaviour.tray and self.is_available())

    def show_recording(self, records: bool) -> None:
        """Show in the icon whether audio is being recorded."""
        self._records = records
        self._icon.setToolTip(self.tr("Earshot is listening") if records else self.tr("Earshot"))
        self.refresh_icon()

    def say(self, text: str) -> None:
        """Show a notification at the icon, if it is visible."""
        if self.is_shown:
            self._icon.showMessage("Earshot", text, self._icon.icon())

    def refresh_icon(self) -> None:
        """Draw the icon in the theme's colours, with a dot while audio is being recorded.

        On a Mac the icon is a mask, filled while recording, which the menu bar colours.
        """
        if sys.platform == "darwin":
            self._icon.setIcon(self._theme.shape("tray-recording" if self._records else "tray"))
        else:
            self._icon.setIcon(self._marked(self._theme.app_icon) if self._records else self._theme.app_icon)

    def close(self) -> None:
        """Remove the icon, before the app ends."""
        self._icon.hide()
        self.menu.deleteLater()

    def _marked(self, icon: QIcon) -> QIcon:
        marked = QIcon()
        for size in ICON_SIZES:
            marked.addPixmap(self._with_dot(icon.pixmap(size, size)))
        return marked

    def _with_dot(self, pixmap: QPixmap) -> QPixmap:
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.colours.broken))
        width = pixmap.width() / pixmap.devicePixelRatio()
        painter.drawEllipse(int(width * 0.55), int(width * 0.55), int(width * 0.42), int(width * 0.42))
        painter.end()
        return pixmap

    def _activate(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        """Bring the window on a click; on macOS a click opens the menu, as usual there."""
        clicks = (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick)
        if sys.platform != "darwin" and reason in clicks:
            self.window_wanted.emit()
