"""An editor for a line of a transcript, at the line's place."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QTextBlockFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

BORDER_PIXELS, SIDE_PIXELS = 2, 5
"""Borders around the text; the style sheet has the same."""

_PASSING = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)


class LineEditor(QTextEdit):
    """Edits one line: Enter saves it, Escape leaves it unchanged.

    Signals:
        saved: the new text, on one line, once it is no longer being edited.
        left: it is no longer being edited.
    """

    saved = Signal(str)
    left = Signal()

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self._place = QRect()
        self.setProperty("role", "in-place")
        self.setAccessibleName(self.tr("Correct this line"))
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.hide()

    def open(self, text: str, place: QRect, style: QTextBlockFormat, at: int) -> None:
        """Cover a line's text, with the word selected that stands at a position, or with the cursor behind it at -1."""
        self.setFont(self._view.font())
        self.setPlainText(text)
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setBlockFormat(style)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if at >= 0:
            cursor.setPosition(min(at, len(text)))
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        self.setTextCursor(cursor)
        self.move_to(place)
        self.show()
        self.raise_()
        self.setFocus()

    def move_to(self, place: QRect) -> None:
        """Move to the present place of the line's text."""
        self._place = place
        self._fit()

    def leave(self) -> None:
        """Close without saving."""
        if not self.isHidden():
            had_keyboard = self.hasFocus()
            self.hide()
            if had_keyboard:
                self._view.setFocus()
            self.left.emit()

    def _save(self) -> None:
        if not self.isHidden():
            text = " ".join(self.toPlainText().split())
            self.leave()
            self.saved.emit(text)

    def _fit(self) -> None:
        """Adapt the height to the text, but not below the height of the line."""
        across = BORDER_PIXELS + SIDE_PIXELS
        height = max(self._place.height(), round(self.document().size().height()))
        text = QRect(self._place.topLeft(), self._place.size())
        text.setHeight(height)
        self.setGeometry(text.adjusted(-across, -BORDER_PIXELS, across, BORDER_PIXELS))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._save()
        elif event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in _PASSING:
            self._save()

    def event(self, event: QEvent) -> bool:
        # Escape and Enter are its own, whatever shortcut the window has for them.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and not event.modifiers():
            event.accept()
        return super().event(event)
