"""Names that a person gives to the speakers of the captions on the screen."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.captions.session import LiveSession
from app.transcript.speaker_dialog import SpeakerDialog


class SpeakerNames(QObject):
    """Names the speakers of a LiveSession's captions, and takes that back.

    Attributes:
        undo: takes the newest name back.

    Signals:
        notice_given: a sentence about the change, and the QAction that undoes it.
        undone: all changes that were announced have been undone.
    """

    notice_given = Signal(str, object)
    undone = Signal()

    def __init__(self, session: LiveSession, page: QWidget) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._ways_back: list[tuple[dict[int, str], Mapping[str, str]]] = []
        self.undo = QAction(self.tr("&Undo"), self)
        self.undo.setShortcut(QKeySequence(QKeySequence.StandardKey.Undo))
        self.undo.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.undo.triggered.connect(self._undo)
        page.addAction(self.undo)
        session.captions.modelReset.connect(self._ways_back.clear)

    def ask(self, captions: tuple[int, ...]) -> SpeakerDialog:
        """Ask for the speaker of these captions."""
        model = self._session.captions
        present = [each.speaker for each in model.captions if each.id in captions]
        speakers = [*model.speakers, *self._session.speakers.values()]
        dialog = SpeakerDialog(speakers, present, self._page.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda name, everywhere: self.name(captions, name, everywhere=everywhere))
        dialog.open()
        return dialog

    def name(self, captions: tuple[int, ...], name: str, *, everywhere: bool = False) -> None:
        """Set the speaker of these captions; `everywhere`, of all that this speaker has said and will say."""
        model, sides = self._session.captions, self._session.speakers
        if everywhere:
            meant = {each.speaker for each in model.captions if each.id in captions}
            captions = tuple(each.id for each in model.captions if each.speaker in meant)
            self._session.call_speakers({own: name for own, now in sides.items() if now in meant})
        before = model.name_speakers(dict.fromkeys(captions, name))
        self._ways_back.append((before, sides))
        text = self.tr("The lines are by “{}” now.").format(name) if name else self.tr("The lines are by nobody now.")
        self.notice_given.emit(text, self.undo)

    def _undo(self) -> None:
        if self._ways_back:
            before, sides = self._ways_back.pop()
            self._session.captions.name_speakers(before)
            self._session.call_speakers(sides)
            self.undone.emit()
