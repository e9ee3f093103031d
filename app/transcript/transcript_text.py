"""The transcript as a document: its paragraphs, and minimal rewrites for changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QFontMetrics, QPalette, QTextBlock, QTextCharFormat, QTextCursor, QTextDocument

from app.look.speaker_colours import speaker_colour
from app.transcript.caption_model import CaptionModel
from app.transcript.caption_text import UNSURE, composed, composed_translation, name_before, repeats
from app.transcript.paragraphs import (
    ABOVE_TRANSLATION,
    changed_parts,
    direction,
    paragraph,
    shared_length,
    translated_paragraph,
    units,
)
from app.transcript.place_mark import TextPosition
from engine.events import Caption

_TRANSLATION = QPalette.ColorRole.LinkVisited


@dataclass(slots=True)
class _Entry:
    """A caption's part of the document.

    Attributes:
        block: number of its paragraph; its translation's is the next one.
        text: the caption, of which `solid` characters are committed.
        translation: the shown translation; None while it has no paragraph.
    """

    block: int
    text: str = ""
    solid: int = 0
    translation: str | None = None


class TranscriptText:
    """Writes a CaptionModel's rows into a QTextDocument, each caption and each translation as one paragraph.

    Attributes:
        stable_only: whether pending words are left out.
    """

    def __init__(self, document: QTextDocument, model: CaptionModel, palette: Callable[[], QPalette]) -> None:
        self.stable_only = False
        self._document = document
        self._model = model
        self._palette = palette
        self._speakers: dict[str, int] = {}  # their numbers, in the order in which they first spoke
        self._entries: list[_Entry] = []  # one per row

    @property
    def is_empty(self) -> bool:
        return not self._entries

    def clear(self) -> None:
        """Remove everything."""
        self._entries.clear()
        self._speakers.clear()
        self._document.clear()

    def write(self, rows: Iterable[int]) -> None:
        """Write the present content of these rows; new rows follow the existing ones."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        for row in rows:
            self._write(cursor, row)
        cursor.endEditBlock()

    def remove(self, first: int, last: int) -> None:
        """Remove the paragraphs of these rows, as far as they are written."""
        gone = self._entries[first : last + 1]
        if len(gone) == len(self._entries):
            self.clear()
        elif gone:
            after = self._entries[last + 1].block if last + 1 < len(self._entries) else self._document.blockCount()
            self._remove_blocks(gone[0].block, after)
            del self._entries[first : last + 1]
            self._shift(first, gone[0].block - after)

    def rows_from(self, block: QTextBlock) -> Iterator[tuple[QTextBlock, Caption]]:
        """Yield the captions with words whose paragraphs begin at or after a block, with their blocks."""
        first = bisect_left(self._entries, block.blockNumber(), key=lambda entry: entry.block)
        for row in range(first, len(self._entries)):
            if self._entries[row].text:
                yield self._document.findBlockByNumber(self._entries[row].block), self._model.caption_at(row)

    def place_at(self, position: int) -> TextPosition | None:
        """Return the place in a caption at a position of the document."""
        block = self._document.findBlock(position)
        row = bisect_right(self._entries, block.blockNumber(), key=lambda entry: entry.block) - 1
        if row < 0:
            return None
        is_translation = block.blockNumber() > self._entries[row].block
        return TextPosition(self._model.caption_at(row).id, is_translation, position - block.position())

    def cursor_at(self, place: TextPosition) -> QTextCursor | None:
        """Return a cursor on the word at a place; None if that caption is not written."""
        row = self._model.row_of(place.caption)
        if row is None or row >= len(self._entries):
            return None
        entry = self._entries[row]
        below = place.in_translation and entry.translation is not None
        block = self._document.findBlockByNumber(entry.block + below)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + min(place.offset, block.length() - 1))
        cursor.select(QTextCursor.SelectionType.WordUnderCursor)
        return cursor

    def _write(self, cursor: QTextCursor, row: int) -> None:
        if row == len(self._entries):
            self._append(cursor)
        entry = self._entries[row]
        caption = self._model.caption_at(row)
        self._write_caption(cursor, entry, caption)
        translation = self._model.translation_at(row)
        if translation is None or (translation.final and not translation.text) or repeats(caption, translation):
            self._remove_translation(cursor, row)
        else:
            self._make_room(cursor, row, translation.language)
            self._write_translation(cursor, entry, composed_translation(translation.text))

    def _append(self, cursor: QTextCursor) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._entries:
            cursor.insertBlock()
        cursor.setBlockFormat(paragraph(self._line_pixels()))
        self._entries.append(_Entry(cursor.blockNumber()))

    def _write_caption(self, cursor: QTextCursor, entry: _Entry, caption: Caption) -> None:
        text, solid = composed(caption, stable_only=self.stable_only)
        kept = min(entry.solid, solid)
        if entry.text[:kept] != text[:kept] or kept < len(name_before(caption.speaker)):
            kept = 0
        if (entry.text, entry.solid) == (text, solid):
            return
        self._select_rest(cursor, entry.block, text[:kept])
        named = len(name_before(caption.speaker))
        if kept < named:
            style = self._format(QPalette.ColorRole.Text, QFont.Weight.DemiBold)
            if caption.speaker != UNSURE:
                number = self._speakers.setdefault(caption.speaker, len(self._speakers))
                style.setForeground(speaker_colour(number, self._palette()))
            cursor.insertText(text[:named], style)
        self._insert_solid(cursor, caption, text[max(kept, named) : solid])
        cursor.insertText(text[solid:], self._format(QPalette.ColorRole.PlaceholderText))
        entry.text, entry.solid = text, solid

    def _insert_solid(self, cursor: QTextCursor, caption: Caption, text: str) -> None:
        """Insert committed words; those that are better than the first ones are underlined with dots."""
        plain = self._format(QPalette.ColorRole.Text)
        if not caption.first_text:
            cursor.insertText(text, plain)
            return
        better = QTextCharFormat(plain)
        better.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        better.setUnderlineColor(self._palette().color(QPalette.ColorRole.PlaceholderText))
        better.setToolTip(
            QCoreApplication.translate("TranscriptText", "First shown as: “{}”").format(caption.first_text)
        )
        for part, is_new in changed_parts(caption.first_text, text):
            cursor.insertText(part, better if is_new else plain)

    def _make_room(self, cursor: QTextCursor, row: int, language: str) -> None:
        """Insert the paragraph of a translation, even if all of it is still hidden: the text below moves only once."""
        entry = self._entries[row]
        block = self._document.findBlockByNumber(entry.block)
        line = self._line_pixels()
        if entry.translation is None:
            cursor.setPosition(block.position())
            cursor.setBlockFormat(paragraph(line, ABOVE_TRANSLATION))
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
            cursor.insertBlock(translated_paragraph(line, language))
            entry.translation = ""
            self._shift(row + 1, 1)
        elif block.next().blockFormat().layoutDirection() != direction(language):
            cursor.setPosition(block.next().position())
            cursor.setBlockFormat(translated_paragraph(line, language))

    def _remove_translation(self, cursor: QTextCursor, row: int) -> None:
        entry = self._entries[row]
        if entry.translation is not None:
            self._select_rest(cursor, entry.block, entry.text)
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            cursor.setBlockFormat(paragraph(self._line_pixels()))
            entry.translation = None
            self._shift(row + 1, -1)

    def _shift(self, first: int, blocks: int) -> None:
        for later in self._entries[first:]:
            later.block += blocks

    def _write_translation(self, cursor: QTextCursor, entry: _Entry, text: str) -> None:
        before = entry.translation or ""
        if before != text:
            kept = shared_length(before, text)
            self._select_rest(cursor, entry.block + 1, text[:kept])
            cursor.insertText(text[kept:], self._format(_TRANSLATION))
            entry.translation = text

    def _select_rest(self, cursor: QTextCursor, block: int, kept: str) -> None:
        """Select the rest of a paragraph after the words that stay."""
        cursor.setPosition(self._document.findBlockByNumber(block).position() + units(kept))
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)

    def _format(self, role: QPalette.ColorRole, weight: QFont.Weight | None = None) -> QTextCharFormat:
        style = QTextCharFormat()
        if weight is not None:
            style.setFontWeight(weight)
        style.setForeground(self._palette().brush(role))
        return style

    def _remove_blocks(self, first: int, after: int) -> None:
        """Remove whole paragraphs, with the line break after them or, for the last ones, before them."""
        begin, end = self._document.findBlockByNumber(first), self._document.findBlockByNumber(after)
        cursor = QTextCursor(self._document)
        cursor.setPosition(begin.position() - (not end.isValid()))
        if end.isValid():
            style = end.blockFormat()
            cursor.setPosition(end.position(), QTextCursor.MoveMode.KeepAnchor)
        else:
            style = begin.previous().blockFormat()
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(style)

    def _line_pixels(self) -> int:
        return QFontMetrics(self._document.defaultFont()).height()
