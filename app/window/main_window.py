"""The main window: a page at a time, the rail between them, and a bar for messages."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QContextMenuEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QHBoxLayout,
    QMainWindow,
    QMessageBox,
    QStackedWidget,
    QWidget,
)

from app.actions import Actions
from app.captions.page.captions_page import CaptionsPage
from app.captions.session import LiveSession
from app.look.theme import Theme
from app.preferences.preferences import Page, Window
from app.widgets.layouts import in_column, in_row
from app.widgets.message_bar import MessageBar
from app.widgets.open_audio import dropped_paths
from app.widgets.screen_room import fit_to_screen
from app.window.rail import Rail
from app.window.shortcut_list import ShortcutList

LAST_WORDS_MILLISECONDS = 2500
RAIL_FROM_PIXELS = 640
PAGE_PIXELS = 280
PAGES: tuple[Page, ...] = get_args(Page)
MOST_PIXELS = 16_777_215
"""Qt's maximum size of a widget."""


class MainWindow(QMainWindow):
    """Rail, message, page; menus; an audio file can be dropped anywhere.

    Attributes:
        captions: the page of live captions.
        message: the bar above every page.
        stays: called when the window is being closed; returns whether it was only hidden.
        may_leave: called before quitting; returns whether nothing would be lost, or the user agrees.

    Signals:
        left: the window has closed, and nothing is being recorded any more.
        files_given: a list of Path to transcribe.
        file_given: a Path, of which is not known yet what to do with it.
    """

    left = Signal()
    files_given = Signal(object)
    file_given = Signal(object)

    def __init__(
        self,
        captions: CaptionsPage,
        others: Mapping[QAction, QWidget],
        tuning: QWidget,
        theme: Theme,
        actions: Actions,
    ) -> None:
        """Build the window; `others` are the pages beside the captions', by their action in the rail."""
        super().__init__()
        self.captions = captions
        self._body = QWidget()
        self.message = MessageBar(theme, self._body, self._room_for_messages)
        self.rail = Rail(actions.pages, (actions.overlay, actions.tuning, actions.settings))
        self._actions = actions
        self._pages = {actions.captions_page: captions, **others}
        self._stack = QStackedWidget()
        self._tuning = tuning
        self.stays: Callable[[], bool] = lambda: False
        self.may_leave: Callable[[], bool] = lambda: True
        self._is_leaving = False
        self._lay_out()
        self._connect()
        self.setFocus()

    def _lay_out(self) -> None:
        self.setWindowTitle("Earshot")
        self.setMinimumSize(QSize(440, 400))
        self.resize(1080, 720)
        self.setAcceptDrops(True)
        self._actions.fill(self.menuBar())
        for page in self._pages.values():
            self._stack.addWidget(page)
        self._tuning.hide()
        pages = self._beside = QHBoxLayout()
        pages.addWidget(self._stack, 1)
        pages.addWidget(self._tuning)
        column = self._column = in_column((pages, 1))
        row = in_row(self.rail, (column, 1), on=self._body)
        for layout in (pages, column, row):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self.setCentralWidget(self._body)
        self._order_focus()

    def _order_focus(self) -> None:
        order = (*self.rail.buttons, *self.message.buttons, *self.captions.focus_order)
        for before, after in itertools.pairwise(order):
            self.setTabOrder(before, after)

    def _connect(self) -> None:
        actions = self._actions
        for action in actions.pages:
            action.toggled.connect(self._show_page)
        actions.tuning.toggled.connect(self._arrange)
        actions.quit.triggered.connect(self._quit)
        actions.close_window.triggered.connect(lambda: (QApplication.activeWindow() or self).close())
        actions.cut.triggered.connect(lambda: _call_field("cut"))
        actions.paste.triggered.connect(lambda: _call_field("paste"))
        actions.select_all.triggered.connect(lambda: _call_field("selectAll"))
        actions.minimise.triggered.connect(self.showMinimized)
        actions.about.triggered.connect(self._show_about)
        actions.shortcuts.triggered.connect(self._show_shortcuts)
        self.captions.file_chosen.connect(self.file_given)
        for action in (actions.start, actions.demo, actions.open_file):
            action.triggered.connect(actions.captions_page.trigger)
        self.message.shown.connect(self._order_focus)
        self.message.placed.connect(self.captions.stage.keep_clear)

    def show_below(self, strip: QWidget) -> None:
        """Show a strip at the foot of every page, while it is visible."""
        self._column.addWidget(strip)

    @property
    def session(self) -> LiveSession:
        """The session that the captions page shows."""
        return self.captions.session

    def open_file(self, path: Path) -> None:
        """Show the captions page and caption a file; if captions are running, transcribe it instead."""
        if self.session.is_busy:
            self.files_given.emit([path])
            return
        self._actions.captions_page.trigger()
        self.captions.open_file(path)

    def offer_file(self, path: Path) -> None:
        """Ask what to do with a file; if captions are running, transcribe it."""
        if self.session.is_busy:
            self.files_given.emit([path])
        else:
            self.file_given.emit(path)

    def how_it_is(self) -> Window:
        """Return the window's state for the next start."""
        at = next(place for place, action in enumerate(self._actions.pages) if action.isChecked())
        geometry = bytes(self.saveGeometry().toBase64().data()).decode("ascii")
        return Window(geometry, PAGES[at], self._actions.tuning.isChecked(), self._actions.notes.isChecked())

    def restore(self, before: Window) -> None:
        """Restore the window's state; a size or position that does not fit the screens is corrected when it is
        shown.
        """
        if before.geometry:
            self.restoreGeometry(QByteArray.fromBase64(before.geometry.encode("ascii")))
        self._actions.pages[PAGES.index(before.page)].setChecked(True)
        self._actions.tuning.setChecked(before.tuning)
        self._actions.notes.setChecked(before.notes)

    def _quit(self) -> None:
        if self.may_leave():
            self.leave()

    def leave(self) -> None:
        """Quit without asking, whatever the close button does."""
        self.stays, self.may_leave = lambda: False, lambda: True
        self.show()  # a window in the tray cannot be closed
        self.close()

    def _show_page(self, shown: bool) -> None:
        if shown:
            action = next(each for each in self._actions.pages if each.isChecked())
            page = self._pages[action]
            self._stack.setCurrentWidget(page)
            self._arrange()
            page.setFocus()

    def _arrange(self) -> None:
        """Arrange page and tuning panel by the available width; if there is not enough for both, show the tuning
        panel.

        The bar that ends a recording stays visible below it.
        """
        tunable = self._actions.captions_page.isChecked() or self._actions.assistant_page.isChecked()
        tunes = self._actions.tuning.isChecked() and tunable
        beside = self._tuning.sizeHint().width() if tunes else 0
        is_low = self._body.height() < self.rail.names_height
        self.rail.set_compact(self.width() - beside < RAIL_FROM_PIXELS or is_low)
        self._tuning.setVisible(tunes)
        covers = tunes and self.width() - self.rail.width() - beside < PAGE_PIXELS
        bar_alone = covers and self._actions.captions_page.isChecked()
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.BottomToTop
        self._beside.setDirection(down if bar_alone else across)
        self._beside.setStretchFactor(self._tuning, int(bar_alone))
        self.captions.show_bar_alone(bar_alone)
        self._stack.setMaximumHeight(self.captions.transport.sizeHint().height() if bar_alone else MOST_PIXELS)
        self._stack.setVisible(bar_alone or not covers)
        if not self.message.isHidden():
            self.message.place()

    def _room_for_messages(self) -> QRect:
        """Return where messages may float: beside rail and tuning, above what ends a recording or asks a question."""
        page: QWidget = self._stack.currentWidget() or self._stack
        covered = self._stack.isHidden() or self.captions.stage.isHidden()
        stage: QWidget = self._tuning if covered else getattr(page, "stage", None) or page
        room = QRect(stage.mapTo(self._body, QPoint(0, 0)), stage.size())
        own = getattr(page, "message", None)  # of the page itself, at its foot
        if own is not None and not own.isHidden():
            room.setBottom(own.mapTo(self._body, QPoint(0, 0)).y() - 1)
        return room

    def _show_about(self) -> None:
        from app.preferences.program import version

        QMessageBox.about(
            self,
            self.tr("About Earshot"),
            self.tr(
                "<h3>Earshot {}</h3><p>Live captions, live translation and a voice assistant, made on your own "
                "computer. Nothing leaves it.</p>"
                "<p>Free software under the GNU General Public License, version 3 or later.</p>"
            ).format(version()),
        )

    def _show_shortcuts(self) -> None:
        ShortcutList(self._actions, self).open()

    def showEvent(self, event: QShowEvent) -> None:
        fit_to_screen(self)
        super().showEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the context menu of the focused widget by Shift+F10: Qt only knows the menu key, which laptops lack."""
        focused = QApplication.focusWidget()
        shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if focused is None or not (shift and event.key() == Qt.Key.Key_F10):
            super().keyPressEvent(event)
            return
        place = QRectF(focused.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)).center().toPoint()
        reason = QContextMenuEvent.Reason.Keyboard
        QApplication.sendEvent(focused, QContextMenuEvent(reason, place, focused.mapToGlobal(place)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Ask what to do with a single file; transcribe several files, and folders."""
        paths = dropped_paths(event.mimeData())
        event.acceptProposedAction()
        if len(paths) == 1 and not paths[0].is_dir():
            self.offer_file(paths[0])
        elif paths:
            self.files_given.emit(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Hide in the tray; or close, once the last words of a recording have come, or at once if asked again.

        Everything that was committed is in the history by then.
        """
        if self.stays() or not self.may_leave():
            event.ignore()
            return
        self.stays, self.may_leave = lambda: False, lambda: True
        asked_again, self._is_leaving = self._is_leaving, True
        if self.session.is_paused:
            self.session.stop()
        if self.session.is_busy and not asked_again:
            event.ignore()
            self.session.finished.connect(self.close)
            QTimer.singleShot(LAST_WORDS_MILLISECONDS, self, self.close)
            self.session.stop()
        else:
            event.accept()
            self.left.emit()


def _call_field(method: str) -> None:
    """Call a method of the focused field or list, if it has such a method."""
    do = getattr(QApplication.focusWidget(), method, None)
    if do is not None:
        do()
