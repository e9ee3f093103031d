"""Texts beside controls, and texts only for screen readers."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


def quiet_label(text: str = "", role: str = "quiet", *, wraps: bool = True) -> QLabel:
    """Create a label with an explanation."""
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label


def announce(widget: QWidget, text: str) -> None:
    """Announce something through a screen reader."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def plain(name: str) -> str:
    """Remove the mnemonic from a name."""
    return name.replace("&&", "\0").replace("&", "").replace("\0", "&")


def literal(text: str) -> str:
    """Return text for a button or a menu, in which a person's own "&" is no mnemonic."""
    return text.replace("&", "&&")


class ElidedLabel(QLabel):
    """A line of text that ends in "…" if there is not enough room; the tool tip then has all of it.

    It uses the available width and asks for none.
    """

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def shown(self) -> str:
        """The text, shortened to the available width."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(self.text() if self.shown != self.text() else "")
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, style, role = QPainter(self), self.style(), self.foregroundRole()
        middle = int(Qt.AlignmentFlag.AlignVCenter)
        style.drawItemText(painter, self.contentsRect(), middle, self.palette(), self.isEnabled(), self.shown, role)
