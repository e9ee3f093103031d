"""Messages that float over the foot of a page, so that nothing below them moves, with buttons to act on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QShowEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QMenu, QSizePolicy, QWidget

from app.look.problems import in_words
from app.look.text_layout import breakable, unbreakable
from app.look.theme import Theme, as_letters_grow
from app.widgets.action_button import ICON_PIXELS, ActionButton
from app.widgets.layouts import Stretch, in_column, in_row

WIDEST_PIXELS = 720
MOST_AT_ONCE = 3
MOST_BESIDE = 1
"""Most buttons that stand beside a sentence; more of them stand below it."""

GAP_PIXELS = 10
NOTICE_SECONDS, OFFER_SECONDS = 15, 45
"""Time for which a notice is shown to an active window: without a button, and with one."""

WayOut = QAction | Sequence[QAction] | None
"""Actions that a message offers."""

KEPT_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class _Message:
    """A message of one sentence.

    Attributes:
        lasts: whether it stays until it is withdrawn, beside messages that pass.
    """

    icon: str
    text: str
    ways_out: tuple[QAction, ...]
    lasts: bool

    @property
    def seconds(self) -> int | None:
        """Return how long it is shown; None is until it is closed."""
        if self.lasts or self.icon != "info":
            return None
        return OFFER_SECONDS if self.ways_out else NOTICE_SECONDS


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


class _Card(QFrame):
    """One message, with its buttons and one that closes it."""

    def __init__(self, message: _Message, theme: Theme, close: Callable[[], None]) -> None:
        super().__init__()
        self.message = message
        self._theme = theme
        self._mark = QLabel()
        self.sentence = _Sentence(breakable(message.text))
        self.sentence.setAccessibleName(message.text)
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.ways_out = tuple(map(ActionButton, message.ways_out))
        self._dismiss = QAction(self.tr("Close message"), self)
        self._dismiss.triggered.connect(close)
        self.close_button = ActionButton(self._dismiss, "flat")
        self.close_button.set_compact(True)
        self.setObjectName("message")
        row = in_row(self._mark, (self.sentence, 1), spacing=12)
        below = in_row(Stretch(1), spacing=12)
        for button in self.ways_out:
            (below if len(self.ways_out) > MOST_BESIDE else row).addWidget(button)
        row.addWidget(self.close_button)
        in_column(row, below, on=self, margins=(16, 8, 8, 8), spacing=4 if below.count() > 1 else 0)
        self.refresh_icons()

    @property
    def buttons(self) -> tuple[ActionButton, ...]:
        return (*self.ways_out, self.close_button)

    def refresh_icons(self) -> None:
        self._mark.setPixmap(self._theme.icon(self.message.icon).pixmap(ICON_PIXELS, ICON_PIXELS))
        self._dismiss.setIcon(self._theme.icon("close"))


class MessageBar(QWidget):
    """Shows errors and notices until they are closed, replaced or withdrawn; a notice also passes by itself.

    Messages of the engine and the threads are translated into the language of the window. Those that last stand above
    the newest one that passes.

    Attributes:
        problems: the last errors that were shown, the newest last.

    Signals:
        shown: there is a new message, possibly with a button.
        closed: the user closed one.
        placed: how many pixels at the foot of the room are covered.
    """

    shown = Signal()
    closed = Signal()
    placed = Signal(int)

    def __init__(self, theme: Theme, over: QWidget, room: Callable[[], QRect] | None = None) -> None:
        """Float over a widget, at the foot of a part of it, or of all of it."""
        super().__init__(over)
        self._theme = theme
        self.problems: deque[str] = deque(maxlen=KEPT_PROBLEMS)
        self._room = room or over.rect
        self._messages: list[_Message] = []  # the earlier ones all last
        self._cards: list[_Card] = []
        self._seconds = 0  # for which the newest has been shown
        self._second = QTimer(self, interval=1000)
        self._second.timeout.connect(self.pass_a_second)
        self._column = in_column(on=self, margins=0, spacing=6)
        theme.changed.connect(self.refresh_icons)
        over.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        """The newest message, or the last one that was shown."""
        return unbreakable(self._cards[-1].sentence.text()) if self._cards else ""

    @property
    def way_out(self) -> ActionButton | None:
        """The last button of the newest message."""
        ways_out = self._cards[-1].ways_out if self._cards else ()
        return ways_out[-1] if ways_out else None

    @property
    def buttons(self) -> tuple[ActionButton, ...]:
        """Buttons in order."""
        return tuple(button for card in self._cards for button in card.buttons)

    def show_problem(self, text: str, way_out: WayOut = None, *, lasts: bool = False) -> None:
        """Show an error, with an action to resolve it; `lasts`: it stays until withdrawn."""
        self.problems.append(text)
        self._add(_Message("warning", in_words(text), _listed(way_out), lasts))

    def show_notice(self, text: str, way_out: WayOut = None, *, lasts: bool = False) -> None:
        """Show a notice, with an action or several; `lasts`: it stays until withdrawn."""
        self._add(_Message("info", in_words(text), _listed(way_out), lasts))

    def withdraw(self, text: str) -> None:
        """Remove a message that no longer applies."""
        self._keep([each for each in self._messages if each.text != in_words(text)])

    def drop_passing(self) -> None:
        """Remove all messages that do not last."""
        self._keep([each for each in self._messages if each.lasts])

    def close_message(self) -> None:
        """Remove the newest message."""
        self._close(self._messages[-1:])

    def pass_a_second(self) -> None:
        """Count how long the newest message was seen, and remove it when it has been long enough.

        It stays while the window is in the background, under the mouse, and while its buttons have the focus.
        """
        newest = self._messages[-1] if self._messages else None
        if newest is None or newest.seconds is None or not self.isActiveWindow() or self.underMouse():
            return
        if (focused := QApplication.focusWidget()) is not None and self.isAncestorOf(focused):
            return
        self._seconds += 1
        if self._seconds >= newest.seconds:
            self._keep(self._messages[:-1])

    def place(self) -> None:
        """Move to the foot of the room."""
        room = self._room()
        width = max(1, min(room.width() - 2 * GAP_PIXELS, as_letters_grow(WIDEST_PIXELS)))
        height = self._column.heightForWidth(width) if self._column.hasHeightForWidth() else self.sizeHint().height()
        self.setGeometry(
            (2 * room.left() + room.width() - width) // 2, room.bottom() - GAP_PIXELS - height + 1, width, height
        )
        self.raise_()
        self._say_place()

    def refresh_icons(self) -> None:
        """Fetch the icons in the theme's colours."""
        for card in self._cards:
            card.refresh_icons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self.place()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.place()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._say_place()

    def _say_place(self) -> None:
        self.placed.emit(0 if self.isHidden() else self.height() + 2 * GAP_PIXELS)

    def _add(self, message: _Message) -> None:
        before = [each for each in self._messages if each.lasts and each.text != message.text]
        self._seconds = 0
        self._messages = [*before, message]
        self._show()
        self.shown.emit()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, message.text))

    def _close(self, messages: list[_Message]) -> None:
        self._keep([each for each in self._messages if each not in messages])
        self.closed.emit()

    def _keep(self, messages: list[_Message]) -> None:
        if messages != self._messages:
            self._messages = messages
            self._show()

    def _show(self) -> None:
        """Show the newest messages."""
        if not self._messages:
            self._second.stop()
            self.hide()
            return
        shown = self._messages[-MOST_AT_ONCE:]
        kept = {card.message: card for card in self._cards}
        for message, card in kept.items():
            self._column.removeWidget(card)
            if message not in shown:
                card.hide()
                card.deleteLater()
        self._cards = [kept.get(each) or self._new_card(each) for each in shown]
        for card in self._cards:
            self._column.addWidget(card)
            card.show()
        self._second.start()
        self.show()
        self.place()

    def _new_card(self, message: _Message) -> _Card:
        return _Card(message, self._theme, lambda: self._close([message]))


def _listed(way_out: WayOut) -> tuple[QAction, ...]:
    if way_out is None:
        return ()
    return (way_out,) if isinstance(way_out, QAction) else tuple(way_out)
