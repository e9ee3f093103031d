"""The look of a kept transcript's lines: their paragraphs, and their letters."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtGui import QFont, QPalette, QTextBlockFormat, QTextCharFormat, QTextCursor

from app.history.transcript.transcript_lines import Line, LineOrigin
from app.look.speaker_colours import speaker_colour

_LINE_HEIGHT_PERCENT = 125
_BELOW = {LineOrigin.SPOKEN: 0.5, LineOrigin.TRANSLATED: 0.7, LineOrigin.ASKED: 0.35, LineOrigin.ANSWERED: 0.9}
_COLOURS = {LineOrigin.TRANSLATED: QPalette.ColorRole.LinkVisited}


def paragraph_of(line: Line, following: Line | None, line_pixels: int) -> QTextBlockFormat:
    """Return a line's paragraph format: a translation stands close below its line."""
    translated = following is not None and following.voice is LineOrigin.TRANSLATED
    below = 0.0 if line.voice is LineOrigin.SPOKEN and translated else line_pixels * _BELOW[line.voice]
    style = QTextBlockFormat()
    style.setLineHeight(_LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    style.setBottomMargin(below)
    if line.language:
        style.setLayoutDirection(QLocale(line.language).textDirection())
    return style


def write_line(cursor: QTextCursor, line: Line, palette: QPalette) -> None:
    """Write a line's text at a cursor, with the speaker's name in bold, in the speaker's colour."""
    look = QTextCharFormat()
    role = QPalette.ColorRole.Dark if line.is_outdated else _COLOURS.get(line.voice, QPalette.ColorRole.Text)
    look.setForeground(palette.brush(role))
    if line.voice is LineOrigin.ASKED:
        look.setFontWeight(QFont.Weight.DemiBold)
    if line.named:
        name = QTextCharFormat(look)
        name.setFontWeight(QFont.Weight.DemiBold)
        if line.speaker is not None:
            name.setForeground(speaker_colour(line.speaker, palette))
        cursor.insertText(line.text[: line.named], name)
    cursor.insertText(line.text[line.named :], look)
