"""Colours of the overlay that can be read on any background."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from app.overlay.overlay_colours import READABLE, contrast, dimmed, least_contrast, mixed, outline
from app.preferences.preferences import OverlayOptions

USUAL = OverlayOptions()
GROUNDS = [QColor(level, level, level) for level in range(0, 256, 5)]


def worst(text: QColor, background: QColor, opacity: float) -> float:
    return min(contrast(text, mixed(behind, background, opacity)) for behind in GROUNDS)


def test_the_usual_colours_need_no_outline() -> None:
    for colour in (USUAL.text, USUAL.translation):
        text, background = QColor(colour), QColor(USUAL.background)
        assert outline(text, background, USUAL.opacity) is None
        assert worst(text, background, USUAL.opacity) >= READABLE
        assert worst(dimmed(text, background, USUAL.opacity), background, USUAL.opacity) >= READABLE
        assert dimmed(text, background, USUAL.opacity) != text


@pytest.mark.parametrize("opacity", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("text", ["#FFFFFF", "#9FE8E0", "#FFD54A", "#808080", "#B00020", "#101214"])
@pytest.mark.parametrize("background", ["#101214", "#FFFFFF", "#0A4C9C"])
def test_any_choice_of_colours_can_be_read(text: str, background: str, opacity: float) -> None:
    colour, ground = QColor(text), QColor(background)
    edge = outline(colour, ground, opacity)
    pending = dimmed(colour, ground, opacity)
    if edge is None:
        assert worst(colour, ground, opacity) >= READABLE
        assert worst(pending, ground, opacity) >= READABLE
    else:
        assert contrast(colour, edge) >= READABLE
        assert contrast(pending, edge) >= READABLE


def test_text_in_the_middle_of_what_may_be_behind_it_has_no_contrast() -> None:
    assert least_contrast(QColor("#808080"), QColor("#000000"), 0.0) == 1.0
