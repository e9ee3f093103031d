"""Search in the transcript on the screen, also in captions that are still changing."""

from __future__ import annotations

import re
from bisect import bisect_left

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from app.transcript.caption_view import CaptionView
from app.transcript.paragraphs import units

MOST_COLOURED = 400
SEARCH_MILLISECONDS = 150
"""Delay of a search after a change of the transcript; a change of the searched words has immediate effect."""


class TranscriptSearch(QObject):
    """Highlights its results in a CaptionView, the current one more than the others.

    Attributes:
        count: number of results.
        number: number of the current result, from 1 on; 0 if there is none.

    Signals:
        changed: the results, or the current one, have changed.
    """

    changed = Signal()

    def __init__(self, view: CaptionView) -> None:
        super().__init__(view)
        self.count = 0
        self.number = 0
        self._view = view
        self._words = ""
        self._finds: list[tuple[int, int]] = []  # first and last position in the document, in UTF-16 units
        self._current: QTextCursor | None = None
        self._rest = QTimer(self, singleShot=True, interval=SEARCH_MILLISECONDS)
        self._rest.timeout.connect(self._search_again)
        view.written.connect(self._note_change)

    def look_for(self, words: str) -> None:
        """Search for words, ignoring case; the first result after the reader's position becomes the current one."""
        self._words = words.strip()
        self._search()
        if self._finds:
            here = self._current.selectionStart() if self._current else self._first_in_sight()
            after = bisect_left(self._finds, (here, 0))
            self._go_to(after % len(self._finds))
        else:
            self._current = None
            self._tell()

    def go_on(self, steps: int) -> None:
        """Go to a later or earlier result; after the last comes the first."""
        if self._rest.isActive():  # the text has changed: some results may be beyond its end
            self._search_again()
        if self._finds:
            self._go_to((self.number - 1 + steps) % len(self._finds))

    def end(self) -> None:
        """End the search."""
        self._words, self._finds, self._current = "", [], None
        self._tell()

    def _note_change(self) -> None:
        if self._words and not self._rest.isActive():
            self._rest.start()

    def _search_again(self) -> None:
        self._search()
        self._tell()

    def _search(self) -> None:
        text = self._view.document().toPlainText()
        self._finds = _found(self._words, text) if self._words else []

    def _go_to(self, index: int) -> None:
        begin, end = self._finds[index]
        cursor = QTextCursor(self._view.document())
        cursor.setPosition(begin)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._current = cursor
        self._view.reveal(cursor)
        self._tell()

    def _tell(self) -> None:
        """Determine the current result, and update the highlights."""
        self.count = len(self._finds)
        self.number = 0
        if self._current is not None:
            place = (self._current.selectionStart(), self._current.selectionEnd())
            index = bisect_left(self._finds, place)
            self.number = index + 1 if index < self.count and self._finds[index] == place else min(index, self.count)
        self._colour()
        self.changed.emit()

    def _colour(self) -> None:
        palette = self._view.palette()
        near = max(0, min(self.number - MOST_COLOURED // 2, self.count - MOST_COLOURED))
        selections = []
        for index, (begin, end) in enumerate(self._finds[near : near + MOST_COLOURED], near + 1):
            style = QTextCharFormat()
            is_current = index == self.number
            style.setBackground(palette.brush(_CURRENT if is_current else QPalette.ColorRole.Highlight))
            style.setForeground(palette.brush(_ON_CURRENT if is_current else QPalette.ColorRole.HighlightedText))
            find = QTextEdit.ExtraSelection()
            find.cursor = QTextCursor(self._view.document())
            find.cursor.setPosition(begin)
            find.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            find.format = style
            selections.append(find)
        self._view.highlight("search", selections)

    def _first_in_sight(self) -> int:
        return self._view.cursorForPosition(self._view.viewport().rect().topLeft()).position()


def _found(words: str, text: str) -> list[tuple[int, int]]:
    """Return every place of the words, with any spaces between them."""
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words.split()), re.IGNORECASE)
    finds = [match.span() for match in pattern.finditer(text)]
    if units(text) == len(text):
        return finds
    counted: list[tuple[int, int]] = []
    before, at = 0, 0
    for begin, end in finds:
        start = at + units(text[before:begin])
        before, at = end, start + units(text[begin:end])
        counted.append((start, at))
    return counted


_CURRENT, _ON_CURRENT = QPalette.ColorRole.Accent, QPalette.ColorRole.BrightText
