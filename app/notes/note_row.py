"""The look of a row of notes: a heading, or a line with its time at the left."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.notes.notes_model import NotesRole

Index = QModelIndex | QPersistentModelIndex
PADDING_PIXELS, GAP_PIXELS, ABOVE_HEADING_PIXELS = 5, 10, 10
LEFT_PIXELS = 10
_LONGEST_TIME = "0:00:00"
_FLAGS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)


class NoteRow(QStyledItemDelegate):
    """Paints rows of a NotesModel."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        widget = option.widget
        width = widget.viewport().width() if isinstance(widget, QAbstractItemView) else option.rect.width()
        room = self._room(QRect(0, 0, width, 10_000), option.font, index)
        height = QFontMetrics(self._font(option.font, index)).boundingRect(room, _FLAGS, self._words(index)).height()
        return QSize(1, height + 2 * PADDING_PIXELS + self._above(index))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        bare = QStyleOptionViewItem(option)
        bare.text = ""
        if (widget := option.widget) is not None:
            widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, bare, painter, widget)
        painter.save()
        palette = option.palette
        room = self._room(option.rect, option.font, index)
        painter.setFont(self._font(option.font, index))
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(room, _FLAGS, self._words(index))
        if time := index.data(NotesRole.TIME):
            painter.setPen(palette.color(QPalette.ColorRole.Dark))
            painter.setFont(option.font)
            left = QRect(option.rect.left() + LEFT_PIXELS, room.top(), room.left(), room.height())
            painter.drawText(left, _FLAGS, time)
        painter.restore()

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect)

    def _room(self, row: QRect, font: QFont, index: Index) -> QRect:
        """Return the place of a row's words."""
        heading = bool(index.data(NotesRole.IS_HEADING))
        left = LEFT_PIXELS + (0 if heading else QFontMetrics(font).horizontalAdvance(_LONGEST_TIME) + GAP_PIXELS)
        return row.adjusted(left, PADDING_PIXELS + self._above(index), -PADDING_PIXELS, -PADDING_PIXELS)

    def _above(self, index: Index) -> int:
        return ABOVE_HEADING_PIXELS if index.row() and index.data(NotesRole.IS_HEADING) else 0

    def _font(self, font: QFont, index: Index) -> QFont:
        made = QFont(font)
        made.setBold(bool(index.data(NotesRole.IS_HEADING)))
        return made

    def _words(self, index: Index) -> str:
        return str(index.data(NotesRole.WORDS))
