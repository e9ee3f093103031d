"""Colours of the overlay that are readable on any background."""

from __future__ import annotations

from PySide6.QtGui import QColor

READABLE = 4.5
"""Least contrast of text with its background (WCAG 2, AA)."""

_MOST_DIMMED, _DIM_STEPS = 0.45, 9


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio of WCAG 2, 1 to 21."""
    return _ratio(luminance(one), luminance(other))


def luminance(colour: QColor) -> float:
    """Return the relative luminance of WCAG 2, 0 to 1."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def least_contrast(text: QColor, background: QColor, opacity: float) -> float:
    """Return the contrast of text on a translucent background, with the worst colour behind it."""
    darkest = luminance(mixed(QColor("black"), background, opacity))
    lightest = luminance(mixed(QColor("white"), background, opacity))
    own = luminance(text)
    if darkest <= own <= lightest:
        return 1.0
    return min(_ratio(own, darkest), _ratio(own, lightest))


def outline(text: QColor, background: QColor, opacity: float) -> QColor | None:
    """Return the outline colour that makes text readable; None if the background is enough."""
    if least_contrast(text, background, opacity) >= READABLE:
        return None
    return max((QColor("black"), QColor("white")), key=lambda edge: contrast(text, edge))


def dimmed(text: QColor, background: QColor, opacity: float) -> QColor:
    """Return the colour of pending words: blended with the background as far as it stays readable."""
    edge = outline(text, background, opacity)
    ground, cover = (background, opacity) if edge is None else (edge, 1.0)
    for step in range(_DIM_STEPS, 0, -1):
        colour = mixed(text, ground, _MOST_DIMMED * step / _DIM_STEPS)
        if least_contrast(colour, ground, cover) >= READABLE:
            return colour
    return text


def mixed(below: QColor, above: QColor, share: float) -> QColor:
    """Blend a share of one colour over another."""
    pairs = zip(below.getRgbF()[:3], above.getRgbF()[:3], strict=True)  # type: ignore[index]
    return QColor.fromRgbF(*(low + (high - low) * share for low, high in pairs))


def _ratio(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
