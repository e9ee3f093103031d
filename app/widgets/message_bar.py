"""A bar with one message above the captions, and a button to act on it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
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

WayOut = QAction | Sequence[QAction] | None
"""Actions that a message offers."""

KEPT_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class _Message:
    """A message of one sentence.

    Attributes:
        lasts: whether it stays until it is withdrawn, and reappears after messages shown over it.
    """

    icon: str
    text: str
    ways_out: tuple[QAction, ...]
    lasts: bool


class _Sentence(QLabel):
    """A label that copies its text without the invisible breaks in long words."""

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
    """Shows an error or a notice until it is closed, replaced, or withdrawn.

    Messages of the engine and the threads are translated into the language of the window.

    Attributes:
        problems: the last errors that were shown, the newest last.

    Signals:
        shown: there is a new message, possibly with a button.
        closed: the user closed it.
    """

    shown = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.problems: deque[str] = deque(maxlen=KEPT_PROBLEMS)
        self._messages: list[_Message] = []  # the last one is shown; the earlier ones all last
        self._mark = QLabel()
        self._text = _Sentence()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._ways_out: tuple[ActionButton, ...] = ()
        self._dismiss = QAction(self.tr("Close message"), self)
        self._dismiss.triggered.connect(self.close_message)
        self._close = ActionButton(self._dismiss, "flat")
        self._close.set_compact(True)
        self.setObjectName("message")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = in_row(self._mark, (self._text, 1), self._close, on=self, margins=(20, 8, 12, 8), spacing=12)
        theme.changed.connect(self.refresh_icons)
        self.refresh_icons()
        self.hide()

    @property
    def text(self) -> str:
        return unbreakable(self._text.text())

    @property
    def way_out(self) -> ActionButton | None:
        """The last button of the message."""
        return self._ways_out[-1] if self._ways_out else None

    @property
    def buttons(self) -> tuple[ActionButton, ...]:
        """Buttons in order."""
        return (*self._ways_out, self._close)

    def show_problem(self, text: str, way_out: WayOut = None, *, lasts: bool = False) -> None:
        """Show an error, with an action to resolve it; `lasts`: it stays until withdrawn."""
        self.problems.append(text)
        self._add(_Message("warning", in_words(text), _listed(way_out), lasts))

    def show_notice(self, text: str, way_out: WayOut = None) -> None:
        """Show a notice, with an action or several."""
        self._add(_Message("info", in_words(text), _listed(way_out), False))

    def withdraw(self, text: str) -> None:
        """Remove a message that no longer applies."""
        self._keep([each for each in self._messages if each.text != in_words(text)])

    def drop_passing(self) -> None:
        """Remove all messages that do not last."""
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
        text = message.text
        self.refresh_icons()
        for button in self._ways_out:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._ways_out = tuple(map(ActionButton, message.ways_out))
        for place, button in enumerate(self._ways_out, 2):
            self._row.insertWidget(place, button)
        self._text.setText(breakable(text))
        self._text.setAccessibleName(text)
        self.show()
        self.shown.emit()

    def close_message(self) -> None:
        """Remove the shown message; an earlier one that lasts reappears."""
        self._keep(self._messages[:-1])
        self.closed.emit()

    def refresh_icons(self) -> None:
        """Fetch the icons in the theme's colours."""
        icon = self._messages[-1].icon if self._messages else "info"
        self._mark.setPixmap(self._theme.icon(icon).pixmap(ICON_PIXELS, ICON_PIXELS))
        self._dismiss.setIcon(self._theme.icon("close"))


def _listed(way_out: WayOut) -> tuple[QAction, ...]:
    if way_out is None:
        return ()
    return (way_out,) if isinstance(way_out, QAction) else tuple(way_out)
