"""Texts beside controls, and those that only screen readers say."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QLabel, QWidget


def quiet_label(text: str = "", role: str = "quiet", *, wraps: bool = True) -> QLabel:
    """Make a line that explains."""
    label = QLabel(text)
    label.setProperty("role", role)
    label.setWordWrap(wraps)
    return label


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader say what happened."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


def plain(name: str) -> str:
    """Take the mnemonic out of a name."""
    return name.replace("&", "")
