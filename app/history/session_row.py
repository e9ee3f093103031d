"""The look of a session in the list: its title, a second line, and the first line that a search found."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QIcon,
    QPainter,
    QPalette,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.history.records import Session
from app.history.search import Term, hits_in
from app.history.session_list import SessionRole
from app.look.text_layout import one_line, printable
from app.look.theme import Theme
from app.transcript.paragraphs import units

Index = QModelIndex | QPersistentModelIndex
ICON_PIXELS = 18
PADDING_PIXELS = 10
LINE_GAP_PIXELS = 3
SIDE_PIXELS = 6
_DAY_ABOVE_PIXELS = 12
_BEFORE_HIT_CHARACTERS = 12
_SMALL_FACTOR = 0.92


class SessionRow(QStyledItemDelegate):
    """Paints rows of a SessionList.

    Attributes:
        terms: of the search; marked in the line that was found.
    """

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.terms: Sequence[Term] = ()
        self._theme = theme
        self._icons: dict[str, QIcon] = {}
        self._sizes: dict[tuple[str, int], QSize] = {}  # measuring thousands of rows would be noticed
        theme.changed.connect(self._icons.clear)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        session = index.data(SessionRole.SESSION)
        small_lines = 0 if session is None else 2 if session.found else 1
        kind = (option.font.key(), small_lines)
        if kind not in self._sizes:
            self._sizes[kind] = _size(option.font, small_lines)
        return self._sizes[kind]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        session = index.data(SessionRole.SESSION)
        area = QRectF(option.rect)
        if session is None:
            self._paint_day(painter, option, area, str(index.data()))
        else:
            self._paint_ground(painter, option, area)
            self._paint_session(painter, option, area, session, index)
        painter.restore()

    def _paint_day(self, painter: QPainter, option: QStyleOptionViewItem, area: QRectF, day: str) -> None:
        font = _small(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(option.palette.color(QPalette.ColorRole.Dark))
        room = area.adjusted(SIDE_PIXELS + PADDING_PIXELS, _DAY_ABOVE_PIXELS, -PADDING_PIXELS, 0)
        shown = QFontMetricsF(font).elidedText(day, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, shown)

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem, area: QRectF) -> None:
        state, palette = option.state, option.palette
        ground = area.adjusted(SIDE_PIXELS, 1, -SIDE_PIXELS, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(palette.brush(QPalette.ColorRole.Highlight))
            painter.drawRoundedRect(ground, 8, 8)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(self._theme_colour("hover"))
            painter.drawRoundedRect(ground, 8, 8)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Accent), 2))
            painter.drawRoundedRect(ground.adjusted(1, 1, -1, -1), 8, 8)

    def _paint_session(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRectF, session: Session, index: Index
    ) -> None:
        palette = option.palette
        font = QFont(option.font)
        font.setWeight(QFont.Weight.DemiBold)
        small = _small(option.font)
        left = area.left() + SIDE_PIXELS + PADDING_PIXELS
        text_left = left + ICON_PIXELS + PADDING_PIXELS
        width = area.right() - SIDE_PIXELS - PADDING_PIXELS - text_left
        y = area.top() + PADDING_PIXELS
        metrics = QFontMetricsF(font)
        icon = self._icon_of(session)
        icon.paint(painter, round(left), round(y + (metrics.height() - ICON_PIXELS) / 2), ICON_PIXELS, ICON_PIXELS)
        painter.setFont(font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        title = metrics.elidedText(printable(str(index.data())), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPointF(text_left, y + metrics.ascent()), title)
        y += metrics.height() + LINE_GAP_PIXELS
        quiet = QFontMetricsF(small)
        painter.setFont(small)
        role = QPalette.ColorRole.Accent if session.is_running else QPalette.ColorRole.Dark
        painter.setPen(palette.color(role))
        about = quiet.elidedText(str(index.data(SessionRole.ABOUT)), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QPointF(text_left, y + quiet.ascent()), about)
        if session.found:
            self._paint_found(painter, palette, small, QRectF(text_left, y + quiet.height() + 3, width, 0), session)

    def _paint_found(self, painter: QPainter, palette: QPalette, font: QFont, room: QRectF, session: Session) -> None:
        text, hits = around_first_hit(session.found, self.terms)
        bold = QFont(font)
        bold.setWeight(QFont.Weight.Bold)
        metrics = QFontMetricsF(bold)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        layout = QTextLayout(shown, font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        look = QTextCharFormat()
        look.setFontWeight(QFont.Weight.Bold)
        look.setForeground(palette.brush(QPalette.ColorRole.Text))
        layout.setFormats(marks_of(shown, hits, look))
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(room.width() * 2)
        layout.endLayout()
        painter.setPen(palette.color(QPalette.ColorRole.Dark))
        layout.draw(painter, room.topLeft())

    def _icon_of(self, session: Session) -> QIcon:
        name = "assistant" if session.kind == "conversation" else "captions"
        role = "accent" if session.is_running else "quiet"
        key = f"{name} {role}"
        if key not in self._icons:
            self._icons[key] = self._theme.icon(name, role)
        return self._icons[key]

    def _theme_colour(self, role: str) -> str:
        return str(getattr(self._theme.colours, role))


def around_first_hit(text: str, terms: Sequence[Term]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Cut a line so that its first hit is near the beginning; return it with all hits in it."""
    text = one_line(text)
    hits = hits_in(text, terms)
    begin = 0
    if hits and hits[0].start > 2 * _BEFORE_HIT_CHARACTERS:
        begin = text.rfind(" ", 0, hits[0].start - _BEFORE_HIT_CHARACTERS) + 1
    start = "…" if begin else ""
    shift = len(start) - begin
    return start + text[begin:], tuple((hit.start + shift, hit.end + shift) for hit in hits)


def marks_of(text: str, hits: Sequence[tuple[int, int]], look: QTextCharFormat) -> list[QTextLayout.FormatRange]:
    """Return the look for the hits in a text, as far as they are in it."""
    marks = []
    for begin, end in hits:
        mark = QTextLayout.FormatRange()
        mark.start, mark.length, mark.format = units(text[:begin]), units(text[begin:end]), look
        marks.append(mark)
    return marks


def _size(font: QFont, small_lines: int) -> QSize:
    """Return the size of a row: of a session with this many lines below its title, or of a day."""
    title, small = QFontMetricsF(font), QFontMetricsF(_small(font))
    if not small_lines:
        return QSize(0, round(small.height() + _DAY_ABOVE_PIXELS + 6))
    below = small_lines * (LINE_GAP_PIXELS + small.height())
    return QSize(0, round(2 * PADDING_PIXELS + title.height() + below))


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * _SMALL_FACTOR)
    return small
