"""A caption as one line of text, with what will not change any more told apart."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.look.text_layout import printable, unbroken
from engine.events import Caption, text_of


def composed(caption: Caption, *, stable_only: bool = False) -> tuple[str, int]:
    """Give a caption's line and how many of its characters are committed; with `stable_only` it has no others."""
    if caption.is_gap:
        words = QCoreApplication.translate(
            "CaptionText", "… part not captioned: this computer is too slow for the model"
        )
        return words, len(words)
    text = unbroken(printable(text_of(caption.committed if stable_only else (*caption.committed, *caption.pending))))
    committed = printable("".join(word.text for word in caption.committed)).lstrip()
    return text, min(len(committed), len(text))


def composed_translation(text: str) -> str:
    """Give a translation as a line."""
    return unbroken(printable(text))
