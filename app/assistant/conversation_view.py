"""The conversation on the page: its exchanges one below the other, with the newest words in view."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QIcon, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.assistant.conversation_model import ConversationModel
from app.assistant.exchange_view import ExchangeView
from app.assistant.live_assistant import LiveAssistant
from app.look.theme import Theme
from app.widgets.layouts import Stretch, in_column

REPAINT_MILLISECONDS = 50
WIDEST_PIXELS = 860
SIDE_PIXELS, NARROW_SIDE_PIXELS, NARROW_PIXELS = 36, 18, 560
SLACK_PIXELS = 12

USUAL_VIEWS = 20
"""Number of newest exchanges that have a view; they fill the page twice, and each takes a quarter of a megabyte.
Views of earlier ones are created when the reader scrolls up to them.
"""

MADE_AT_ONCE = 10


class ConversationView(QScrollArea):
    """Shows a LiveAssistant's conversation; follows the newest words until the reader scrolls up.

    Attributes:
        following: the newest words are kept in view.

    Signals:
        following_changed: the reader has scrolled away from the newest words, or back to them.
        copy_wanted: a text is to be copied.
        quote_chosen: a Quote of captions, to be shown where it stands.
    """

    following_changed = Signal(bool)
    copy_wanted = Signal(str)
    quote_chosen = Signal(object)

    def __init__(self, assistant: LiveAssistant, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.following = True
        self._assistant = assistant
        self._model: ConversationModel = assistant.conversation
        self._theme = theme
        self._views: list[ExchangeView] = []
        self._first = 0  # the place of the exchange that the first view shows
        self._is_reaching_back = False
        self._icons = self._fetch_icons()
        self._changed: set[int] = set()
        self._text_font: QFont | None = None
        self._has_details = False
        self._rest = QTimer(self, singleShot=True, interval=REPAINT_MILLISECONDS)
        self._rest.timeout.connect(self.refresh)
        self.setProperty("role", "surface")
        self.setAccessibleName(self.tr("Conversation"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        content = QWidget()
        content.setProperty("role", "surface")
        content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._column = in_column(Stretch(1), on=content, spacing=26)
        self.setWidget(content)
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._keep_up)
        bar.valueChanged.connect(self._note_scrolling)
        self._model.added.connect(self._add)
        self._model.changed.connect(self._note)
        self._model.dropped.connect(self._drop_oldest)
        self._model.cleared.connect(self._clear)
        theme.changed.connect(self._refresh_colours)

    @property
    def views(self) -> tuple[ExchangeView, ...]:
        """The present views, oldest first: of the newest exchanges, and of those that were scrolled up to."""
        return tuple(self._views)

    def set_text_font(self, font: QFont) -> None:
        """Change the font of questions and answers."""
        self._text_font = font
        for view in self._views:
            self._dress(view)

    def show_details(self, shown: bool) -> None:
        """Show or hide how quick every answer was, and which part of the newest was drafted."""
        self._has_details = shown
        for view in self._views:
            view.show_details(shown)

    def jump_to_newest(self) -> None:
        """Follow the newest words again."""
        self._set_following(True)
        self._keep_up()

    def refresh(self) -> None:
        """Show all changes since the last call."""
        for place in sorted(self._changed):
            if place >= self._first:
                self._show_exchange(self._views[place - self._first], place)
        if self._changed:
            self._changed.clear()
            self._rest.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _show_exchange(self, view: ExchangeView, place: int) -> None:
        exchange = self._model.exchanges[place]
        view.show_exchange(exchange, can_replay=self._assistant.can_replay(exchange.number))

    def _add(self, place: int) -> None:
        if self._views:
            self._views[-1].grow_old()
        view = self._make(place)
        self._views.append(view)
        self._column.addWidget(view)
        self._leave_earliest()
        self.jump_to_newest()  # who asks wants to see the answer

    def _make(self, place: int) -> ExchangeView:
        view = ExchangeView(self._model.exchanges[place], self._theme)
        view.copy_wanted.connect(lambda: self.copy_wanted.emit(view.exchange.shown))
        view.replay_wanted.connect(lambda: self._assistant.replay(view.exchange.number or 0))
        view.quote_chosen.connect(self.quote_chosen)
        view.undo_wanted.connect(lambda: self._model.undo(view.exchange.number or 0))
        view.set_icons(*self._icons)
        self._dress(view)
        view.fit(self._text_width())
        return view

    def _leave_earliest(self) -> None:
        """Delete the views far above the present place."""
        while len(self._views) > USUAL_VIEWS:
            rest = self._column.sizeHint().height() - self._views[0].sizeHint().height()
            if rest < 2 * self.viewport().height():
                return
            self._first += 1
            self._remove(self._views.pop(0))

    def _reach_back(self) -> None:
        """Create the views of earlier exchanges once the reader comes close to them; the text in view does not move."""
        bar = self.verticalScrollBar()
        if self._is_reaching_back or not self.isVisible():
            return
        self._is_reaching_back = True
        while self._first and bar.value() <= self.viewport().height() // 2:
            top, was_at = self._views[0], self._views[0].y()
            for _ in range(min(MADE_AT_ONCE, self._first)):
                self._add_earlier()
            self._column.activate()
            QCoreApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))  # the bar learns it at once
            bar.setValue(bar.value() + top.y() - was_at)
        self._is_reaching_back = False

    def _add_earlier(self) -> None:
        self._first -= 1
        view = self._make(self._first)
        view.grow_old()
        self._show_exchange(view, self._first)
        self._views.insert(0, view)
        self._column.insertWidget(1, view)  # behind the stretch
        view.show()

    def _dress(self, view: ExchangeView) -> None:
        view.show_details(self._has_details)
        if self._text_font is not None:
            view.set_text_font(self._text_font)

    def _note(self, place: int) -> None:
        self._changed.add(place)
        if not self._rest.isActive():
            self.refresh()

    def _drop_oldest(self) -> None:
        if self._first:
            self._first -= 1
        else:
            self._remove(self._views.pop(0))
        self._changed = {place - 1 for place in self._changed if place}

    def _clear(self) -> None:
        for view in self._views:
            self._remove(view)
        self._views.clear()
        self._first = 0
        self._changed.clear()

    def _remove(self, view: ExchangeView) -> None:
        self._column.removeWidget(view)
        view.hide()
        view.deleteLater()

    def _fetch_icons(self) -> tuple[QIcon, QIcon]:
        return self._theme.icon("copy", "quiet"), self._theme.icon("speaker", "quiet")

    def _refresh_colours(self) -> None:
        self._icons = self._fetch_icons()
        for view in self._views:
            view.set_icons(*self._icons)
            view.refresh()

    def _text_width(self) -> int:
        return min(self.viewport().width() - 2 * self._side(), WIDEST_PIXELS)

    def _side(self) -> int:
        return NARROW_SIDE_PIXELS if self.viewport().width() < NARROW_PIXELS else SIDE_PIXELS

    def _lay_out(self) -> None:
        spare = max(self.viewport().width() - 2 * self._side() - WIDEST_PIXELS, 0) // 2
        self._column.setContentsMargins(self._side() + spare, 26, self._side() + spare, 22)
        for view in self._views:
            view.fit(self._text_width())

    def _set_following(self, following: bool) -> None:
        if following != self.following:
            self.following = following
            self.following_changed.emit(following)

    def _keep_up(self) -> None:
        if self.following:
            bar = self.verticalScrollBar()
            bar.setValue(bar.maximum())
        self._reach_back()

    def _note_scrolling(self, value: int) -> None:
        self._set_following(value >= self.verticalScrollBar().maximum() - SLACK_PIXELS)
        self._reach_back()
