"""The transcript as a Qt list: one row per caption with its translation, in the order in which they began."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.transcript.caption_text import UNSURE, is_part, name_before
from app.transcript.correcting import corrected
from engine.events import FIRST_CAPTION, Caption, Translation, text_of

_ROOT = QModelIndex()


class CaptionRole(IntEnum):
    """Data of a row beside its text.

    CAPTION is the whole Caption, for views that distinguish committed and pending words; TRANSLATION the whole
    Translation, or None.
    """

    CAPTION = Qt.ItemDataRole.UserRole
    TRANSLATION = Qt.ItemDataRole.UserRole + 1


class CaptionModel(QAbstractListModel):
    """Holds captions and their translations by id; newer revisions replace older ones in place.

    Signals:
        named: captions whose speaker the user has named, emitted once they are updated.
        corrected: texts that the user has given to captions, by their ids; None is the text as it was heard.
    """

    named = Signal(object)
    corrected = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._captions: list[Caption] = []
        self._rows: dict[int, int] = {}
        self._translations: dict[int, Translation] = {}
        self._heard: dict[int, Caption] = {}  # corrected captions as they were heard, by id
        self._named: dict[int, str] = {}  # speakers that the user or their voices have named, by caption id
        self._first_labels: dict[int, tuple[str, str]] = {}  # of captions with a better label: the first, and that one

    @property
    def captions(self) -> tuple[Caption, ...]:
        return tuple(self._captions)

    @property
    def translations(self) -> tuple[Translation, ...]:
        """Translations of the captions, in their order."""
        return tuple(self._translations[each.id] for each in self._captions if each.id in self._translations)

    @property
    def next_id(self) -> int:
        """An id above all existing ones."""
        return max(self._rows, default=FIRST_CAPTION - 1) + 1

    @property
    def next_seconds(self) -> float:
        """Second at which the next recording begins: the whole second after the newest caption."""
        return float(math.ceil(max((caption.end for caption in self._captions), default=0.0)))

    def show(self, caption: Caption) -> None:
        """Add a caption, or replace it by its newer revision; a caption that has lost all its words is removed."""
        if caption.id in self._named:
            caption = replace(caption, speaker=self._named[caption.id])
        row = self._rows.get(caption.id)
        wordless = not caption.committed and not caption.pending
        if row is not None:
            if wordless:
                self._remove(row)
            elif caption.revision >= self._heard.get(caption.id, self._captions[row]).revision:
                self._put(row, self._as_corrected(caption))
            return
        if wordless:
            return
        row = self._place_of(caption)
        if is_part(caption) and (row == 0 or self._captions[row - 1].id in self._heard):
            return  # a person has written the line that it is a part of
        self.beginInsertRows(_ROOT, row, row)
        self._captions.insert(row, caption)
        self._number_rows(row)
        self.endInsertRows()

    def _place_of(self, caption: Caption) -> int:
        """Return the row for a new caption: the last, or for a part of an older one, that behind it."""
        row = len(self._captions)
        while is_part(caption) and row and self._captions[row - 1].start > caption.start:
            row -= 1
        return row

    def _number_rows(self, first: int) -> None:
        for place in range(first, len(self._captions)):
            self._rows[self._captions[place].id] = place

    def name_speakers(self, names: Mapping[int, str]) -> dict[int, str]:
        """Set the speakers of captions by id, also for newer revisions; return the previous speakers."""
        before: dict[int, str] = {}
        for number, name in names.items():
            row = self._rows.get(number)
            if row is not None:
                before[number] = self._captions[row].speaker
                self._named[number] = name
                self._put(row, replace(self._captions[row], speaker=name))
        self.named.emit(tuple(self._captions[self._rows[number]] for number in before))
        return before

    def label(self, number: int, name: str, *, instead_of: Collection[str]) -> None:
        """Set the speaker of a caption as its voice tells, if it has one of these names now, or none."""
        row = self._rows.get(number)
        if row is None or self._captions[row].speaker not in instead_of:
            return
        before = self._captions[row].speaker
        if before == name:
            return
        if before not in ("", UNSURE) and number in self._named:
            self._first_labels.setdefault(number, (before, name))
        self._named[number] = name
        self._put(row, replace(self._captions[row], speaker=name))

    def live_speaker(self, caption: Caption) -> str:
        """Return the speaker of a caption for those who read along: the first label, not the better one."""
        first, better = self._first_labels.get(caption.id, ("", ""))
        return first if first and caption.speaker == better else caption.speaker

    def drop_dashes(self) -> None:
        """Remove the dashes of captions whose speaker nobody knows: no label will come."""
        for row, caption in enumerate(self._captions):
            if caption.speaker == UNSURE:
                self._put(row, replace(caption, speaker=""))

    def correct(self, texts: Mapping[int, str | None]) -> dict[int, str | None]:
        """Set the texts of final captions by id, None as they were heard; return the previous texts."""
        before: dict[int, str | None] = {}
        for number, text in texts.items():
            row = self._rows.get(number)
            if row is None:
                continue
            shown = self._captions[row]
            before[number] = shown.text if number in self._heard else None
            heard = self._heard.setdefault(number, shown)
            if text is None or text == heard.text:
                del self._heard[number]
                words = heard.committed
            else:
                words = tuple(each.word for each in corrected(heard.committed, text))
            first_text = heard.first_text if number not in self._heard else ""
            self._put(row, replace(shown, committed=words, first_text=first_text))
        self.corrected.emit({number: texts[number] for number in before})
        return before

    def _as_corrected(self, caption: Caption) -> Caption:
        """Return a caption that was heard again with the text that the user has given it, if any."""
        if caption.id not in self._heard:
            return caption
        self._heard[caption.id] = caption
        return replace(caption, committed=self._captions[self._rows[caption.id]].committed, first_text="")

    def is_corrected(self, number: int) -> bool:
        """Return whether the user has given a caption its text."""
        return number in self._heard

    @property
    def speakers(self) -> tuple[str, ...]:
        """Names of the speakers, in the order in which they first spoke."""
        return tuple(dict.fromkeys(each.speaker for each in self._captions if each.speaker not in ("", UNSURE)))

    def translate(self, translation: Translation) -> None:
        """Set the translation of a caption, unless the present one is newer, or final.

        Better words have a final one of their own, which takes the place of the first. A translation
        without a caption, because that has lost its words, is ignored.
        """
        row = self._rows.get(translation.id)
        before = self._translations.get(translation.id)
        if row is None or (before and translation.revision < before.revision):
            return
        if before and before.final and not (translation.final and translation.revision > before.revision):
            return
        self._translations[translation.id] = translation
        self._announce(row)

    def drop_open_translations(self) -> None:
        """Remove translations that are not final, because no more will come."""
        for translation in self.translations:
            if not translation.final:
                del self._translations[translation.id]
                self._announce(self._rows[translation.id])

    def clear(self) -> tuple[tuple[Caption, ...], tuple[Translation, ...]]:
        """Remove everything and return it, for an undo."""
        taken = self.captions, self.translations
        self.reset_to(())
        return taken

    def reset_to(self, captions: Iterable[Caption], translations: Iterable[Translation] = ()) -> None:
        """Replace the content by these captions and translations."""
        self.beginResetModel()
        self._named.clear()
        self._first_labels.clear()
        self._heard.clear()
        self._captions = list(captions)
        self._rows = {caption.id: row for row, caption in enumerate(self._captions)}
        self._translations = {each.id: each for each in translations if each.id in self._rows}
        self.endResetModel()

    def text(self) -> str:
        """Return the committed text, one caption per line; with translations, each below its caption and a blank line
        between.
        """
        translated = {each.id: each.text for each in self.final_translations()}
        entries = [
            name_before(each.speaker) + each.text + (f"\n{translated[each.id]}" if each.id in translated else "")
            for each in self._in_time()
            if each.committed
        ]
        return ("\n\n" if translated else "\n").join(entries)

    def final_captions(self) -> tuple[Caption, ...]:
        """Return every caption with its committed words, as if it had ended here, in order of time.

        Captions of people who speak at once may have arrived in another order.
        """
        return tuple(replace(each, pending=(), final=True) for each in self._in_time() if each.committed)

    def final_translations(self) -> tuple[Translation, ...]:
        """Return the translations of `final_captions`, as far as they are shown."""
        kept = {each.id for each in self._captions if each.committed}
        shown = (each for each in self.translations if each.id in kept and each.text)
        return tuple(replace(each, hidden="", final=True) for each in shown)

    def _in_time(self) -> list[Caption]:
        """Return the captions in order of time; only captions of several streams may have arrived in another order."""
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
        """Return the row of a caption; None if it is missing."""
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
        self._number_rows(row)
        self.endRemoveRows()
