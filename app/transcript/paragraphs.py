"""Formats of captions and translations in the document, and comparisons that keep its changes small."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QTextBlockFormat

from app.look.text_layout import words_of

ABOVE_TRANSLATION = 0.0
_BELOW, _BELOW_TRANSLATION = 0.45, 0.7  # space beneath a paragraph, in lines
_LINE_HEIGHT_PERCENT = 128


def paragraph(line_pixels: int, below: float = _BELOW) -> QTextBlockFormat:
    """Return the format of a caption, with `below` lines of space beneath."""
    style = QTextBlockFormat()
    style.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    style.setBottomMargin(line_pixels * below)
    return style


def translated_paragraph(line_pixels: int, language: str) -> QTextBlockFormat:
    """Return the format of a translation, in the direction of its language."""
    style = paragraph(line_pixels, _BELOW_TRANSLATION)
    style.setLayoutDirection(direction(language))
    return style


def direction(language: str) -> Qt.LayoutDirection:
    """Return the text direction of a language."""
    return QLocale(language).textDirection()


def units(text: str) -> int:
    """Return the length of text in UTF-16 units, as Qt counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def shared_length(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def changed_parts(before: str, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text that stand in an earlier one too, and those that do not, with whether they are new."""
    old, new = ([word.strip() for word in words_of(each)] for each in (before, text))
    words = words_of(text)
    for tag, _, _, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        part = "".join(words[begin:end])
        if tag == "equal" or not part:
            yield part, False
        else:
            space = part[: len(part) - len(part.lstrip())]
            yield space, False
            yield part[len(space) :], True
