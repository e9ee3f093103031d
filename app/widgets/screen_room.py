"""Windows that are never larger than their screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QStyle, QWidget


def room_for(window: QWidget) -> QSize:
    """Return the largest size of a window on its screen, without its frame."""
    return window.screen().availableGeometry().size() - _frame_of(window)


def fit_to_screen(window: QWidget) -> None:
    """Shrink a window to its screen if necessary, and move it fully onto it."""
    available, frame, room = window.screen().availableGeometry(), _frame_of(window), room_for(window)
    given, needed = window.minimumSize(), window.minimumSizeHint()
    least = QSize(given.width() or needed.width(), given.height() or needed.height())
    if least.boundedTo(room) != least:
        window.setMinimumSize(least.boundedTo(room))
    window.resize(window.size().boundedTo(room))
    if window.testAttribute(Qt.WidgetAttribute.WA_Moved):
        right = available.right() + 1 - window.width() - frame.width()
        bottom = available.bottom() + 1 - window.height() - frame.height()
        x = max(available.left(), min(window.x(), right))
        window.move(x, max(available.top(), min(window.y(), bottom)))


def _frame_of(window: QWidget) -> QSize:
    frame = window.frameGeometry().size() - window.size()
    if frame.isEmpty():  # unknown before a window is shown for the first time
        frame = QSize(0, window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight))
    return frame


class ScreenDialog(QDialog):
    """A dialog that opens centred on its window and fits its screen; overflow scrolls (see Scrolled)."""

    def showEvent(self, event: QShowEvent) -> None:
        fit_to_screen(self)
        super().showEvent(event)


class Scrolled(QScrollArea):
    """A widget that scrolls vertically if there is not enough height.

    It asks for the width that the widget needs, and for no height.
    """

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._shown = widget  # set before Qt reports its events
        self.setWidget(widget)
        widget.setProperty("role", widget.property("role") or "page")
        self._update_width()

    def sizeHint(self) -> QSize:
        return self._shown.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._shown and event.type() == QEvent.Type.LayoutRequest:
            self._update_width()
        return super().eventFilter(watched, event)

    def _update_width(self) -> None:
        bar = self.verticalScrollBar().sizeHint().width()  # a visible scroll bar reduces the widget's width
        self.setMinimumWidth(self._shown.minimumSizeHint().width() + bar)
