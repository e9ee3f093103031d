"""The pane of notes beside a transcript: sections, their lines, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QFileDialog,
    QFrame,
    QLabel,
    QListView,
    QMenu,
    QWidget,
)

from app.look.text_layout import breakable
from app.notes.note_row import NoteRow
from app.notes.notes_model import NotesModel
from app.widgets.action_button import ActionButton
from app.widgets.layouts import in_column, in_row
from engine.errors import FileError
from engine.notes.records import Notes
from engine.notes.template import TEMPLATES, USUAL, load_template

LEAST_PIXELS, LEAST_LIST_PIXELS = 260, 72
LOW_PIXELS = 190
"""Least height of a pane that shows the notes and something below them; a lower one shows either."""
BESIDE_FROM_PIXELS = 620
"""Least width for a transcript and its notes side by side; on a narrower page they stand below each other."""


class NotesList(QListView):
    """The lines of notes, which wrap.

    Signals:
        opened: the index of a line that was clicked, or chosen by the return key.
    """

    opened = Signal(QModelIndex)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(NoteRow(self))
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setProperty("role", "sidebar")  # whose current row shows the focus
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.clicked.connect(self.opened)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # lines wrap by the width

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.selectedIndexes():
            rows = (self.model().index(row, 0) for row in range(self.model().rowCount()))
            self.setCurrentIndex(
                next((each for each in rows if each.flags() & Qt.ItemFlag.ItemIsSelectable), QModelIndex())
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class NotesPane(QFrame):
    """Shows Notes.

    Attributes:
        model: the rows.
        list: shows them.
        template: the chooser of the template.
        make: makes the notes again.

    Signals:
        wanted: the person wants notes made again.
        edited: the Notes, after a person has changed them.
        lines_chosen: the numbers of the transcript's lines that a note rests on.
        problem_found: a sentence.
    """

    wanted = Signal()
    edited = Signal(object)
    lines_chosen = Signal(object)
    problem_found = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "side")
        self.setAccessibleName(self.tr("Notes"))
        self.setMinimumWidth(LEAST_PIXELS)
        self.model = NotesModel(self)
        self.list = NotesList()
        self.list.setAccessibleName(self.tr("Notes"))
        self.list.setMinimumHeight(LEAST_LIST_PIXELS)
        self.list.setModel(self.model)
        self.template = QComboBox()
        self.template.setView(QListView())  # unlike the built-in one, it follows the style sheet
        self.template.setAccessibleName(self.tr("Template"))
        self.make = QAction(self.tr("Make a&gain"), self)
        self.make.triggered.connect(self.wanted)
        self.make_button = ActionButton(self.make, "flat")
        self.about = QLabel()
        self.about.setProperty("role", "small")
        self.about.setWordWrap(True)
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self._below = QWidget()
        self._chosen = USUAL
        self._change = self._own_action(self.tr("Change"), QKeySequence(Qt.Key.Key_F2), self._edit)
        self._add = self._own_action(self.tr("Add a line"), QKeySequence(Qt.Key.Key_Insert), self._add_line)
        self._remove = self._own_action(self.tr("Remove"), QKeySequence(Qt.Key.Key_Delete), self._remove_line)
        self._offer_templates()
        self._lay_out()
        self.model.edited.connect(self.edited)
        self.list.opened.connect(self._open)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.template.activated.connect(self._choose_template)
        self.show_notes(None, {})

    @property
    def chosen_template(self) -> str:
        """Return the name of the template, or its file."""
        return self._chosen

    def show_notes(self, notes: Notes | None, starts: Mapping[int, float], *, working: bool = False) -> None:
        """Show notes, unless a person is changing a line; `starts` are the seconds of the transcript's lines."""
        if self.list.state() == QAbstractItemView.State.EditingState:
            return
        scrolled = self.list.verticalScrollBar().value()
        self.model.show_notes(notes, starts)
        empty = self.model.rowCount() == 0  # nothing would show that it has the focus
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus if empty else Qt.FocusPolicy.StrongFocus)
        self.list.verticalScrollBar().setValue(scrolled)
        self.about.setText(self._words(notes, working))
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        high, empty = self.height() >= LOW_PIXELS, self.model.rowCount() == 0
        self._below.setVisible(high or empty)
        self.list.setVisible(high or not empty)

    def _words(self, notes: Notes | None, working: bool) -> str:
        if working:
            return self.tr("Notes are being made, while there is nothing else to do.")
        if notes is None:
            return self.tr("There are no notes yet.")
        if not notes.lines:
            return self.tr("Nothing was found for these sections.")
        if not notes.writer:
            return self.tr("All lines are chosen from what was said; nothing is made up.")
        text = self.tr("Written by {}. What nothing supports is left out.")
        return breakable(text.format(notes.writer))

    def _open(self, index: QModelIndex) -> None:
        line = self.model.line_at(index)
        if line is not None and line.rests_on:
            self.lines_chosen.emit(line.rests_on)

    # --- changes by hand ---

    def _edit(self) -> None:
        if self.model.line_at(self.list.currentIndex()) is not None:
            self.list.edit(self.list.currentIndex())

    def _add_line(self) -> None:
        if self.list.currentIndex().isValid():
            row = self.model.add_line(self.list.currentIndex(), self.tr("New line"))
            self.list.setCurrentIndex(self.model.index(row))
            self._edit()

    def _remove_line(self) -> None:
        if self.model.line_at(self.list.currentIndex()) is not None:
            self.model.remove_line(self.list.currentIndex())

    def menu(self) -> QMenu:
        """Make the menu of the current line; it is deleted when it closes."""
        menu = QMenu(self.window())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        is_line = self.model.line_at(self.list.currentIndex()) is not None
        self._change.setEnabled(is_line)
        self._remove.setEnabled(is_line)
        menu.addActions([self._change, self._add, self._remove, menu.addSeparator(), self.make])
        return menu

    def _show_menu(self, where: QPoint) -> None:
        if self.list.currentIndex().isValid():
            self.menu().popup(self.list.viewport().mapToGlobal(where))

    def _own_action(self, text: str, keys: QKeySequence, do: object) -> QAction:
        action = QAction(text, self.list)
        action.setShortcut(keys)
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(do)
        self.list.addAction(action)
        return action

    # --- templates ---

    def _offer_templates(self) -> None:
        names = (self.tr("Meeting"), self.tr("Lecture"), self.tr("Interview"), self.tr("One-to-one"))
        for name, template in zip(names, TEMPLATES, strict=True):
            self.template.addItem(name, template)
        self.template.addItem(self.tr("From a file…"), "")

    def choose_template(self, name: str) -> None:
        """Show a template as the chosen one: a name, or a file."""
        place = self.template.findData(name)
        if place < 0:
            place = self.template.count() - 1
            self.template.insertItem(place, Path(name).stem, name)
        self._chosen = name
        self.template.setCurrentIndex(place)

    def _choose_template(self) -> None:
        name = self.template.currentData() or self._ask_for_file()
        try:
            load_template(name or self._chosen)
        except FileError as error:
            self.problem_found.emit(str(error))
            name = ""
        before = self._chosen
        self.choose_template(name or before)
        if self._chosen != before:
            self.wanted.emit()

    def _ask_for_file(self) -> str:
        kind = self.tr("Templates of notes (*.md *.txt)")
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Template"), "", kind)
        return name

    def _lay_out(self) -> None:
        title = QLabel(self.tr("Notes"))
        title.setProperty("role", "heading")
        title.setBuddy(self.template)  # on Linux a screen reader names a chooser by its label
        above = in_row(title, (self.template, 1), margins=(16, 8, 12, 6), spacing=12)
        in_row((self.about, 1), self.make_button, on=self._below, margins=(16, 2, 8, 4), spacing=8)
        in_column(above, (self.list, 1), self._below, on=self, margins=0, spacing=0)


class WithNotes(QWidget):
    """A widget with notes beside it; below it, where there is no room."""

    def __init__(self, widget: QWidget, notes: NotesPane, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = in_row((widget, 3), (notes, 2), on=self, margins=0, spacing=0)
        self._row: QBoxLayout = row
        notes.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= BESIDE_FROM_PIXELS
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        is_low = not beside and self.height() < 2 * LOW_PIXELS
        self._row.setStretch(1, 4 if is_low else 2)  # the notes' title takes most of a small share
