"""The style sheet of the whole app: one rule for each kind of control, filled with the colours of a look.

Object names and roles that widgets may set (`widget.setObjectName(…)`, `widget.setProperty("role", …)`):

* windows and areas: QWidget#rail; QWidget role "page" (behind cards), "surface" (behind text), "clear" (transparent);
QFrame role "card", "side" (a panel at the right), "line" (a line), "bubble-user", "bubble-answer", "bubble-draft";
QFrame#panel (a popup)
* QLabel role "title", "heading", "quiet", "small", "figure" (a large number), "badge", "good", "problem"
* QPushButton role "main", "stop", "flat", "floating", "link"; property compact for an icon alone
* QToolButton: an icon with a background under the pointer; role "rail" leads to a page; role "chip" is a small choice
* QTextEdit role "plain" has no frame; role "in-place" replaces a line of text
* lists, tables and trees: role "plain" has no frame; role "sidebar" lists the pages of a dialog
* QProgressBar: slim, without a text

A list or tree needs `ensurePolished()` once its role is set: otherwise Qt lays out the rows of a hidden one before it
knows their height from this sheet.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from app.look.colours import Colours

TITLE_FACTOR, HEADING_FACTOR, SMALL_FACTOR, FIGURE_FACTOR = 1.55, 1.12, 0.92, 1.7


def style_sheet(colours: Colours, drawings: Path, is_dark: bool, points: float, line_pixels: int = 1) -> str:
    """Fill the sheet with colours.

    Args:
        drawings: the folder of the small marks that controls show.
        points: text size of the interface.
        line_pixels: width of the lines around controls.
    """
    look = "dark" if is_dark else "light"
    marks = {
        name.replace("-", "_"): (drawings / f"{name}-{look}.svg").as_posix()
        for name in ("chevron", "chevron-right", "check", "minus", "plus")
    }
    sizes = {
        "title_points": points * TITLE_FACTOR,
        "heading_points": points * HEADING_FACTOR,
        "small_points": points * SMALL_FACTOR,
        "figure_points": points * FIGURE_FACTOR,
    }
    sheet = "\n".join((_AREAS, _TEXT, _BUTTONS, _FIELDS, _CHOICES, _LISTS, _MENUS, _REST))
    return sheet.format(**marks, **sizes, **asdict(colours), line=f"{line_pixels}px solid {colours.border}")


_AREAS = """
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QMainWindow, QDialog, QWidget#bar {{ background: {window}; }}
QWidget#header {{ background: {window}; border-bottom: {line}; }}
QWidget#transport {{ background: {window}; border-top: {line}; }}
QStackedWidget#stage, QWidget#empty, QTextEdit#captions {{ background: {surface}; border: none; }}
QWidget#rail {{ background: {rail}; border-right: {line}; }}
QWidget[role="page"] {{ background: {window}; }}
QWidget[role="clear"] {{ background: transparent; }}
QWidget[role="surface"] {{ background: {surface}; }}
QFrame#panel {{ background: {raised}; border: {line}; }}
QFrame#panel > QScrollArea {{ border: none; }}
QFrame[role="card"] {{ background: {raised}; border: {line}; border-radius: 12px; }}
QFrame[role="card"][current="true"] {{ border: 2px solid {accent}; }}
QFrame[role="side"] {{ background: {window}; border: none; border-left: {line}; }}
QFrame[role="line"] {{ background: {border}; border: none; max-height: 1px; min-height: 1px; }}
QFrame[role="bubble-user"] {{ background: {selection}; border: none; border-radius: 14px; }}
QFrame[role="bubble-answer"] {{ background: {raised}; border: {line}; border-radius: 14px; }}
QFrame[role="bubble-draft"] {{ background: transparent; border: 1px dashed {quiet}; border-radius: 14px; }}
QScrollArea {{ background: transparent; border: none; border-top: 2px solid transparent; }}
QSplitter::handle {{ background: {border}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QSplitter::handle:hover {{ background: {accent}; }}
QGroupBox {{ border: {line}; border-radius: 12px; margin-top: 14px; padding: 12px; }}
QGroupBox::title {{ subcontrol-origin: margin; left: 12px; padding: 0 4px; color: {text}; }}

QWidget#message {{ background: {notice}; border: 1px solid {notice_border}; border-radius: 10px; }}
QWidget#message QPushButton {{ padding: 4px 12px; }}
QWidget#message QPushButton:focus {{ padding: 3px 11px; }}

QFrame#light {{ background: {border}; border-radius: 5px; }}
QFrame#light[state="listening"] {{ background: {quiet}; }}
QFrame#light[state="hearing"] {{ background: {accent}; }}
QFrame#light[state="waiting"] {{ background: {waiting}; }}
QFrame#light[state="broken"] {{ background: {broken}; }}
"""

_TEXT = """
QLabel {{ color: {text}; background: transparent; }}
QLabel:disabled {{ color: {quiet}; }}
QLabel[role="quiet"] {{ color: {quiet}; }}
QLabel[role="small"] {{ color: {quiet}; font-size: {small_points:.1f}pt; }}
QLabel[role="title"] {{ font-size: {title_points:.1f}pt; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: {heading_points:.1f}pt; font-weight: 600; }}
QLabel[role="figure"] {{ font-size: {figure_points:.1f}pt; font-weight: 600; }}
QLabel[role="good"] {{ color: {translation}; }}
QLabel[role="problem"] {{ color: {stop}; }}
QLabel[role="badge"] {{
    background: {selection}; color: {text}; border-radius: 9px; padding: 3px 9px; font-size: {small_points:.1f}pt;
}}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {border}; padding: 5px 8px; }}
"""

_BUTTONS = """
QPushButton {{
    background: {raised}; color: {text}; border: {line}; border-radius: 9px; padding: 7px 14px; min-height: 20px;
}}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed {{ background: {border}; }}
QPushButton:checked {{ background: {selection}; border-color: {accent}; }}
QPushButton:disabled {{ color: {quiet}; background: {window}; }}
QPushButton:focus {{ border: 2px solid {accent}; padding: 6px 13px; }}
QPushButton[role="main"] {{ background: {accent}; color: {on_accent}; border: 2px solid {accent}; font-weight: 600; }}
QPushButton[role="main"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[role="main"]:focus {{ border-color: {text}; }}
QPushButton[role="main"]:disabled {{ background: {hover}; border-color: {border}; color: {quiet}; }}
QPushButton[role="stop"] {{ background: {stop}; color: {on_stop}; border: 2px solid {stop}; font-weight: 600; }}
QPushButton[role="stop"]:hover {{ background: {stop_hover}; border-color: {stop_hover}; }}
QPushButton[role="stop"]:focus {{ border-color: {text}; }}
QPushButton[role="stop"]:disabled {{ background: {hover}; border-color: {border}; color: {quiet}; }}
QPushButton[role="flat"] {{ background: transparent; border-color: transparent; }}
QPushButton[role="flat"]:hover {{ background: {hover}; }}
QPushButton[role="flat"]:checked {{ background: {selection}; }}
QPushButton[role="flat"]:focus {{ border-color: {accent}; }}
QPushButton[role="link"] {{
    background: transparent; border: 1px solid transparent; color: {translation}; padding: 4px 6px; text-align: left;
}}
QPushButton[role="link"]:hover {{ background: {hover}; }}
QPushButton[role="link"]:focus {{ border: 2px solid {accent}; padding: 3px 5px; }}
QPushButton[compact="true"] {{ padding: 7px 9px; }}
QPushButton[compact="true"]:focus {{ padding: 6px 8px; }}
OverlayControls QPushButton[compact="true"] {{ padding: 2px 5px; }}
OverlayControls QPushButton[compact="true"]:focus {{ padding: 1px 4px; }}
QPushButton[role="floating"] {{
    background: {text}; color: {surface}; border: 2px solid {text}; border-radius: 18px; padding: 6px 14px;
}}
QPushButton[role="floating"]:hover {{ background: {quiet}; border-color: {quiet}; }}
QPushButton[role="floating"]:focus {{ border-color: {accent}; }}

QToolButton {{
    background: transparent; color: {text}; border: 2px solid transparent; border-radius: 8px; padding: 4px;
}}
QToolButton:hover {{ background: {hover}; }}
QToolButton:pressed {{ background: {border}; }}
QToolButton:checked {{ background: {selection}; }}
QToolButton:focus {{ border-color: {accent}; }}
QToolButton:disabled {{ color: {quiet}; }}
QToolButton::menu-indicator {{ image: none; }}
QToolButton[role="rail"] {{
    color: {quiet}; border-radius: 10px; padding: 8px 4px 6px 4px; font-size: {small_points:.1f}pt;
}}
QToolButton[role="rail"]:hover {{ color: {text}; }}
QToolButton[role="rail"]:checked {{ color: {text}; background: {selection}; font-weight: 600; }}
QToolButton[role="chip"] {{
    border: {line}; border-radius: 12px; padding: 3px 11px; min-height: 18px; background: {raised};
}}
QToolButton[role="chip"]:hover {{ background: {hover}; }}
QToolButton[role="chip"]:checked {{ background: {selection}; border-color: {accent}; }}
QToolButton[role="chip"]:focus {{ border: 2px solid {accent}; padding: 2px 10px; }}
"""

_FIELDS = """
QLineEdit, QPlainTextEdit, QTextEdit, QAbstractSpinBox {{
    background: {raised}; color: {text}; border: {line}; border-radius: 9px;
    selection-background-color: {selection}; selection-color: {text}; placeholder-text-color: {pending};
}}
QLineEdit, QAbstractSpinBox {{ padding: 7px 10px; min-height: 20px; }}
QPlainTextEdit, QTextEdit {{ padding: 6px 8px; }}
QLineEdit:focus, QAbstractSpinBox:focus {{ border: 2px solid {accent}; padding: 6px 9px; }}
QPlainTextEdit:focus, QTextEdit:focus {{ border: 2px solid {accent}; padding: 5px 7px; }}
QTextEdit#captions {{ padding: 0; border: none; border-radius: 0; border-top: 2px solid transparent; }}
QTextEdit#captions:focus, QScrollArea:focus {{ border-top: 2px solid {accent}; }}
QTextEdit[role="plain"], QTextEdit[role="plain"]:focus {{ background: transparent; border: none; padding: 0; }}
QTextEdit[role="in-place"], QTextEdit[role="in-place"]:focus {{
    border: 2px solid {accent}; border-radius: 6px; padding: 0 5px;
}}
QLineEdit:disabled, QPlainTextEdit:disabled, QTextEdit:disabled, QAbstractSpinBox:disabled {{
    color: {quiet}; background: {window};
}}
QLineEdit[wrong="true"] {{ border: 2px solid {stop}; padding: 6px 9px; }}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit, QKeySequenceEdit QLineEdit {{ min-height: 20px; }}
QAbstractSpinBox QLineEdit, QComboBox QLineEdit, QAbstractSpinBox QLineEdit:focus, QComboBox QLineEdit:focus {{
    border: none; padding: 0; background: transparent;
}}
QAbstractSpinBox {{ qproperty-alignment: AlignCenter; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
    subcontrol-origin: border; width: 30px; height: 28px; border: none; border-radius: 6px; margin: 0 3px;
}}
QAbstractSpinBox::up-button {{ subcontrol-position: center right; }}
QAbstractSpinBox::down-button {{ subcontrol-position: center left; }}
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover {{ background: {hover}; }}
QAbstractSpinBox::up-button:pressed, QAbstractSpinBox::down-button:pressed {{ background: {border}; }}
QAbstractSpinBox::up-arrow {{ image: url("{plus}"); width: 12px; height: 12px; }}
QAbstractSpinBox::down-arrow {{ image: url("{minus}"); width: 12px; height: 12px; }}
QAbstractSpinBox::up-arrow:off, QAbstractSpinBox::down-arrow:off {{ image: none; }}

QComboBox {{
    background: {raised}; color: {text}; border: {line}; border-radius: 9px; padding: 7px 12px; min-height: 20px;
    combobox-popup: 0;
}}
QComboBox:hover {{ background: {hover}; }}
QComboBox:focus {{ border: 2px solid {accent}; padding: 6px 11px; }}
QComboBox:disabled {{ color: {quiet}; background: {window}; }}
QComboBox::drop-down {{ border: none; width: 28px; }}
QComboBox::down-arrow {{ image: url("{chevron}"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{
    background: {raised}; color: {text}; border: 1px solid {border}; border-radius: 0; padding: 5px; outline: none;
    selection-background-color: {hover}; selection-color: {text};
}}
QComboBox QAbstractItemView::item {{ min-height: 30px; padding: 0 8px; border: none; border-radius: 5px; }}
QComboBox QAbstractItemView::item:selected {{ background: {hover}; color: {text}; border: none; }}
"""

_CHOICES = """
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
QCheckBox, QRadioButton {{ color: {text}; spacing: 10px; padding: 1px 4px 1px 0; outline: none;
    border: 2px solid transparent; border-radius: 6px;
}}
QCheckBox:disabled, QRadioButton:disabled {{ color: {quiet}; }}
QCheckBox::indicator, QRadioButton::indicator, QAbstractItemView::indicator {{
    width: 16px; height: 16px; border: 2px solid {quiet}; border-radius: 5px; background: {raised};
}}
QCheckBox::indicator:checked, QAbstractItemView::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{check}");
}}
QCheckBox::indicator:focus, QRadioButton::indicator:focus {{ border-color: {text}; }}
QCheckBox::indicator:disabled {{ background: {window}; border-color: {border}; image: none; }}
QCheckBox::indicator:checked:disabled {{ background: {quiet}; border-color: {quiet}; image: url("{check}"); }}
QRadioButton::indicator {{ border-radius: 10px; }}
QRadioButton::indicator:checked {{
    border-color: {accent};
    background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5,
        stop: 0 {accent}, stop: 0.52 {accent}, stop: 0.6 {raised}, stop: 1 {raised});
}}
QRadioButton::indicator:disabled {{ border-color: {border}; background: {window}; }}
QCheckBox:focus, QRadioButton:focus {{ border-color: {accent}; }}
"""

_LISTS = """
QListView, QTreeView, QTableView {{
    background: {surface}; color: {text}; border: {line}; border-radius: 9px; outline: none;
    selection-background-color: {selection}; selection-color: {text}; gridline-color: {border};
    alternate-background-color: {window};
}}
QListView:focus, QTreeView:focus, QTableView:focus {{ border-color: {accent}; }}
QListView::item, QTreeView::item {{
    padding: 0 8px; min-height: 30px; border: none; border-radius: 6px; color: {text};
}}
QTableView::item {{ padding: 4px 8px; }}
QListView::item:hover, QTreeView::item:hover, QTableView::item:hover {{ background: {hover}; }}
QListView::item:selected, QTreeView::item:selected, QTableView::item:selected {{
    background: {selection}; color: {text};
}}
QListView[role="plain"], QTreeView[role="plain"], QTableView[role="plain"] {{
    background: transparent; border: none; border-radius: 0;
}}
QListView[role="sidebar"] {{ background: transparent; border: none; border-radius: 0; padding: 10px; }}
QListView[role="sidebar"]::item {{
    padding: 0 10px; min-height: 32px; margin: 1px 0; border: 2px solid transparent; border-radius: 8px;
}}
QListView[role="sidebar"]::item:selected:focus {{ border-color: {accent}; }}
QTreeView::branch {{ background: transparent; }}
QTreeView::branch:has-children:closed {{ image: url("{chevron_right}"); }}
QTreeView::branch:has-children:open {{ image: url("{chevron}"); }}
QHeaderView {{ background: transparent; border: none; }}
QHeaderView::section {{
    background: transparent; color: {quiet}; border: none; border-bottom: {line}; padding: 6px 8px; font-weight: 600;
}}
QTableCornerButton::section {{ background: transparent; border: none; }}
QTabWidget::pane {{ border: none; border-top: {line}; }}
QTabBar {{ background: transparent; qproperty-drawBase: 0; }}
QTabBar::tab {{
    background: transparent; color: {quiet}; border: none; border-bottom: 2px solid transparent;
    padding: 8px 14px; margin-right: 2px;
}}
QTabBar::tab:hover {{ color: {text}; }}
QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
QTabBar::tab:focus {{ color: {text}; background: {hover}; border-radius: 6px; }}
QTabBar::tab:disabled {{ color: {pending}; }}
"""

_MENUS = """
QMenuBar {{ background: {window}; color: {text}; padding: 2px 8px; }}
QMenuBar::item {{ padding: 5px 10px; border-radius: 6px; background: transparent; }}
QMenuBar::item:selected {{ background: {hover}; }}
QMenu {{ background: {raised}; color: {text}; border: 1px solid {border}; padding: 6px; }}
QMenu::item {{ padding: 6px 28px 6px 14px; border-radius: 5px; }}
QMenu::item:selected {{ background: {hover}; }}
QMenu::item:disabled {{ color: {quiet}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 6px 8px; }}
"""

_REST = """
QProgressBar {{
    background: {border}; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; color: transparent;
}}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QProgressBar[state="waiting"]::chunk {{ background: {quiet}; }}
QProgressBar[state="broken"]::chunk {{ background: {broken}; }}

QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {border}; border-radius: 4px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 40px; }}
QScrollBar::handle:horizontal {{ min-width: 40px; }}
QScrollBar::handle:hover {{ background: {quiet}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{
    background: none; border: none; width: 0; height: 0;
}}
"""
