"""Numbers as the language of the window writes them."""

from __future__ import annotations

from PySide6.QtCore import QLocale


def decimal(value: float, digits: int) -> str:
    """Write a number with so many digits after the point, or the comma."""
    return QLocale().toString(float(value), "f", digits)


def shortest(value: float) -> str:
    """Write a number with as few digits as say it: 0.5, 2."""
    return QLocale().toString(float(value), "g", 6)
