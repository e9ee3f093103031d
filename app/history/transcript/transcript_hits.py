"""Search in a transcript on the screen: found a slice at a time, marked, and shown one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QPalette, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from app.history.search import Term, hits_in
from app.history.transcript.transcript_lines import Line
from app.transcript.paragraphs import units

MOST_MARKED = 200
"""Most hits that are marked at a time, around the one that is shown."""


class TranscriptHits:
    """The places of a document at which terms stand.

    Attributes:
        terms: of the search.
        searched: number of lines that were searched.
        current: number of the shown hit.
    """

    def __init__(self, document: QTextDocument) -> None:
        self.terms: tuple[Term, ...] = ()
        self.searched = 0
        self.current = 0
        self._document = document
        self._hits: list[tuple[int, int]] = []  # of the document, from and to

    @property
    def count(self) -> int:
        return len(self._hits)

    def look_again(self, lines: int) -> None:
        """Forget the hits of this many lines; without terms they need no search."""
        self._hits = []
        self.searched = 0 if self.terms else lines

    def search(self, lines: Sequence[Line]) -> None:
        """Search the next lines."""
        block = self._document.findBlockByNumber(self.searched)
        for line in lines:
            for hit in hits_in(line.text, self.terms):
                begin = block.position() + units(line.text[: hit.start])
                self._hits.append((begin, begin + units(line.text[hit.start : hit.end])))
            block = block.next()
            self.searched += 1

    def go(self, by: int) -> None:
        """Show another hit; after the last one comes the first."""
        self.current = (self.current + by) % len(self._hits)

    def cursor(self) -> QTextCursor:
        """Return a cursor at the beginning of the shown hit."""
        cursor = QTextCursor(self._document)
        cursor.setPosition(self._hits[self.current][0])
        return cursor

    def marks(self, palette: QPalette) -> list[QTextEdit.ExtraSelection]:
        """Return marks for the hits around the shown one, which has its own look."""
        first = max(0, self.current - MOST_MARKED // 2)
        selections = []
        for place in range(first, min(first + MOST_MARKED, len(self._hits))):
            selections.append(_marked(self._document, *self._hits[place], palette, strongly=place == self.current))
        return selections


def word_mark(
    document: QTextDocument, lines: Sequence[Line], place: int | None, word: tuple[int, int] | None, palette: QPalette
) -> list[QTextEdit.ExtraSelection]:
    """Return a mark for a word of a line, by its begin and end in the text; none without a word."""
    if place is None or word is None or place >= len(lines):
        return []
    start, text = document.findBlockByNumber(place).position(), lines[place].text
    begin, end = (start + units(text[:each]) for each in word)
    return [_marked(document, begin, end, palette, strongly=True)]


def _marked(
    document: QTextDocument, begin: int, end: int, palette: QPalette, *, strongly: bool
) -> QTextEdit.ExtraSelection:
    """Highlight part of a document, or highlight it most."""
    selection = QTextEdit.ExtraSelection()
    selection.cursor = QTextCursor(document)
    selection.cursor.setPosition(begin)
    selection.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    ground = QPalette.ColorRole.Accent if strongly else QPalette.ColorRole.Highlight
    selection.format.setBackground(palette.brush(ground))
    if strongly:
        selection.format.setForeground(palette.brush(QPalette.ColorRole.BrightText))
    return selection
