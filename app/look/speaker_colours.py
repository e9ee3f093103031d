"""The colours of speakers' names, for every look. A name is written out, too: no colour stands alone."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

SPEAKER_COLOURS: dict[str, tuple[str, ...]] = {
    "light": ("#1F5FBF", "#9A4308", "#7A2FA3", "#0B6E5F", "#A8235F", "#556400"),
    "dark": ("#8AB8FF", "#FFB27A", "#D6A2FF", "#6FDCC6", "#FF9CC4", "#C2D65A"),
    "contrast light": ("#0B3B8C", "#702A00", "#5A1480", "#004A3F", "#7A0D42", "#374200"),
    "contrast dark": ("#A8CBFF", "#FFC59A", "#E2BDFF", "#8AF0DA", "#FFB8D6", "#DCEB8A"),
}
"""Colours of each look; a speaker beyond the last begins again with the first."""


def speaker_colour(number: int, palette: QPalette) -> QColor:
    """Return the colour of the name of a speaker, numbered from 0 in the order in which they first speak."""
    text = palette.color(QPalette.ColorRole.Text)
    look = "dark" if text.lightness() > palette.color(QPalette.ColorRole.Base).lightness() else "light"
    if text.name().upper() in ("#000000", "#FFFFFF"):
        look = f"contrast {look}"
    colours = SPEAKER_COLOURS[look]
    return QColor(colours[number % len(colours)])
