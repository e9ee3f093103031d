"""Windows that are never larger than the screen they open on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QStyle, QWidget


def room_for(window: QWidget) -> QSize:
    """Tell how large a window can be on its screen, its frame left out."""
    return window.screen().availableGeometry().size() - _frame_of(window)


def fit_to_screen(window: QWidget) -> None:
    """Make a window no larger than its screen has room for, and place it wholly on it."""
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
    if frame.isEmpty():  # not known before a window is shown for the first time
        frame = QSize(0, window.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight))
    return frame


class ScreenDialog(QDialog):
    """A dialog that opens centred on its window and fits its screen; what does not fit scrolls (see Scrolled)."""

    def showEvent(self, event: QShowEvent) -> None:
        fit_to_screen(self)
        super().showEvent(event)


class Scrolled(QScrollArea):
    """Shows a widget as it is where there is room, and scrolls it up and down where there is not.

    It asks for as much width as the widget needs, and for no height.
    """

    def __init__(self, widget: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._shown = widget  # known before Qt tells of its events
        self.setWidget(widget)
        widget.setProperty("role", widget.property("role") or "page")
        self._take_width()

    def sizeHint(self) -> QSize:
        return self._shown.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._shown and event.type() == QEvent.Type.LayoutRequest:
            self._take_width()
        return super().eventFilter(watched, event)

    def _take_width(self) -> None:
        bar = self.verticalScrollBar().sizeHint().width()  # which takes its width from the widget when it is there
        self.setMinimumWidth(self._shown.minimumSizeHint().width() + bar)
