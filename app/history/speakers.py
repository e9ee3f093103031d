"""Names of the two speakers of a conversation."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def speaker_names() -> tuple[str, str]:
    """Return the names of the two speakers of a conversation."""
    asks = QCoreApplication.translate("TranscriptView", "You")
    return asks, QCoreApplication.translate("TranscriptView", "Earshot")
