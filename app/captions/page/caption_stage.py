"""The middle of the captions page: the invitation to start, or the captions with what helps to read them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from app.actions import Actions
from app.captions.page.empty_stage import EmptyStage
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_view import CaptionView
from app.transcript.find_bar import FindBar
from app.widgets.action_button import ActionButton
from app.widgets.labels import announce
from app.widgets.layouts import in_column

MARGIN_PIXELS, GAP_PIXELS = 22, 10


class CaptionStage(QStackedWidget):
    """Shows one of the two; over the captions float the ways to the newest words and back to the newest mark.

    Attributes:
        captions: the transcript.
        find_bar: above it, while words are looked for.
        newest, back: the floating buttons.
        may_correct: returns whether a caption, by its id, can be corrected.

    Signals:
        speaker_wanted: the ids of captions of which a person wants to say who spoke.
        correction_wanted: the QPoint of the view at which a person wants to correct a caption.
    """

    speaker_wanted = Signal(object)
    correction_wanted = Signal(QPoint)

    def __init__(self, model: CaptionModel, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stage")
        self.empty = EmptyStage(actions)
        self.captions = CaptionView(model)
        self.find_bar = FindBar(self.captions)
        self.newest = ActionButton(actions.newest, "floating", self.captions)
        self.newest.hide()
        self.back = ActionButton(actions.return_to_mark, "floating", self.captions)
        self.back.hide()
        self._side_of_mark = 0
        self.may_correct: Callable[[int], bool] = lambda caption: False
        self._covered = 0  # pixels at the foot
        actions.return_to_mark.setEnabled(False)
        self._page = QWidget()
        in_column(self.find_bar, (self.captions, 1), on=self._page, margins=0, spacing=0)
        self.addWidget(self.empty)
        self.addWidget(self._page)
        self.captions.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.captions.customContextMenuRequested.connect(self._open_menu)
        self.captions.installEventFilter(self)
        self.captions.following_changed.connect(self._offer_newest)
        self.find_bar.closed.connect(self.captions.setFocus)
        actions.newest.triggered.connect(self.captions.jump_to_newest)
        actions.mark_place.triggered.connect(self._mark_place)
        actions.return_to_mark.triggered.connect(self._return_to_mark)
        actions.find.triggered.connect(self._find)
        self.captions.marks.changed.connect(self._offer_mark)
        self.captions.written.connect(self._offer_mark)
        self.captions.verticalScrollBar().valueChanged.connect(self._offer_mark)

    @property
    def is_empty(self) -> bool:
        return self.currentWidget() is self.empty

    def show_captions(self, show: bool) -> None:
        self.setCurrentWidget(self._page if show else self.empty)

    def keep_clear(self, pixels: int) -> None:
        """Keep the newest captions out of a covered strip at the foot."""
        self._covered = pixels
        self.captions.setViewportMargins(0, 0, 0, pixels)
        self._place_buttons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.captions and event.type() == QEvent.Type.Resize:
            self._place_buttons()
            self._offer_mark()
        return super().eventFilter(watched, event)

    def _open_menu(self, place: QPoint) -> None:
        """Offer what Qt offers for text, and to mark the word under the mouse."""
        menu = self.captions.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        menu.addAction(self.tr("&Mark this place")).triggered.connect(lambda: self.captions.mark_place(place))
        meant = self.captions.captions_meant(place)
        marks = self.captions.marks
        there = set(marks.within(meant))
        if there:
            rest = tuple(each for each in marks.places if each not in there)
            menu.addAction(self.tr("&Remove the mark")).triggered.connect(lambda: marks.put_back(rest))
        if len(marks.places) > 1:
            menu.addAction(self.tr("Remove &all marks")).triggered.connect(lambda: marks.put_back(()))
        if meant:
            menu.addSeparator()
            correct = menu.addAction(self.tr("C&orrect…"))
            correct.triggered.connect(lambda: self.correction_wanted.emit(place))
            correct.setEnabled(self.may_correct(meant[0]))
            menu.addAction(self.tr("&Speaker…")).triggered.connect(lambda: self.speaker_wanted.emit(meant))
        menu.popup(self.captions.viewport().mapToGlobal(place))

    def _find(self) -> None:
        if not self.is_empty:
            self.find_bar.open()

    def _mark_place(self) -> None:
        """Mark the word that is being read, and say so to a screen reader."""
        self.captions.mark_place()
        if moments := self.captions.marks.moments:
            announce(self.captions, self.tr("Marked. Marks: {}").format(len(moments)))

    def _return_to_mark(self) -> None:
        self.captions.return_to_mark()
        self.captions.setFocus()

    def _offer_newest(self, following: bool) -> None:
        if following and self.newest.hasFocus():
            self.captions.setFocus()
        self.newest.setVisible(not following)
        self._place_buttons()

    def _offer_mark(self) -> None:
        """Show the way back while the newest mark is out of sight."""
        marks = self.captions.marks
        side = marks.side
        self.back.action.setEnabled(bool(marks.places))
        if side != self._side_of_mark:
            self._side_of_mark = side
            if not side and self.back.hasFocus():
                self.captions.setFocus()
            self.back.setVisible(side != 0)
            self._place_buttons()

    def _place_buttons(self) -> None:
        """Put each button on the side to which it leads: it never covers the newest words while they are followed."""
        back, newest = self.back, self.newest
        width, foot = self.captions.viewport().width(), self.captions.height() - self._covered - MARGIN_PIXELS
        for button in (back, newest):
            button.adjustSize()
            button.raise_()
        newest.move((width - newest.width()) // 2, foot - newest.height())
        if self._side_of_mark <= 0:
            back.move(width - back.width() - GAP_PIXELS, GAP_PIXELS)  # where lines seldom reach
            return
        both = back.width() + GAP_PIXELS + newest.width()
        if both > width - 2 * GAP_PIXELS:
            back.move((width - back.width()) // 2, newest.y() - GAP_PIXELS - back.height())
            return
        back.move((width - both) // 2, newest.y())
        newest.move(back.geometry().right() + 1 + GAP_PIXELS, newest.y())
