"""One sentence above the captions, with a way out."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.look.theme import Theme
from app.widgets.action_button import ICON_PIXELS, ActionButton


class MessageBar(QWidget):
    """Shows what went wrong or what is worth knowing, until it is closed or replaced.

    Signals:
        shown: a message is new, and its way out a new button.
        closed: by the reader.
    """

    shown = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = "warning"
        self._mark = QLabel()
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._way_out: ActionButton | None = None
        self._dismiss = QAction(self.tr("Close message"), self)
        self._dismiss.triggered.connect(self.close_message)
        self._close = ActionButton(self._dismiss, "flat")
        self._close.set_compact(True)
        self.setObjectName("message")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(20, 8, 12, 8)
        self._row.setSpacing(12)
        self._row.addWidget(self._mark)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._close)
        theme.changed.connect(self.take_icons)
        self.take_icons()
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def way_out(self) -> ActionButton | None:
        """The button that the message offers."""
        return self._way_out

    @property
    def buttons(self) -> tuple[ActionButton, ...]:
        """What can be pressed, in order."""
        return (self._close,) if self._way_out is None else (self._way_out, self._close)

    def show_problem(self, text: str, way_out: QAction | None = None) -> None:
        """Say what went wrong, and offer an action that goes on from there."""
        self._show("warning", text, way_out)

    def show_notice(self, text: str, way_out: QAction | None = None) -> None:
        """Say what is good to know, and offer an action."""
        self._show("info", text, way_out)

    def _show(self, icon: str, text: str, way_out: QAction | None) -> None:
        self._icon = icon
        self.take_icons()
        if self._way_out is not None:
            self._row.removeWidget(self._way_out)
            self._way_out.hide()
            self._way_out.deleteLater()
            self._way_out = None
        if way_out is not None:
            self._way_out = ActionButton(way_out)
            self._row.insertWidget(2, self._way_out)
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self.show()
        self.shown.emit()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def close_message(self) -> None:
        self.hide()
        self.closed.emit()

    def take_icons(self) -> None:
        self._mark.setPixmap(self._theme.icon(self._icon).pixmap(ICON_PIXELS, ICON_PIXELS))
        self._dismiss.setIcon(self._theme.icon("close"))
