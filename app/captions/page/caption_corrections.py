"""Corrections by hand of the captions on the screen, while one listens and afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.captions.page.edits import Edits
from app.history.transcript.line_editor import LineEditor
from app.preferences.vocabulary import corrected_words
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_view import CaptionView
from app.transcript.replace_dialog import ReplaceDialog
from app.transcript.replacing import Replacement
from app.widgets.known_words import KnownWords


class CaptionCorrections(QObject):
    """Edits one caption at its place, or replaces words in all of them. Only final captions can be corrected.

    The new words of an edited caption are offered as words to know.

    Attributes:
        editor: edits a caption.
    """

    def __init__(
        self, model: CaptionModel, view: CaptionView, edits: Edits, known_words: KnownWords, page: QWidget
    ) -> None:
        super().__init__(page)
        self.editor = LineEditor(view)
        self._model = model
        self._view = view
        self._edits = edits
        self._known_words = known_words
        self._page = page
        self._edited: int | None = None  # the caption's id
        self._followed = False  # whether the newest words were followed before
        view.double_clicked.connect(self.begin_at)
        view.written.connect(self._follow)
        view.verticalScrollBar().valueChanged.connect(self._follow)
        self.editor.saved.connect(self._save)
        self.editor.left.connect(self._leave)
        model.modelReset.connect(self.editor.leave)

    def may_correct(self, caption: int) -> bool:
        """Return whether a caption is there and final."""
        row = self._model.row_of(caption)
        return row is not None and self._model.caption_at(row).final and not self._model.caption_at(row).is_gap

    def begin_at(self, place: QPoint) -> None:
        """Edit the caption at a position of the view, with the word there selected."""
        position = self._view.place_at(self._view.cursorForPosition(place).position())
        if position is not None and not position.in_translation:
            self.begin(position.caption, position.offset)

    def begin_here(self) -> None:
        """Edit the caption of the text cursor, or, while the newest words are followed, the newest final one."""
        cursor = self._view.textCursor()
        here = self._view.place_at(cursor.selectionStart())
        if here is not None and (cursor.hasSelection() or not self._view.following) and self.may_correct(here.caption):
            self.begin(here.caption, here.offset)
            return
        final = [each.id for each in self._model.captions if self.may_correct(each.id)]
        if final:
            self.begin(final[-1], 0)

    def begin(self, caption: int, at: int) -> None:
        """Edit a caption, with the word selected at a position of its line."""
        row = self._model.row_of(caption)
        place = self._view.line_of(caption)
        if row is None or place is None or not self.may_correct(caption):
            return
        shown = self._model.caption_at(row)
        self._edited = caption
        self._followed = self._view.following
        self._view.stop_following()  # else the line would run away
        self.editor.open(shown.text, place[0], place[1], max(at - self._view.named_length(shown), 0))

    def ask_to_replace(self) -> ReplaceDialog:
        """Open a dialog for words to be replaced in all captions."""
        texts = [each.text for each in self._model.captions if self.may_correct(each.id)]
        dialog = ReplaceDialog(texts, self._view.textCursor().selectedText(), self._page.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.replace)
        dialog.open()
        return dialog

    def replace(self, replacement: Replacement) -> None:
        """Replace words in all final captions."""
        final = [each for each in self._model.captions if self.may_correct(each.id)]
        count = replacement.count(each.text for each in final)
        changed = {each.id: new for each in final if (new := replacement.applied(each.text)) != each.text and new}
        if changed:
            self._correct(changed, self.tr("Replaced: {}").format(count))

    def _save(self, text: str) -> None:
        edited, self._edited = self._edited, None
        row = self._model.row_of(edited) if edited is not None else None
        if edited is None or row is None:
            return
        before = self._model.caption_at(row).text
        if text and text != before:
            new = self._known_words.actions(corrected_words(before, text))
            self._correct({edited: text}, self.tr("The line was corrected."), new)

    def _correct(self, texts: Mapping[int, str | None], told: str, offered: Sequence[QAction] = ()) -> None:
        before = self._model.correct(texts)
        self._edits.note(told, lambda: self._model.correct(before), offered)

    def _leave(self) -> None:
        if self._followed:
            self._view.jump_to_newest()

    def _follow(self) -> None:
        if self._edited is not None and not self.editor.isHidden():
            place = self._view.line_of(self._edited)
            if place is None:
                self.editor.leave()
            else:
                self.editor.move_to(place[0])
