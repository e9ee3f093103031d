"""Colours of the overlay that can be read whatever is behind it."""

from __future__ import annotations

from PySide6.QtGui import QColor

READABLE = 4.5
"""The least contrast of text with what it stands on (WCAG 2, AA)."""

_MOST_DIMMED, _DIM_STEPS = 0.45, 9


def contrast(one: QColor, other: QColor) -> float:
    """The ratio that WCAG 2 defines, 1 to 21."""
    return _ratio(luminance(one), luminance(other))


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG 2 defines it, 0 to 1."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def least_contrast(text: QColor, background: QColor, opacity: float) -> float:
    """The contrast of text on a background through which the worst that may be behind it shines."""
    darkest = luminance(mixed(QColor("black"), background, opacity))
    lightest = luminance(mixed(QColor("white"), background, opacity))
    own = luminance(text)
    if darkest <= own <= lightest:
        return 1.0
    return min(_ratio(own, darkest), _ratio(own, lightest))


def outline(text: QColor, background: QColor, opacity: float) -> QColor | None:
    """Return what the letters must be edged with to be read; None where the background does."""
    if least_contrast(text, background, opacity) >= READABLE:
        return None
    return max((QColor("black"), QColor("white")), key=lambda edge: contrast(text, edge))


def dimmed(text: QColor, background: QColor, opacity: float) -> QColor:
    """The colour of words that may still change: nearer to what is behind them, as far as they can still be read."""
    edge = outline(text, background, opacity)
    ground, cover = (background, opacity) if edge is None else (edge, 1.0)
    for step in range(_DIM_STEPS, 0, -1):
        colour = mixed(text, ground, _MOST_DIMMED * step / _DIM_STEPS)
        if least_contrast(colour, ground, cover) >= READABLE:
            return colour
    return text


def mixed(below: QColor, above: QColor, share: float) -> QColor:
    """So much of one colour laid over another."""
    pairs = zip(below.getRgbF()[:3], above.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(low + (high - low) * share for low, high in pairs))


def _ratio(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
