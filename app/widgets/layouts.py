"""Rows and columns of widgets, built in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QMargins, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget


@dataclass(frozen=True, slots=True)
class Stretch:
    """Flexible space, by its share of the remaining width or height."""

    share: int = 0


@dataclass(frozen=True, slots=True)
class Spacing:
    """Fixed space, in pixels."""

    pixels: int


Item = QWidget | QLayout
Part = Item | Stretch | Spacing | tuple[Item, int] | tuple[QWidget, int, Qt.AlignmentFlag]
"""A part of a layout: an item, optionally with its share of the remaining space and its alignment, or space."""

Margins = int | tuple[int, int, int, int] | QMargins
"""Margins: the same on all sides, or left, top, right and bottom."""

Box = TypeVar("Box", bound=QBoxLayout)


def in_row(
    *parts: Part, on: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QHBoxLayout:
    """Lay parts out beside each other, optionally on a widget; margins and spacing default to the style's."""
    return _filled(QHBoxLayout() if on is None else QHBoxLayout(on), parts, margins, spacing)


def in_column(
    *parts: Part, on: QWidget | None = None, margins: Margins | None = None, spacing: int | None = None
) -> QVBoxLayout:
    """Lay parts out below each other; see `in_row`."""
    return _filled(QVBoxLayout() if on is None else QVBoxLayout(on), parts, margins, spacing)


def _filled(box: Box, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None) -> Box:
    if margins is not None:
        sides = (margins,) * 4 if isinstance(margins, int) else margins
        box.setContentsMargins(sides if isinstance(sides, QMargins) else QMargins(*sides))
    if spacing is not None:
        box.setSpacing(spacing)
    for part in parts:
        match part:
            case Stretch():
                box.addStretch(part.share)
            case Spacing():
                box.addSpacing(part.pixels)
            case QWidget():
                box.addWidget(part)
            case QLayout():
                box.addLayout(part)
            case (QLayout() as layout, int() as share):
                box.addLayout(layout, share)
            case (QWidget() as widget, int() as share, *place):
                box.addWidget(widget, share, *place)
    return box
