"""Faults of a window for somebody who cannot see it, uses no mouse, or needs large letters."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QFontMetrics, QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QProgressBar,
    QRadioButton,
    QScrollArea,
    QScrollBar,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from app.widgets.input_box import InputBox

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QTabBar,
    QTextEdit,
)
SLACK_PIXELS = 2
"""Most pixels that a text may lack."""


def spoken_name(widget: QWidget) -> str:
    """Return what a screen reader calls a widget."""
    face = QAccessible.queryAccessibleInterface(widget)
    return str(face.text(QAccessible.Text.Name)) if face is not None else ""


def described(widget: QWidget) -> str:
    """Describe a widget for a message: its class, its name and what it is in."""
    inside = []
    above = widget.parentWidget()
    while above is not None and len(inside) < 3:
        if not type(above).__module__.startswith("PySide6"):
            inside.append(type(above).__name__)
        above = above.parentWidget()
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton) else spoken_name(widget)
    return f"{type(widget).__name__} {text[:50]!r} in {'/'.join(inside)}"


def visible_parts(window: QWidget) -> Iterator[QWidget]:
    """Yield the widgets of a window that can be seen, without open popups and Qt's own inner parts."""
    for each in window.findChildren(QWidget):
        if each.window() is window and each.isVisible() and not each.objectName().startswith("qt_"):
            yield each


def nameless(window: QWidget) -> list[str]:
    """List controls that a screen reader has no name for."""
    return [
        described(each)
        for each in visible_parts(window)
        if isinstance(each, CONTROLS) and not isinstance(each, QScrollBar)
        if not ((spoken_name(each).strip() and each.accessibleName().strip()) or isinstance(each, QAbstractButton))
    ]


def unlabelled(window: QWidget) -> list[str]:
    """List drop-down lists without a label: on Linux a screen reader takes their name from nowhere else."""
    labelled = [each.buddy() for each in window.findChildren(QLabel)]
    return [described(each) for each in visible_parts(window) if isinstance(each, QComboBox) and each not in labelled]


def without_buddy(window: QWidget) -> list[str]:
    """List labels with a key that leads nowhere."""
    return [
        described(each)
        for each in visible_parts(window)
        if isinstance(each, QLabel) and "&" in each.text().replace("&&", "") and each.buddy() is None
        if each.textFormat() is not Qt.TextFormat.PlainText
    ]


def tab_stops(window: QWidget) -> list[QWidget]:
    """Return the widgets that the tabulator key should reach."""
    return [
        each
        for each in visible_parts(window)
        if each.isEnabled() and each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.focusProxy() is None
        if not isinstance(each, QMenuBar | QScrollBar)
    ]


def walked(window: QWidget, most: int = 200) -> list[tuple[QWidget, QRect, QRect]]:
    """Return the widgets that the tabulator key reaches, in order, from the focus until it comes back.

    With each come its place and that of the one before it, at that moment: areas scroll to what has the focus.
    """
    reached: list[tuple[QWidget, QRect, QRect]] = []
    before = QApplication.focusWidget()
    if before is None or before.window() is not window:
        stops = tab_stops(window)
        if not stops:
            return []
        before = stops[0]
        before.setFocus(Qt.FocusReason.TabFocusReason)
    while len(reached) < most:
        QTest.keyClick(before, Qt.Key.Key_Tab)
        after = QApplication.focusWidget()
        if after is None or any(after is each for each, _, _ in reached):
            return reached
        reached.append((after, place(after, window), place(before, window)))
        before = after
    return reached


def unreached(window: QWidget) -> list[str]:
    """List controls that the tabulator key does not lead to."""
    reached = {each for each, _, _ in walked(window)}
    return [described(each) for each in tab_stops(window) if each not in reached and not _stands_in(each, reached)]


def _stands_in(widget: QWidget, reached: set[QWidget]) -> bool:
    """Return whether the arrow keys, or a part of the widget, lead there."""
    if any(widget.isAncestorOf(each) or each.isAncestorOf(widget) for each in reached):
        return True
    if isinstance(widget, QAbstractButton) and isinstance(group := widget.group(), QButtonGroup) and group.exclusive():
        return any(each in reached for each in group.buttons())
    if isinstance(widget, QRadioButton) and widget.autoExclusive():
        return any(isinstance(each, QRadioButton) and each.parent() is widget.parent() for each in reached)
    return False


def backwards(window: QWidget, areas: tuple[QWidget, ...] = ()) -> list[str]:
    """List where the tabulator key goes up, but not to the right: within an area, or in the rest of the window.

    One such jump in each is no fault: from the last control to the first.
    """

    def area_of(widget: QWidget) -> QWidget:
        return next((each for each in areas if each.isAncestorOf(widget)), window)

    jumps: dict[QWidget, list[str]] = {}
    order = walked(window)
    for (before, _, _), (after, there, here) in zip(order[-1:] + order[:-1], order, strict=True):
        area = area_of(before)
        if area is area_of(after) and there.bottom() < here.top() and there.left() <= here.right():
            jumps.setdefault(area, []).append(f"{described(before)} → {described(after)}")
    return [each for found in jumps.values() if len(found) > 1 for each in found]


def place(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def cut_off(window: QWidget) -> list[str]:
    """List texts that do not fit, and areas that scroll sideways."""
    found = []
    for each in visible_parts(window):
        if any(isinstance(above, QScrollArea) and not _is_shown_in(each, above) for above in _above(each)):
            continue
        if isinstance(each, QScrollArea) and each.horizontalScrollBar().maximum() > 0:
            found.append(f"scrolls sideways: {described(each)}")
        elif isinstance(each, QAbstractItemView) and not isinstance(each, QAbstractButton):
            if each.horizontalScrollBar().maximum() > 0:
                found.append(f"scrolls sideways: {described(each)}")
        elif (missing := _missing_pixels(each)) > SLACK_PIXELS:
            found.append(f"{missing} px: {described(each)}")
    return found


def _above(widget: QWidget) -> Iterator[QWidget]:
    above = widget.parentWidget()
    while above is not None:
        yield above
        above = above.parentWidget()


def _is_shown_in(widget: QWidget, area: QScrollArea) -> bool:
    return area.widget() is not None and area.widget().isAncestorOf(widget)


def _missing_pixels(widget: QWidget) -> int:
    """Return how many pixels of room a text lacks."""
    metrics = QFontMetrics(widget.font())
    if isinstance(widget, QLabel):
        if not widget.text() or (widget.pixmap() is not None and not widget.pixmap().isNull()):
            return 0
        if widget.wordWrap():
            return max(0, widget.heightForWidth(widget.width()) - widget.height() - 1)
        plain = QTextDocumentFragment.fromHtml(widget.text()).toPlainText() if "<" in widget.text() else widget.text()
        widest = max(metrics.horizontalAdvance(line) for line in plain.replace("&", "").split("\n"))
        return max(0, widest - widget.contentsRect().width())
    if isinstance(widget, QCheckBox | QRadioButton):
        return max(0, widget.sizeHint().width() - widget.width())
    if isinstance(widget, QAbstractButton):
        if not widget.text() or _is_icon(widget):
            return 0
        room = widget.width() - (widget.iconSize().width() + 4 if not widget.icon().isNull() and _beside(widget) else 0)
        return max(0, metrics.horizontalAdvance(widget.text().replace("&", "")) - room)
    if isinstance(widget, QComboBox) and not isinstance(widget, InputBox):  # which leaves out with an ellipsis
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        style = widget.style()
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, widget).width()
        return max(0, metrics.horizontalAdvance(widget.currentText()) - room)
    if isinstance(widget, QLineEdit):
        return max(0, metrics.horizontalAdvance(widget.placeholderText()) - widget.contentsRect().width())
    if isinstance(widget, QTabBar):
        return max(0, widget.sizeHint().width() - widget.width())
    return 0


def _is_icon(button: QAbstractButton) -> bool:
    only = Qt.ToolButtonStyle.ToolButtonIconOnly
    return isinstance(button, QToolButton) and button.toolButtonStyle() == only and not button.icon().isNull()


def _beside(button: QAbstractButton) -> bool:
    style = getattr(button, "toolButtonStyle", None)
    return style is None or style() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
