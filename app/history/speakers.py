"""What who asks and who answers in a conversation are called."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def speaker_names() -> tuple[str, str]:
    """Return what who asks and who answers in a conversation are called."""
    asks = QCoreApplication.translate("TranscriptView", "You")
    return asks, QCoreApplication.translate("TranscriptView", "Earshot")
