"""Numbers in the notation of the window's language."""

from __future__ import annotations

from PySide6.QtCore import QLocale


def decimal(value: float, digits: int) -> str:
    """Format a number with `digits` decimals."""
    return QLocale().toString(float(value), "f", digits)


def shortest(value: float) -> str:
    """Format a number with as few digits as possible: 0.5, 2."""
    return QLocale().toString(float(value), "g", 6)
