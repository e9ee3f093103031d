"""One sentence above the captions, with a way out."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QWidget

from app.look.problems import in_words
from app.look.text_layout import breakable, unbreakable
from app.look.theme import Theme
from app.widgets.action_button import ICON_PIXELS, ActionButton
from app.widgets.layouts import in_row


@dataclass(frozen=True, slots=True)
class _Message:
    """One sentence.

    Attributes:
        lasts: it is so until it is withdrawn, and comes back once what was shown over it is gone.
    """

    icon: str
    text: str
    way_out: QAction | None
    lasts: bool


class _Sentence(QLabel):
    """Copies what it says without the breaks in long words, which nobody sees."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("&Copy"), self._copy)
        menu.popup(event.globalPos())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(unbreakable(self.selectedText() or self.text()))


class MessageBar(QWidget):
    """Shows what went wrong or what is worth knowing, until it is closed, replaced, or not so any more.

    What the engine and the threads tell is said in the language of the window.

    Signals:
        shown: a message is new, and its way out a new button.
        closed: by the reader.
    """

    shown = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._messages: list[_Message] = []  # the last one is shown; those before it last
        self._mark = QLabel()
        self._text = _Sentence()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._way_out: ActionButton | None = None
        self._dismiss = QAction(self.tr("Close message"), self)
        self._dismiss.triggered.connect(self.close_message)
        self._close = ActionButton(self._dismiss, "flat")
        self._close.set_compact(True)
        self.setObjectName("message")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = in_row(self._mark, (self._text, 1), self._close, on=self, margins=(20, 8, 12, 8), spacing=12)
        theme.changed.connect(self.take_icons)
        self.take_icons()
        self.hide()

    @property
    def text(self) -> str:
        return unbreakable(self._text.text())

    @property
    def way_out(self) -> ActionButton | None:
        """The button that the message offers."""
        return self._way_out

    @property
    def buttons(self) -> tuple[ActionButton, ...]:
        """List the buttons, in order."""
        return (self._close,) if self._way_out is None else (self._way_out, self._close)

    def show_problem(self, text: str, way_out: QAction | None = None, *, lasts: bool = False) -> None:
        """Say what went wrong, and offer an action that goes on from there; `lasts`: it holds until withdrawn."""
        self._add(_Message("warning", in_words(text), way_out, lasts))

    def show_notice(self, text: str, way_out: QAction | None = None) -> None:
        """Say what is good to know, and offer an action."""
        self._add(_Message("info", in_words(text), way_out, False))

    def withdraw(self, text: str) -> None:
        """Say no longer what is not so any more."""
        self._keep([each for each in self._messages if each.text != in_words(text)])

    def drop_passing(self) -> None:
        """Take away what does not matter any more, but for what lasts."""
        self._keep([each for each in self._messages if each.lasts])

    def _add(self, message: _Message) -> None:
        before = [each for each in self._messages if each.lasts and each.text != message.text]
        self._messages = [*before, message]
        self._show(message)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, message.text))

    def _keep(self, messages: list[_Message]) -> None:
        shown = self._messages[-1:]
        self._messages = messages
        if not messages:
            self.hide()
        elif messages[-1:] != shown:
            self._show(messages[-1])

    def _show(self, message: _Message) -> None:
        text, way_out = message.text, message.way_out
        self.take_icons()
        if self._way_out is not None:
            self._row.removeWidget(self._way_out)
            self._way_out.hide()
            self._way_out.deleteLater()
            self._way_out = None
        if way_out is not None:
            self._way_out = ActionButton(way_out)
            self._row.insertWidget(2, self._way_out)
        self._text.setText(breakable(text))
        self._text.setAccessibleName(text)
        self.show()
        self.shown.emit()

    def close_message(self) -> None:
        """Take the message away that is shown; one that lasts and was shown before comes back."""
        self._keep(self._messages[:-1])
        self.closed.emit()

    def take_icons(self) -> None:
        """Fetch the icons in the theme's colours."""
        icon = self._messages[-1].icon if self._messages else "info"
        self._mark.setPixmap(self._theme.icon(icon).pixmap(ICON_PIXELS, ICON_PIXELS))
        self._dismiss.setIcon(self._theme.icon("close"))
