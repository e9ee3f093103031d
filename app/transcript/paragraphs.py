"""How captions and translations stand in the transcript's document, and what is compared to change little of it."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QTextBlockFormat

ABOVE_TRANSLATION = 0.0
_BELOW, _BELOW_TRANSLATION = 0.45, 0.7  # space beneath a paragraph, in lines
_LINE_HEIGHT_PERCENT = 128


def paragraph(line_pixels: int, below: float = _BELOW) -> QTextBlockFormat:
    """The look of a caption, with `below` lines of space beneath."""
    style = QTextBlockFormat()
    style.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    style.setBottomMargin(line_pixels * below)
    return style


def translated_paragraph(line_pixels: int, language: str) -> QTextBlockFormat:
    """The look of a translation: it runs as its language does, whatever word it begins with."""
    style = paragraph(line_pixels, _BELOW_TRANSLATION)
    style.setLayoutDirection(direction(language))
    return style


def direction(language: str) -> Qt.LayoutDirection:
    """Where lines of a language begin."""
    return QLocale(language).textDirection()


def units(text: str) -> int:
    """The length of text as Qt counts it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def shared_length(one: str, other: str) -> int:
    """Count the characters that two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
