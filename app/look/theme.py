"""The theme: icons and style sheet in the colours of a look, the user's or the system's."""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from app.look.colours import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Colours
from app.look.style_sheet import style_sheet
from app.preferences.preferences import Look
from app.preferences.program import is_bundle

__all__ = ["CONTRAST_DARK", "CONTRAST_LIGHT", "DARK", "LIGHT", "RESOURCES", "Colours", "Theme"]

RESOURCES = Path(__file__).resolve().parents[2] / "resources"
ICON_SIZES = (16, 20, 24, 32, 48)
SHAPE_SIZES = (18, 36, 40, 44)
"""Icon heights in macOS's menu bar, in pixels: older and newer menu bars, at plain and high resolution."""

PLAIN_LINE_PIXELS, CONTRAST_LINE_PIXELS = 1, 2
_LINE_PIXELS = 17  # usual height of a line of text


class Theme(QObject):
    """The look of the whole app, and its change with the user's choice or the system's look.

    Attributes:
        app_icon: Earshot's own.
        look: the user's choice; "system" follows the system, in light and dark and in contrast.

    Signals:
        changed: the colours have changed; icons have to be fetched again.
    """

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self.look: Look = "system"
        self.colours = LIGHT
        self._icons: dict[tuple[str, str, str | None], QIcon] = {}
        if not app.styleSheet():
            app.setStyle("Fusion")  # the same shapes on all systems, with our colours
        self.app_icon = QIcon(str(RESOURCES / "earshot.svg"))
        if sys.platform != "darwin" or not is_bundle():  # the Dock shows the bundle's own icon
            app.setWindowIcon(self.app_icon)
        self._hints = app.styleHints()
        self._contrast_hints = self._hints.accessibility()  # both are kept: this one is invalid once the first is freed
        self._hints.colorSchemeChanged.connect(self.follow)
        self._contrast_hints.contrastPreferenceChanged.connect(self._follow_contrast)
        self.follow(self._hints.colorScheme())

    @property
    def is_dark(self) -> bool:
        return self.colours in (DARK, CONTRAST_DARK)

    @property
    def is_contrast(self) -> bool:
        return self.colours in (CONTRAST_LIGHT, CONTRAST_DARK)

    def choose(self, look: Look) -> None:
        """Set the user's choice; the system's own parts, such as a window's title, follow it."""
        self.look = look
        if look in ("light", "dark"):
            self._hints.setColorScheme(Qt.ColorScheme.Dark if look == "dark" else Qt.ColorScheme.Light)
        else:
            self._hints.unsetColorScheme()
        self.follow(self._hints.colorScheme())

    def follow(self, scheme: Qt.ColorScheme) -> None:
        """Follow the system's scheme unless the user chose a look; light if the system has none."""
        self._show(self._colours_for(scheme))

    def icon(self, name: str, role: str = "text", checked: str | None = None) -> QIcon:
        """Return an icon in the colour of a role; pale if disabled, in the `checked` colour if checked."""
        known = name, role, checked
        if known not in self._icons:
            self._icons[known] = self._drawn(name, role, checked)
        return self._icons[known]

    def shape(self, name: str) -> QIcon:
        """Return one of our icons as a mask, which the system colours."""
        icon = QIcon()
        for size in SHAPE_SIZES:
            icon.addPixmap(_tinted(name, "black", size))
        icon.setIsMask(True)
        return icon

    def _drawn(self, name: str, role: str, checked: str | None) -> QIcon:
        colours = asdict(self.colours)
        icon = QIcon()
        for size in ICON_SIZES:
            icon.addPixmap(_tinted(name, colours[role], size), QIcon.Mode.Normal)
            icon.addPixmap(_tinted(name, colours["pending"], size), QIcon.Mode.Disabled)
            if checked is not None:
                icon.addPixmap(_tinted(name, colours[checked], size), QIcon.Mode.Normal, QIcon.State.On)
        return icon

    def _colours_for(self, scheme: Qt.ColorScheme) -> Colours:
        dark = scheme == Qt.ColorScheme.Dark
        if self.look in ("light", "dark"):
            return DARK if self.look == "dark" else LIGHT
        preference = self._contrast_hints.contrastPreference()
        if self.look == "contrast" or preference == Qt.ContrastPreference.HighContrast:
            return CONTRAST_DARK if dark else CONTRAST_LIGHT
        return DARK if dark else LIGHT

    def _follow_contrast(self) -> None:
        self.follow(self._hints.colorScheme())

    def _show(self, colours: Colours) -> None:
        self.colours = colours
        line_pixels = CONTRAST_LINE_PIXELS if self.is_contrast else PLAIN_LINE_PIXELS
        points = self._app.font().pointSizeF()
        sheet = style_sheet(colours, RESOURCES / "icons", self.is_dark, points, line_pixels)
        if sheet == self._app.styleSheet():
            return  # Qt would lay out every window again
        self._icons.clear()
        self._app.setPalette(_palette(colours))
        self._app.setStyleSheet(sheet)
        self.changed.emit()


def caption_font(points: float) -> QFont:
    """Return the font of captions: the system's own, then fonts that cover other scripts."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    own = font.families() or [font.family()]
    # On a Mac, Qt searches missing fonts among the font names in all languages, which delays the window.
    others = [each for each in _OTHER_SCRIPTS if sys.platform != "darwin" or not each.startswith(_NOT_ON_A_MAC)]
    font.setFamilies([*own, *others])
    font.setPointSizeF(points)
    return font


def as_letters_grow(pixels: int) -> int:
    """Scale a length for usual letters to the system's text size."""
    return round(pixels * max(1.0, QFontMetrics(QFont()).height() / _LINE_PIXELS))


def figures_font() -> QFont:
    """Return the interface font with digits of equal width, so that running numbers do not jitter."""
    font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


_NOT_ON_A_MAC = ("Noto ", "DejaVu ")

# Japanese before Chinese, since kana occur in Japanese alone and Han characters are then drawn its way.
_OTHER_SCRIPTS = [
    "Noto Sans",
    "Hiragino Sans",
    "Noto Sans CJK JP",
    "PingFang SC",
    "Noto Sans CJK SC",
    "Apple SD Gothic Neo",
    "Noto Sans CJK KR",
    "Geeza Pro",
    "Noto Sans Arabic",
    "Arial Hebrew",
    "Noto Sans Hebrew",
    "Kohinoor Devanagari",
    "Noto Sans Devanagari",
    "Thonburi",
    "Noto Sans Thai",
    "DejaVu Sans",
]


@cache
def _drawing(name: str) -> str:
    return (RESOURCES / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def _tinted(name: str, colour: str, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode())).render(painter)
    painter.end()
    return pixmap


def _palette(colours: Colours) -> QPalette:
    roles = {
        QPalette.ColorRole.Window: colours.window,
        QPalette.ColorRole.WindowText: colours.text,
        QPalette.ColorRole.Base: colours.surface,
        QPalette.ColorRole.AlternateBase: colours.window,
        QPalette.ColorRole.Text: colours.text,
        QPalette.ColorRole.PlaceholderText: colours.pending,
        QPalette.ColorRole.Button: colours.raised,
        QPalette.ColorRole.ButtonText: colours.text,
        QPalette.ColorRole.ToolTipBase: colours.raised,
        QPalette.ColorRole.ToolTipText: colours.text,
        QPalette.ColorRole.Highlight: colours.selection,
        QPalette.ColorRole.HighlightedText: colours.text,
        QPalette.ColorRole.Accent: colours.accent,
        QPalette.ColorRole.BrightText: colours.on_accent,
        QPalette.ColorRole.Link: colours.accent,
        QPalette.ColorRole.LinkVisited: colours.translation,
        QPalette.ColorRole.Mid: colours.border,
        QPalette.ColorRole.Dark: colours.quiet,
    }
    palette = QPalette()
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.pending))
    return palette
