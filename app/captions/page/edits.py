"""Changes that a person makes to the captions on the screen, each of which can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.transcript.caption_model import CaptionModel


class Edits(QObject):
    """Undoes changes of a CaptionModel, the newest first, until another transcript is shown.

    Attributes:
        undo: undoes the newest change.

    Signals:
        notice_given: a sentence about a change, and the QActions that may follow; the last one undoes it.
        undone: earlier messages about changes no longer hold.
    """

    notice_given = Signal(str, object)
    undone = Signal()

    def __init__(self, model: CaptionModel, page: QWidget) -> None:
        """Undo by the usual keys on a page."""
        super().__init__(page)
        self._ways_back: list[Callable[[], object]] = []
        self.undo = QAction(self.tr("&Undo"), self)
        self.undo.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
        self.undo.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.undo.triggered.connect(self._undo)
        page.addAction(self.undo)
        model.modelReset.connect(self._ways_back.clear)

    def note(self, told: str, way_back: Callable[[], object], offered: Sequence[QAction] = ()) -> None:
        """Report a change that was made, with actions that go with it, and undo it by `way_back` if wanted."""
        self._ways_back.append(way_back)
        self.notice_given.emit(told, (*offered, self.undo))

    def _undo(self) -> None:
        if self._ways_back:
            self._ways_back.pop()()
            self.undone.emit()
