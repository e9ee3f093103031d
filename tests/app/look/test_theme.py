"""Colours that can be read, icons that are there."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QLineEdit,
    QProxyStyle,
    QSpinBox,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QStyleOptionFrame,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.look import theme as theme_module
from app.look.speaker_colours import SPEAKER_COLOURS, speaker_colour
from app.look.theme import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, RESOURCES, Colours, Theme, caption_font
from app.preferences.preferences import Look
from app.transcript.speaker_dialog import SpeakerDialog

READABLE = 4.5
READABLE_WHEN_LARGE = 3.0
READABLE_IN_CONTRAST, LARGE_IN_CONTRAST = 7.0, 4.5
LOOKS = {"light": LIGHT, "dark": DARK, "contrast light": CONTRAST_LIGHT, "contrast dark": CONTRAST_DARK}
ICONS = sorted(path.stem for path in (RESOURCES / "icons").glob("*.svg"))


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme(qapp)
    yield made
    made.choose("system")
    made.follow(Qt.ColorScheme.Light)


def contrast(one: str, other: str) -> float:
    """Return the ratio that WCAG 2 defines."""

    def luminance(colour: str) -> float:
        parts = (QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF())
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize(
    ("text", "ground", "least"),
    [
        ("text", "surface", READABLE),
        ("text", "window", READABLE),
        ("text", "raised", READABLE),
        ("text", "hover", READABLE),
        ("text", "notice", READABLE),
        ("text", "selection", READABLE),
        ("text", "rail", READABLE),
        ("quiet", "rail", READABLE),
        ("quiet", "raised", READABLE),
        ("quiet", "hover", READABLE),
        ("translation", "raised", READABLE),
        ("stop", "raised", READABLE),
        ("stop", "window", READABLE),
        ("quiet", "surface", READABLE),
        ("quiet", "window", READABLE),
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
def test_text_stands_out_from_its_ground(look: str, text: str, ground: str, least: float) -> None:
    colours = LOOKS[look]
    if look.startswith("contrast"):
        least = READABLE_IN_CONTRAST if least == READABLE else LARGE_IN_CONTRAST
    assert contrast(getattr(colours, text), getattr(colours, ground)) >= least


@pytest.mark.parametrize("colours", [CONTRAST_LIGHT, CONTRAST_DARK], ids=["light", "dark"])
def test_in_high_contrast_lines_around_controls_stand_out(colours: Colours) -> None:
    for ground in (colours.window, colours.raised, colours.surface):
        assert contrast(colours.border, ground) >= LARGE_IN_CONTRAST


def test_every_colour_is_one(qapp: QApplication) -> None:
    for colours in LOOKS.values():
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


def test_the_person_s_choice_stands_above_the_system_s(theme: Theme, qapp: QApplication, qtbot: QtBot) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    assert theme.colours is DARK
    theme.follow(Qt.ColorScheme.Light)
    assert theme.colours is DARK
    theme.choose("contrast")
    theme.follow(Qt.ColorScheme.Dark)
    assert theme.colours is CONTRAST_DARK
    assert theme.is_dark and theme.is_contrast
    theme.follow(Qt.ColorScheme.Light)
    assert theme.colours is CONTRAST_LIGHT
    theme.choose("system")
    theme.follow(Qt.ColorScheme.Light)
    assert theme.colours is LIGHT


def test_themes_can_follow_each_other(qapp: QApplication) -> None:
    for _ in range(3):
        Theme(qapp).choose("contrast")
        gc.collect()
    Theme(qapp).choose("light")


@pytest.mark.parametrize("look", ["light", "dark", "contrast"])
def test_the_style_sheet_is_understood_and_all_its_drawings_are_there(
    theme: Theme, qapp: QApplication, qtbot: QtBot, look: Look
) -> None:
    theme.choose(look)
    sheet = qapp.styleSheet()
    for name in re.findall(r'url\("([^"]*)"\)', sheet):
        assert Path(name).is_file()
    spin = QSpinBox()  # Qt warns of a sheet it cannot parse when the first widget takes it, and warnings fail
    qtbot.addWidget(spin)
    spin.show()
    assert spin.lineEdit().alignment() == Qt.AlignmentFlag.AlignCenter


def test_an_icon_has_another_colour_where_it_is_checked(theme: Theme) -> None:
    icon = theme.icon("info", "quiet", checked="accent")
    off, on = (
        icon.pixmap(QSize(24, 24), QIcon.Mode.Normal, state).toImage() for state in (QIcon.State.Off, QIcon.State.On)
    )
    assert off != on


def test_a_hint_in_an_empty_field_can_be_read(theme: Theme, qtbot: QtBot) -> None:
    theme.choose("contrast")
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    assert field.palette().placeholderText().color() == QColor(theme.colours.pending)


def test_a_name_that_is_typed_into_a_list_has_room_while_it_has_the_focus(theme: Theme, qtbot: QtBot) -> None:
    theme.choose("light")
    dialog = SpeakerDialog(["You", "Call"], ["You"])
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.name.hasFocus)
    field = dialog.name.lineEdit()
    assert field is not None and field.hasFocus()
    option = QStyleOptionFrame()
    field.initStyleOption(option)
    room = field.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, field)
    assert room.height() >= field.fontMetrics().height()


class IconsWanted(QProxyStyle):
    """A desktop that wants icons on the buttons of dialogs."""

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        if hint is QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons:
            return 1
        return super().styleHint(hint, option, widget, returnData)


def test_buttons_of_dialogs_have_no_stock_icons_even_where_the_desktop_wants_them(theme: Theme, qtbot: QtBot) -> None:
    theme.choose("light")
    style, box = IconsWanted("Fusion"), QDialogButtonBox()
    qtbot.addWidget(box)
    box.setStyle(style)
    for kind in (QDialogButtonBox.StandardButton.Cancel, QDialogButtonBox.StandardButton.Close):
        assert box.addButton(kind).icon().isNull()


def test_l1_on_a_mac_no_font_is_looked_for_that_no_mac_has(monkeypatch: pytest.MonkeyPatch, qapp: QApplication) -> None:
    """Mac review L1: Qt would go through the names of all fonts, with the window standing still."""
    here = caption_font(20).families()
    monkeypatch.setattr(theme_module.sys, "platform", "darwin")
    mac = caption_font(20).families()
    assert [each for each in here if each not in mac] == [
        *("Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans CJK KR", "Noto Sans Arabic"),
        *("Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "DejaVu Sans"),
    ]
    assert "Hiragino Sans" in mac


@pytest.mark.parametrize(
    ("platform", "bundled", "taken"), [("linux", True, True), ("darwin", False, True), ("darwin", True, False)]
)
def test_l8_the_icon_of_a_bundle_stays_in_the_dock(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication, platform: str, bundled: bool, taken: bool
) -> None:
    """Mac review L8: the drawing alone would take the place of the icon that macOS gives its shape."""
    monkeypatch.setattr(theme_module.sys, "platform", platform)
    monkeypatch.setattr(theme_module, "is_bundle", lambda: bundled)
    qapp.setWindowIcon(QIcon())
    Theme(qapp)
    assert qapp.windowIcon().isNull() is not taken


@pytest.mark.parametrize("look", LOOKS)
def test_names_of_speakers_stand_out_from_their_ground_and_from_each_other(look: str) -> None:
    colours, names = LOOKS[look], SPEAKER_COLOURS[look]
    least = READABLE_IN_CONTRAST if look.startswith("contrast") else READABLE
    assert min(contrast(name, colours.surface) for name in names) >= least
    assert len(set(names)) == len(names) >= 6


@pytest.mark.parametrize("look", LOOKS)
def test_a_speaker_has_the_colour_of_the_look(theme: Theme, look: str) -> None:
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, QColor(LOOKS[look].text))
    palette.setColor(QPalette.ColorRole.Base, QColor(LOOKS[look].surface))
    names = [speaker_colour(number, palette).name().upper() for number in range(7)]
    assert names == [*SPEAKER_COLOURS[look], SPEAKER_COLOURS[look][0]]
