"""The transcript as a Qt list: one row per caption, in the order in which they began."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.events import Caption, text_of

_ROOT = QModelIndex()


class CaptionRole(IntEnum):
    """What a row holds beside its text.

    CAPTION is the whole Caption, for views that show committed and pending words apart.
    """

    CAPTION = Qt.ItemDataRole.UserRole


class CaptionModel(QAbstractListModel):
    """Holds captions by their id; newer revisions replace older ones in place."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._captions: list[Caption] = []
        self._rows: dict[int, int] = {}

    @property
    def captions(self) -> tuple[Caption, ...]:
        return tuple(self._captions)

    @property
    def next_id(self) -> int:
        """An id above all that are here."""
        return max(self._rows, default=-1) + 1

    @property
    def end_seconds(self) -> float:
        """Where the newest caption ends; 0 where there is none."""
        return max((caption.end for caption in self._captions), default=0.0)

    def show(self, caption: Caption) -> None:
        """Add a caption, or put its newer revision in its place; one that has lost all its words goes."""
        row = self._rows.get(caption.id)
        wordless = not caption.committed and not caption.pending
        if row is not None:
            if wordless:
                self._remove(row)
            elif caption.revision >= self._captions[row].revision:
                self._put(row, caption)
            return
        if wordless:
            return
        row = len(self._captions)
        self.beginInsertRows(_ROOT, row, row)
        self._captions.append(caption)
        self._rows[caption.id] = row
        self.endInsertRows()

    def settle(self) -> None:
        """End what is still open: committed words stay, pending ones go."""
        for row in reversed(range(len(self._captions))):
            caption = self._captions[row]
            if caption.final:
                continue
            if caption.committed:
                self._put(row, replace(caption, pending=(), final=True, revision=caption.revision + 1))
            else:
                self._remove(row)

    def clear(self) -> tuple[Caption, ...]:
        """Take everything out and give it back, for an undo."""
        taken = self.captions
        self.reset_to(())
        return taken

    def reset_to(self, captions: Iterable[Caption]) -> None:
        """Show these captions and no others."""
        self.beginResetModel()
        self._captions = list(captions)
        self._rows = {caption.id: row for row, caption in enumerate(self._captions)}
        self.endResetModel()

    def text(self) -> str:
        """The committed text, one caption a line."""
        return "\n".join(caption.text for caption in self._captions if caption.committed)

    def final_captions(self) -> tuple[Caption, ...]:
        """What can be kept now: every caption with its committed words, as if it had ended here."""
        return tuple(replace(each, pending=(), final=True) for each in self._captions if each.committed)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._captions)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not (index.isValid() and index.row() < len(self._captions)):
            return None
        caption = self._captions[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text_of((*caption.committed, *caption.pending))
        if role == CaptionRole.CAPTION:
            return caption
        return None

    def caption_at(self, row: int) -> Caption:
        return self._captions[row]

    def _put(self, row: int, caption: Caption) -> None:
        self._captions[row] = caption
        index = self.index(row)
        self.dataChanged.emit(index, index, [])

    def _remove(self, row: int) -> None:
        self.beginRemoveRows(_ROOT, row, row)
        del self._captions[row]
        self._rows = {caption.id: place for place, caption in enumerate(self._captions)}
        self.endRemoveRows()
