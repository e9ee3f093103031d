"""The transcript as a Qt list: one row per caption with its translation, in the order in which they began."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.transcript.caption_text import name_before
from engine.events import FIRST_CAPTION, Caption, Translation, text_of

_ROOT = QModelIndex()


class CaptionRole(IntEnum):
    """Data of a row beside its text.

    CAPTION is the whole Caption, for views that show committed and pending words apart; TRANSLATION the whole
    Translation, or None.
    """

    CAPTION = Qt.ItemDataRole.UserRole
    TRANSLATION = Qt.ItemDataRole.UserRole + 1


class CaptionModel(QAbstractListModel):
    """Holds captions and their translations by id; newer revisions replace older ones in place.

    Signals:
        named: captions that a person has said who spoke of, once they are here so.
    """

    named = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._captions: list[Caption] = []
        self._rows: dict[int, int] = {}
        self._translations: dict[int, Translation] = {}
        self._named: dict[int, str] = {}  # what a person has said of who spoke, by the captions' ids

    @property
    def captions(self) -> tuple[Caption, ...]:
        return tuple(self._captions)

    @property
    def translations(self) -> tuple[Translation, ...]:
        """List the captions' translations, in their order."""
        return tuple(self._translations[each.id] for each in self._captions if each.id in self._translations)

    @property
    def next_id(self) -> int:
        """An id above all that are here."""
        return max(self._rows, default=FIRST_CAPTION - 1) + 1

    @property
    def next_seconds(self) -> float:
        """Second at which a recording below what is here begins."""
        return float(math.ceil(max((caption.end for caption in self._captions), default=0.0)))

    def show(self, caption: Caption) -> None:
        """Add a caption, or put its newer revision in its place; one that has lost all its words goes."""
        if caption.id in self._named:
            caption = replace(caption, speaker=self._named[caption.id])
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

    def name_speakers(self, names: Mapping[int, str]) -> dict[int, str]:
        """Say who spoke, by the captions' ids, in newer revisions too; give what was said of them before."""
        before: dict[int, str] = {}
        for number, name in names.items():
            row = self._rows.get(number)
            if row is not None:
                before[number] = self._captions[row].speaker
                self._named[number] = name
                self._put(row, replace(self._captions[row], speaker=name))
        self.named.emit(tuple(self._captions[self._rows[number]] for number in before))
        return before

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who is named, in the order in which they first spoke."""
        return tuple(dict.fromkeys(each.speaker for each in self._captions if each.speaker))

    def translate(self, translation: Translation) -> None:
        """Put a translation beneath its caption, or in place of an older one; a final one stays as it is.

        One without a caption, since that has lost its words, is nothing to show.
        """
        row = self._rows.get(translation.id)
        before = self._translations.get(translation.id)
        if row is None or (before and (before.final or translation.revision < before.revision)):
            return
        self._translations[translation.id] = translation
        self._announce(row)

    def open_captions(self) -> tuple[Caption, ...]:
        """The captions that are not final, the newest first."""
        return tuple(each for each in reversed(self._captions) if not each.final)

    def drop_pending(self, most_words: int) -> None:
        """Take away the words that may still change; a caption stays open if it has no more words than this."""
        for row in reversed(range(len(self._captions))):
            caption = self._captions[row]
            if caption.final:
                continue
            if not caption.committed:
                self._remove(row)
            elif caption.pending or len(caption.committed) > most_words:
                final = len(caption.committed) > most_words
                self._put(row, replace(caption, pending=(), final=final, revision=caption.revision + 1))

    def settle(self) -> None:
        """End what is still open: committed words stay, pending ones go. Translations may still come."""
        self.drop_pending(0)

    def drop_open_translations(self) -> None:
        """Take away what was not translated to the end, since nothing more will come."""
        for translation in self.translations:
            if not translation.final:
                del self._translations[translation.id]
                self._announce(self._rows[translation.id])

    def clear(self) -> tuple[tuple[Caption, ...], tuple[Translation, ...]]:
        """Take everything out and give it back, for an undo."""
        taken = self.captions, self.translations
        self.reset_to(())
        return taken

    def reset_to(self, captions: Iterable[Caption], translations: Iterable[Translation] = ()) -> None:
        """Show these captions, with these translations, and no others."""
        self.beginResetModel()
        self._named.clear()
        self._captions = list(captions)
        self._rows = {caption.id: row for row, caption in enumerate(self._captions)}
        self._translations = {each.id: each for each in translations if each.id in self._rows}
        self.endResetModel()

    def text(self) -> str:
        """The committed text, one caption a line; with translations, each caption's below it and a line between."""
        translated = {each.id: each.text for each in self.final_translations()}
        entries = [
            name_before(each.speaker) + each.text + (f"\n{translated[each.id]}" if each.id in translated else "")
            for each in self._in_time()
            if each.committed
        ]
        return ("\n\n" if translated else "\n").join(entries)

    def final_captions(self) -> tuple[Caption, ...]:
        """List what can be kept now: every caption with its committed words, as if it had ended here.

        Captions of two who speak at once may have come in another order.
        """
        return tuple(replace(each, pending=(), final=True) for each in self._in_time() if each.committed)

    def final_translations(self) -> tuple[Translation, ...]:
        """The translations of `final_captions`, as far as they are shown."""
        kept = {each.id for each in self._captions if each.committed}
        shown = (each for each in self.translations if each.id in kept and each.text)
        return tuple(replace(each, hidden="", final=True) for each in shown)

    def _in_time(self) -> list[Caption]:
        """Those of one stream come in order; of several, as each is heard."""
        if len({each.speaker for each in self._captions}) < 2:
            return self._captions
        return sorted(self._captions, key=lambda each: each.start)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._captions)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not (index.isValid() and index.row() < len(self._captions)):
            return None
        caption = self._captions[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return name_before(caption.speaker) + text_of((*caption.committed, *caption.pending))
        if role == CaptionRole.CAPTION:
            return caption
        if role == CaptionRole.TRANSLATION:
            return self._translations.get(caption.id)
        return None

    def caption_at(self, row: int) -> Caption:
        return self._captions[row]

    def row_of(self, caption_id: int) -> int | None:
        """The row of a caption; None where it is not there."""
        return self._rows.get(caption_id)

    def translation_at(self, row: int) -> Translation | None:
        return self._translations.get(self._captions[row].id)

    def _put(self, row: int, caption: Caption) -> None:
        self._captions[row] = caption
        self._announce(row)

    def _announce(self, row: int) -> None:
        index = self.index(row)
        self.dataChanged.emit(index, index, [])

    def _remove(self, row: int) -> None:
        self.beginRemoveRows(_ROOT, row, row)
        gone = self._captions.pop(row)
        self._translations.pop(gone.id, None)
        del self._rows[gone.id]
        for place in range(row, len(self._captions)):
            self._rows[self._captions[place].id] = place
        self.endRemoveRows()
