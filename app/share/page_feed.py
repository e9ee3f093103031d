"""The captions as numbered changes, so that a reader who was away receives what has changed since."""

from __future__ import annotations

import json
from collections.abc import Collection

from PySide6.QtCore import QModelIndex, QObject, Signal

from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import as_first_shown, composed, composed_translation, is_part, repeats

MOST_LINES = 400
"""Most lines that a reader who comes late receives."""


class PageFeed(QObject):
    """Follows a CaptionModel from now on; what it holds already is not passed on.

    Each line is known in its newest state alone, as an event of the browsers' EventSource.

    Attributes:
        number: the number of the newest change; 0 before the first.

    Signals:
        changed: there is a newer change.
    """

    changed = Signal()

    def __init__(self, model: CaptionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.number = 0
        self._model = model
        self._first_id = model.next_id
        self._events: dict[int, tuple[int, bytes]] = {}  # by caption id, the latest change last
        self._shown: dict[int, str] = {}
        model.rowsInserted.connect(self._note_inserted)
        model.dataChanged.connect(self._note_changed)
        model.rowsRemoved.connect(self._note_removed)
        model.modelReset.connect(self._start_over)

    def since(self, number: int) -> bytes:
        """Return the events of all changes after a number, in their order."""
        later: list[bytes] = []
        for own, event in reversed(self._events.values()):
            if own <= number <= self.number:
                break
            later.append(event)
        return b"".join(reversed(later))

    def _note_inserted(self, parent: QModelIndex, first: int, last: int) -> None:
        self._note(first, last)

    def _note_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        self._note(first.row(), last.row())

    def _note(self, first: int, last: int) -> None:
        before = self.number
        for row in range(first, last + 1):
            while is_part(self._model.caption_at(row)):  # its line was read as a whole
                row -= 1
            if self._model.caption_at(row).id >= self._first_id:
                self._put(self._model.caption_at(row).id, self._record(row))
        if self.number != before:
            self.changed.emit()

    def _note_removed(self) -> None:
        self._remove(self._shown.keys() - {each.id for each in self._model.captions})

    def _start_over(self) -> None:
        """Remove every line: a transcript begins, or an earlier one is shown, which is not for others."""
        self._first_id = self._model.next_id
        self._remove(list(self._shown))

    def _remove(self, ids: Collection[int]) -> None:
        before = self.number
        for number in ids:
            self._put(number, {"id": number, "gone": True})
            self._shown.pop(number, None)
        if self.number != before:
            self.changed.emit()

    def _record(self, row: int) -> dict[str, object]:
        caption, translation = self._model.caption_at(row), self._model.translation_at(row)
        if row + 1 < self._model.rowCount() and is_part(self._model.caption_at(row + 1)):
            caption = as_first_shown(caption)
        text, solid = composed(caption, named=False)
        record: dict[str, object] = {
            "id": caption.id,
            "name": caption.speaker,
            "language": caption.language,
            "said": text[:solid],
            "open": text[solid:],
            "final": caption.final,
        }
        if translation is not None and not repeats(caption, translation):
            record["to"] = {
                "language": translation.language,
                "text": composed_translation(translation.text),
                "final": translation.final,
            }
        return record

    def _put(self, number: int, record: dict[str, object]) -> None:
        data = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        if self._shown.get(number) == data:
            return
        self.number += 1
        self._shown[number] = data
        self._events.pop(number, None)  # so that it is the last again
        self._events[number] = self.number, f"id: {self.number}\ndata: {data}\n\n".encode()
        while len(self._events) > MOST_LINES:
            oldest = next(iter(self._events))
            del self._events[oldest]
            self._shown.pop(oldest, None)
