"""The left side of the history: the search, and the sessions that it finds."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QToolButton, QWidget

from app.history.records import Session
from app.history.search import terms_of
from app.history.session_list import SessionList
from app.history.session_row import SessionRow
from app.look.text_layout import breakable, shortened
from app.look.theme import Theme
from app.widgets.action_button import ActionButton
from app.widgets.layouts import Stretch, in_column
from app.widgets.rows import name_clear_button

SEARCH_MILLISECONDS = 180
"""Pause in typing after which a search begins."""

SOUGHT_CHARACTERS = 100
"""Longest part of a search without hits that is quoted back."""

_SELECTING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


class SessionsPane(QWidget):
    """Shows sessions to choose from: one to be read, several with Ctrl or Shift.

    Attributes:
        field: for the search.
        list: the sessions.

    Signals:
        searched: the text of the search has changed.
        chosen: a Session, or None if none is chosen any more.
        selected_changed: the selection has changed.
        opened: the chosen session is to be read.
        deletion_wanted: the selected sessions are to be deleted.
        menu_wanted: the QPoint of the screen for the menu of the selected sessions.
    """

    searched = Signal(str)
    chosen = Signal(object)
    selected_changed = Signal()
    opened = Signal()
    deletion_wanted = Signal()
    menu_wanted = Signal(object)

    def __init__(self, theme: Theme, keep: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chosen: int | None = None
        self._coming: tuple[int, ...] = ()
        self._selected: frozenset[int] = frozenset()  # as before the list was replaced
        self.model = SessionList(self)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Search"))
        self.field.setAccessibleName(self.tr("Search the history"))
        self.field.setToolTip(
            self.tr(
                'Finds words by how they begin, in what was said, translated and answered; use quotes for an "exact '
                'phrase"'
            )
        )
        self.field.setClearButtonEnabled(True)
        name_clear_button(self.field)
        self._find = QAction(self.tr("Search"), self)
        self.field.addAction(self._find, QLineEdit.ActionPosition.LeadingPosition)
        self.field.findChildren(QToolButton)[-1].setAccessibleName(self._find.text())
        self._row = SessionRow(theme, self)
        self.list = QListView()
        self.list.setProperty("role", "plain")
        self.list.setModel(self.model)
        self.list.setItemDelegate(self._row)
        self.list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setAccessibleName(self.tr("Sessions"))
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.nothing = QLabel()
        self.nothing.setProperty("role", "quiet")
        self.nothing.setWordWrap(True)
        self.nothing.setTextFormat(Qt.TextFormat.PlainText)
        self.nothing.hide()
        self.off = QWidget()
        self.keep = ActionButton(keep)
        self._rest = QTimer(self, singleShot=True, interval=SEARCH_MILLISECONDS)
        self._rest.timeout.connect(self._search)
        self._lay_out()
        self.field.textChanged.connect(self._note_typing)
        self.field.returnPressed.connect(self._go_to_list)
        self.list.clicked.connect(self._note_click)
        self.list.activated.connect(self._open)
        self.list.installEventFilter(self)
        self.list.customContextMenuRequested.connect(self._want_menu)
        self.list.selectionModel().currentChanged.connect(self._note_current)
        self.list.selectionModel().selectionChanged.connect(self._note_selection)
        self.model.modelReset.connect(self._restore_choice)
        theme.changed.connect(self.refresh_icons)
        self.refresh_icons()

    @property
    def search(self) -> str:
        """Return the text of the search."""
        return self.field.text().strip()

    def show_sessions(self, sessions: Sequence[Session]) -> None:
        """Show all sessions, or those that a search found."""
        self._row.terms = terms_of(self.search)
        self.model.show(sessions)
        self.list.viewport().update()
        self.nothing.setVisible(not sessions)
        self.list.setVisible(bool(sessions))
        sought = shortened(self.search, SOUGHT_CHARACTERS)
        self.nothing.setText(breakable(self.tr("Nothing was found for “{}”.").format(sought)) if sought else "")

    def show_off(self, off: bool) -> None:
        """Show that nothing is being kept."""
        self.off.setVisible(off)

    @property
    def selected(self) -> tuple[Session, ...]:
        """The selected sessions, in the order of the list."""
        indexes = sorted(self.list.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return tuple(each for index in indexes if (each := self.model.session_at(index)) is not None)

    @property
    def meant(self) -> tuple[Session, ...]:
        """Return the selected sessions, or else the one that is being read."""
        current = self.model.session_at(self.list.currentIndex())
        return self.selected or ((current,) if current is not None else ())

    def choose(self, session: int) -> None:
        """Choose a session and no other, as soon as it is in the list: the history may still be opening."""
        if self.model.row_of(session) < 0:
            self.choose_later((session,))
            return
        self._chosen, self._selected = session, frozenset((session,))
        self._restore_choice()

    def choose_later(self, sessions: Sequence[int]) -> None:
        """Choose sessions as soon as they are in the list; the first one is to be read."""
        self._coming = tuple(sessions)

    def forget_choice(self) -> None:
        """Choose none."""
        self._chosen, self._selected = None, frozenset()
        self.list.selectionModel().clear()

    def choose_neighbour(self, sessions: Collection[int]) -> None:
        """Choose the session after those that are about to be deleted, or else the one before them."""
        ids = [each.id for each in self.model.sessions]
        places = [place for place, each in enumerate(ids) if each in sessions]
        if places:
            following = [each for each in ids[places[0] :] if each not in sessions] or ids[: places[0]][-1:]
            self._chosen = following[0] if following else ids[places[0]]
            self._selected = frozenset((self._chosen,))

    def refresh_icons(self) -> None:
        self._find.setIcon(self._theme.icon("find", "quiet"))
        self.list.viewport().update()

    def _note_typing(self) -> None:
        if self.search:
            self._rest.start()
        else:
            self._search()

    def _search(self) -> None:
        self._rest.stop()
        self.searched.emit(self.search)

    def _go_to_list(self) -> None:
        if self._rest.isActive():
            self._search()
        self.list.setFocus()

    def _note_click(self, index: QModelIndex) -> None:
        """Select on a click with Ctrl or Shift, and open nothing."""
        if not QGuiApplication.keyboardModifiers() & _SELECTING:
            self._open(index)

    def _want_menu(self, point: QPoint) -> None:
        index = self.list.indexAt(point)
        if self.model.session_at(index) is not None and self.selected:
            self.menu_wanted.emit(self.list.viewport().mapToGlobal(point))

    def _open(self, index: QModelIndex) -> None:
        if self.model.session_at(index) is not None:
            self.opened.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        pressed = event.key() if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress else None
        if watched is self.list and pressed in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.deletion_wanted.emit()
            return True
        return super().eventFilter(watched, event)

    def _restore_choice(self) -> None:
        if self._coming and self.model.row_of(self._coming[0]) >= 0:
            self._chosen, self._selected, self._coming = self._coming[0], frozenset(self._coming), ()
        row = self.model.row_of(self._chosen) if self._chosen is not None else -1
        if row >= 0:
            self._select(row)
        elif self._chosen is not None:
            self._chosen, self._selected = None, frozenset()
            self.list.clearSelection()
            self.chosen.emit(None)

    def _select(self, row: int) -> None:
        """Restore the selection as far as possible, with one session current."""
        chosen = QItemSelection()
        for index in map(self.model.index, range(self.model.rowCount())):
            session = self.model.session_at(index)
            if session is not None and (session.id in self._selected or index.row() == row):
                chosen.select(index, index)
        flags, selection = QItemSelectionModel.SelectionFlag, self.list.selectionModel()
        selection.setCurrentIndex(self.model.index(row), flags.NoUpdate)
        selection.select(chosen, flags.ClearAndSelect)  # all at once: each selection searches through all of them

    def _note_selection(self) -> None:
        self._selected = frozenset(each.id for each in self.selected)
        self.selected_changed.emit()

    def _note_current(self, current: QModelIndex) -> None:
        session = self.model.session_at(current)
        if session is not None:
            self._chosen = session.id
            self.chosen.emit(session)

    def _lay_out(self) -> None:
        explanation = QLabel(self.tr("History is off: nothing that is said now is kept."))
        explanation.setProperty("role", "small")
        explanation.setWordWrap(True)
        in_column(explanation, (self.keep, 0, Qt.AlignmentFlag.AlignLeft), on=self.off, margins=(16, 8, 16, 12))
        top = in_column(self.field, margins=(12, 12, 12, 6))
        nothing = in_column(self.nothing, margins=(20, 12, 20, 0))
        in_column(top, nothing, (self.list, 1), Stretch(), self.off, on=self, margins=0, spacing=0)
        self.off.hide()
