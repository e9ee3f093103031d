"""Colours that can be read, icons that are there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme import DARK, LIGHT, RESOURCES, Colours, Theme, caption_font

READABLE = 4.5
READABLE_WHEN_LARGE = 3.0
ICONS = sorted(path.stem for path in (RESOURCES / "icons").glob("*.svg"))


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp)
    yield made
    made.follow(Qt.ColorScheme.Light)


def contrast(one: str, other: str) -> float:
    """The ratio that WCAG 2 defines."""

    def luminance(colour: str) -> float:
        parts = (QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF())
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground", "least"),
    [
        ("text", "surface", READABLE),
        ("text", "window", READABLE),
        ("text", "raised", READABLE),
        ("text", "hover", READABLE),
        ("text", "notice", READABLE),
        ("text", "selection", READABLE),
        ("quiet", "surface", READABLE),
        ("quiet", "window", READABLE),
        ("quiet", "border", READABLE),
        ("surface", "quiet", READABLE),
        ("pending", "surface", READABLE),
        ("pending", "selection", READABLE_WHEN_LARGE),
        ("translation", "surface", READABLE),
        ("translation", "selection", READABLE),
        ("on_accent", "accent", READABLE),
        ("on_accent", "accent_hover", READABLE),
        ("on_stop", "stop", READABLE),
        ("on_stop", "stop_hover", READABLE),
        ("accent", "surface", READABLE_WHEN_LARGE),
        ("accent", "window", READABLE_WHEN_LARGE),
    ],
)
def test_text_stands_out_from_its_ground(colours: Colours, text: str, ground: str, least: float) -> None:
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= least


def test_every_colour_is_one(qapp: QApplication) -> None:
    for colours in (LIGHT, DARK):
        assert all(QColor(value).isValid() for value in asdict(colours).values())


def test_the_look_follows_the_system(theme: Theme, qapp: QApplication, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.follow(Qt.ColorScheme.Dark)
    assert theme.is_dark
    assert qapp.palette().window().color() == QColor(DARK.window)
    with qtbot.waitSignal(theme.changed):
        theme.follow(Qt.ColorScheme.Unknown)
    assert not theme.is_dark


@pytest.mark.parametrize("name", ICONS)
def test_icons_take_the_theme_s_colour(theme: Theme, name: str) -> None:
    theme.follow(Qt.ColorScheme.Dark)
    image = theme.icon(name, "accent").pixmap(24, 24).toImage()
    strongest = max(
        (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())), key=QColor.alpha
    )
    assert strongest.alpha() > 200
    if "currentColor" in (Path(RESOURCES) / "icons" / f"{name}.svg").read_text():
        wanted = QColor(DARK.accent)
        assert abs(strongest.red() - wanted.red()) + abs(strongest.green() - wanted.green()) < 12


def test_the_app_has_an_icon(theme: Theme, qapp: QApplication) -> None:
    assert not qapp.windowIcon().pixmap(64, 64).isNull()


def test_captions_are_set_in_the_system_s_font_with_fonts_for_other_scripts_behind(qapp: QApplication) -> None:
    families = caption_font(19).families()
    assert families[0] != "Noto Sans CJK JP"
    assert {"Noto Sans CJK JP", "Hiragino Sans", "Noto Sans Arabic"} <= set(families)
