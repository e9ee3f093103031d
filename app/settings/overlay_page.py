"""Settings of the overlay, with a sample that follows them."""

from __future__ import annotations

import os

from PySide6.QtGui import QFontDatabase

from app.overlay.layer_shell import layer_shell
from app.overlay.overlay_desktop import has_x11, is_wayland
from app.overlay.overlay_sample import OverlaySample
from app.preferences.preferences import MOST_OVERLAY_LINES, Preferences
from app.preferences.settings import Settings
from app.settings.colour_row import ColourRow
from app.settings.page import SettingsPage
from app.widgets.rows import ChoiceRow, NumberRow, Scale, SliderRow, SwitchRow

LEAST_OVERLAY_POINTS, MOST_OVERLAY_POINTS = 10, 96


class OverlaySettings(SettingsPage):
    """The page of the overlay's settings.

    Attributes:
        sample: the overlay with these settings.
    """

    def __init__(self, title: str, settings: Settings) -> None:
        introduction = self.tr("Captions in a box of their own, above all other windows.")
        super().__init__(settings, title, introduction)
        self.sample = OverlaySample(settings.preferences.overlay)
        edge = ChoiceRow(
            settings,
            "overlay.edge",
            self.tr("&Place"),
            self.tr("Of the screen; it can be dragged anywhere else."),
            (("bottom", self.tr("Bottom")), ("top", self.tr("Top"))),
        )
        self.card("", SwitchRow(settings, "overlay.shown", self.tr("&Show the overlay")), self.sample, edge)
        if is_wayland(os.environ):
            self.card(self.tr("Wayland"), self._through_x11(settings))
        self.card(self.tr("Text"), *self._text(settings))
        self.card(self.tr("Colours"), *self._colours(settings))
        through = SwitchRow(
            settings,
            "overlay.click_through",
            self.tr("Clicks &go through it"),
            self.tr("To the window behind. Turn it off here or in the menu to move the overlay again."),
        )
        self.card(self.tr("Mouse"), through)

    def _through_x11(self, settings: Settings) -> SwitchRow:
        can = has_x11(os.environ)
        what = self.tr(
            "Otherwise the desktop decides what covers it. Earshot then goes through XWayland, where letters may be "
            "less sharp on scaled screens. Takes effect the next time Earshot starts."
        )
        if layer_shell() is not None:
            what = self.tr("Not needed here: this desktop keeps the overlay above all windows, and in its place.")
        elif not can:
            what = self.tr("This desktop has no XWayland: it decides where the overlay stands and what covers it.")
        row = SwitchRow(settings, "overlay.through_x11", self.tr("Always on top, where I p&ut it"), what)
        row.needs = lambda _: can
        return row

    def show_preferences(self, preferences: Preferences) -> None:
        super().show_preferences(preferences)
        self.sample.show_overlay(preferences.overlay)

    def _text(self, settings: Settings) -> tuple[ChoiceRow, ChoiceRow, SliderRow, NumberRow, SwitchRow]:
        languages = ChoiceRow(
            settings,
            "overlay.languages",
            self.tr("&Languages"),
            "",
            (
                ("both", self.tr("Spoken and translated")),
                ("spoken", self.tr("What is spoken")),
                ("translation", self.tr("The translation")),
            ),
        )
        families = (family for family in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(family))
        font = ChoiceRow(
            settings,
            "overlay.font",
            self.tr("&Font"),
            "",
            (("", self.tr("Same as system")), *((family, family) for family in families)),
        )
        size = SliderRow(
            settings,
            "overlay.points",
            self.tr("Text si&ze"),
            "",
            Scale(LEAST_OVERLAY_POINTS, MOST_OVERLAY_POINTS, 1),
            lambda points: self.tr("{:.0f} points").format(points),
        )
        lines = NumberRow(
            settings,
            "overlay.lines",
            self.tr("Li&nes"),
            self.tr("Per language. Two are easiest to read."),
            1,
            MOST_OVERLAY_LINES,
        )
        stays = SwitchRow(
            settings,
            "overlay.stays",
            self.tr("&Keep the last words until new ones come"),
            self.tr("When off, they fade once there was time to read them."),
        )
        return languages, font, size, lines, stays

    def _colours(self, settings: Settings) -> tuple[ColourRow, ColourRow, ColourRow, SliderRow]:
        text = ColourRow(settings, "overlay.text", self.tr("&Text"))
        translation = ColourRow(settings, "overlay.translation", self.tr("T&ranslation"))
        background = ColourRow(settings, "overlay.background", self.tr("&Background"))
        opacity = SliderRow(
            settings,
            "overlay.opacity",
            self.tr("&Opacity of the background"),
            self.tr("Letters keep an outline, so that they can be read on any background."),
            Scale(0, 1, 0.05),
            lambda share: self.tr("{:.0f}%").format(100 * share),
        )
        return text, translation, background, opacity
