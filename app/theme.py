"""How Earshot looks: colours in one table, icons and the style sheet made from them; light or dark as the system is.

Every text colour keeps at least 4.5:1 contrast with what it stands on (a test measures it).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
ICON_SIZES = (16, 20, 24, 32, 48)


@dataclass(frozen=True, slots=True)
class Colours:
    """One look, by role.

    Attributes:
        window: behind controls.
        surface: behind captions.
        raised: buttons, fields, menus.
        hover: a control under the pointer.
        border: lines between areas and around controls.
        text: what is to be read.
        quiet: labels, times, figures.
        pending: words that may still change.
        translation: what captions are translated to.
        accent, on_accent: the main button, focus, the level; what stands on it.
        accent_hover: the main button under the pointer.
        stop, on_stop, stop_hover: the button that ends a recording.
        waiting, broken: the light beside the state, when something takes time and when it is over.
        notice, notice_border: behind a message.
        selection: behind selected captions.
    """

    window: str
    surface: str
    raised: str
    hover: str
    border: str
    text: str
    quiet: str
    pending: str
    translation: str
    accent: str
    on_accent: str
    accent_hover: str
    stop: str
    on_stop: str
    stop_hover: str
    waiting: str
    broken: str
    notice: str
    notice_border: str
    selection: str


LIGHT = Colours(
    window="#F4F5F7",
    surface="#FFFFFF",
    raised="#FFFFFF",
    hover="#ECEEF1",
    border="#DADEE4",
    text="#15181D",
    quiet="#565F6D",
    pending="#6A7380",
    translation="#0A6660",
    accent="#0B756F",
    on_accent="#FFFFFF",
    accent_hover="#095F5A",
    stop="#B9302B",
    on_stop="#FFFFFF",
    stop_hover="#9C2621",
    waiting="#C98A16",
    broken="#CF3A35",
    notice="#FFF7E3",
    notice_border="#EBD294",
    selection="#D3EFEC",
)
DARK = Colours(
    window="#1A1D21",
    surface="#121417",
    raised="#24282E",
    hover="#2E333A",
    border="#343A42",
    text="#F1F3F5",
    quiet="#A3ACB8",
    pending="#8E98A6",
    translation="#7AD6CC",
    accent="#3CC4B8",
    on_accent="#06211F",
    accent_hover="#5AD3C8",
    stop="#F2766F",
    on_stop="#2A0705",
    stop_hover="#F78F89",
    waiting="#E0A63E",
    broken="#F2766F",
    notice="#332B16",
    notice_border="#5F5127",
    selection="#173F3C",
)

_SHEET = """
QMainWindow, QDialog, QWidget#bar {{ background: {window}; }}
QWidget#header {{ background: {window}; border-bottom: 1px solid {border}; }}
QWidget#transport {{ background: {window}; border-top: 1px solid {border}; }}
QStackedWidget#stage, QWidget#empty, QTextEdit#captions {{ background: {surface}; border: none; }}

QMenuBar {{ background: {window}; color: {text}; padding: 2px 8px; }}
QMenuBar::item {{ padding: 5px 10px; border-radius: 6px; background: transparent; }}
QMenuBar::item:selected {{ background: {hover}; }}
QMenu {{ background: {raised}; color: {text}; border: 1px solid {border}; padding: 6px; }}
QMenu::item {{ padding: 6px 28px 6px 14px; border-radius: 5px; }}
QMenu::item:selected {{ background: {hover}; }}
QMenu::item:disabled {{ color: {quiet}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 6px 8px; }}

QPushButton {{
    background: {raised}; color: {text}; border: 1px solid {border}; border-radius: 9px;
    padding: 7px 14px; min-height: 20px;
}}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed {{ background: {border}; }}
QPushButton:disabled {{ color: {quiet}; background: {window}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 6px 13px; }}
QPushButton[role="main"] {{ background: {accent}; color: {on_accent}; border: 2px solid {accent}; font-weight: 600; }}
QPushButton[role="main"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[role="main"]:focus {{ border-color: {text}; }}
QPushButton[role="main"]:disabled {{ background: {border}; border-color: {border}; color: {quiet}; }}
QPushButton[role="stop"] {{ background: {stop}; color: {on_stop}; border: 2px solid {stop}; font-weight: 600; }}
QPushButton[role="stop"]:hover {{ background: {stop_hover}; border-color: {stop_hover}; }}
QPushButton[role="stop"]:focus {{ border-color: {text}; }}
QPushButton[role="stop"]:disabled {{ background: {border}; border-color: {border}; color: {quiet}; }}
QPushButton[role="flat"] {{ background: transparent; border-color: transparent; }}
QPushButton[role="flat"]:hover {{ background: {hover}; }}
QPushButton[role="flat"]:focus {{ border-color: {accent}; }}
QPushButton[compact="true"] {{ padding: 7px 9px; }}
QPushButton[compact="true"]:focus {{ padding: 6px 8px; }}
QPushButton[role="floating"] {{
    background: {text}; color: {surface}; border: 2px solid {text}; border-radius: 18px; padding: 6px 14px;
}}
QPushButton[role="floating"]:hover {{ background: {quiet}; border-color: {quiet}; }}
QPushButton[role="floating"]:focus {{ border-color: {accent}; }}

QComboBox {{
    background: {raised}; color: {text}; border: 1px solid {border}; border-radius: 9px;
    padding: 7px 12px; min-height: 20px; combobox-popup: 0;
}}
QComboBox:hover {{ background: {hover}; }}
QComboBox:focus {{ border: 2px solid {accent}; padding: 6px 11px; }}
QComboBox:disabled {{ color: {quiet}; background: {window}; }}
QComboBox::drop-down {{ border: none; width: 28px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{
    background: {raised}; color: {text}; border: 1px solid {border}; padding: 5px; outline: none;
    selection-background-color: {hover}; selection-color: {text};
}}
QComboBox QAbstractItemView::item {{ min-height: 30px; padding: 0 8px; border: none; border-radius: 5px; }}
QComboBox QAbstractItemView::item:selected {{ background: {hover}; color: {text}; border: none; }}

QSlider {{ min-height: 24px; }}
QSlider::groove:horizontal {{ height: 4px; background: {border}; border-radius: 2px; }}
QSlider::sub-page:horizontal {{ background: {accent}; border-radius: 2px; }}
QSlider::sub-page:horizontal:disabled {{ background: {border}; }}
QSlider::handle:horizontal {{
    width: 16px; height: 16px; margin: -8px 0; border-radius: 10px;
    background: {raised}; border: 2px solid {accent};
}}
QSlider::handle:horizontal:hover {{ background: {hover}; }}
QSlider::handle:horizontal:focus {{ background: {accent}; }}
QSlider::handle:horizontal:disabled {{ border-color: {border}; background: {window}; }}
QCheckBox {{ color: {text}; spacing: 10px; padding: 3px 0; outline: none; }}
QCheckBox:disabled {{ color: {quiet}; }}
QCheckBox::indicator {{
    width: 16px; height: 16px; border: 2px solid {quiet}; border-radius: 5px; background: {raised};
}}
QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent}; image: url("{check}"); }}
QCheckBox::indicator:focus {{ border-color: {text}; }}
QCheckBox::indicator:disabled {{ background: {window}; border-color: {border}; image: none; }}
QFrame#panel {{ background: {raised}; border: 1px solid {border}; }}

QWidget#message {{ background: {notice}; border-bottom: 1px solid {notice_border}; }}
QWidget#message QPushButton {{ padding: 4px 12px; }}
QWidget#message QPushButton:focus {{ padding: 3px 11px; }}

QFrame#light {{ background: {border}; border-radius: 5px; }}
QFrame#light[state="listening"] {{ background: {quiet}; }}
QFrame#light[state="hearing"] {{ background: {accent}; }}
QFrame#light[state="waiting"] {{ background: {waiting}; }}
QFrame#light[state="broken"] {{ background: {broken}; }}
QLabel {{ color: {text}; background: transparent; }}
QLabel[role="quiet"] {{ color: {quiet}; }}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {border}; padding: 5px 8px; }}

QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {border}; min-height: 40px; border-radius: 4px; margin: 2px; }}
QScrollBar::handle:vertical:hover {{ background: {quiet}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; height: 0;
}}
"""


class Theme(QObject):
    """The look of the whole app, and its change when the system's changes.

    Signals:
        changed: colours are new; icons have to be fetched again.
    """

    changed = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self.colours = LIGHT
        app.setStyle("Fusion")  # the same shapes everywhere; the colours below are ours
        app.setWindowIcon(QIcon(str(RESOURCES / "earshot.svg")))
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self.follow)
        self.follow(hints.colorScheme())

    @property
    def is_dark(self) -> bool:
        return self.colours is DARK

    def follow(self, scheme: Qt.ColorScheme) -> None:
        """Take the look for the system's scheme; light where it has none."""
        self.colours = DARK if scheme == Qt.ColorScheme.Dark else LIGHT
        self._app.setPalette(_palette(self.colours))
        look = "dark" if self.is_dark else "light"
        drawings = {name: (RESOURCES / "icons" / f"{name}-{look}.svg").as_posix() for name in ("chevron", "check")}
        self._app.setStyleSheet(_SHEET.format(**drawings, **asdict(self.colours)))
        self.changed.emit()

    def icon(self, name: str, role: str = "text") -> QIcon:
        """Give one of our icons in the colour of a role; pale where it is disabled."""
        colours = asdict(self.colours)
        icon = QIcon()
        for size in ICON_SIZES:
            icon.addPixmap(_tinted(name, colours[role], size), QIcon.Mode.Normal)
            icon.addPixmap(_tinted(name, colours["pending"], size), QIcon.Mode.Disabled)
        return icon


def caption_font(points: float) -> QFont:
    """The font captions are read in: the system's own, then fonts that cover other scripts."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    own = font.families() or [font.family()]
    font.setFamilies([*own, *_OTHER_SCRIPTS])
    font.setPointSizeF(points)
    return font


def figures_font() -> QFont:
    """The interface font with digits of one width, so that running numbers do not jitter."""
    font = QFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont))
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


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
