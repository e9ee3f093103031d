"""Detection of captions in a script that no installed font can show."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QModelIndex, QObject, Signal
from PySide6.QtGui import QFont, QFontMetricsF

from app.transcript.caption_model import CaptionModel
from engine.events import text_of

_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH")


class MissingGlyphs:
    """Finds characters that no font can show, one for each script."""

    def __init__(self, font: QFont) -> None:
        self._metrics = QFontMetricsF(font)
        self._seen: set[str] = set()
        self._told: set[str] = set()

    def find(self, text: str) -> Iterator[str]:
        """Yield characters of scripts that were not found missing before."""
        for character in set(text) - self._seen:
            self._seen.add(character)
            script = _script_of(character)
            if script and script not in self._told and not self._metrics.inFontUcs4(ord(character)):
                self._told.add(script)
                yield character


def _script_of(character: str) -> str:
    """Return the name of a character's script; "" if it has none.

    Fonts for Japanese or Chinese cover kana, Han characters and their punctuation together: these are one script here.
    """
    first = unicodedata.name(character, "").split(" ")[0]
    return "CJK" if first.startswith(_EAST_ASIAN) else first.title()


def words_for_missing(character: str) -> str:
    """Return what to do about a character that cannot be shown."""
    text = QCoreApplication.translate(
        "GlyphWatch",
        "No font on this computer can show “{}” ({}). Install one for its script, for example from the Noto family.",
    )
    return text.format(character, _script_of(character))


class GlyphWatch(QObject):
    """Checks every new character once.

    Attributes:
        glyphs: what was found missing so far, which other pages then need not tell again.

    Signals:
        missing: a character that cannot be shown; once for each script.
    """

    missing = Signal(str)

    def __init__(self, model: CaptionModel, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.glyphs = MissingGlyphs(font)
        model.rowsInserted.connect(self._look_at_new)
        model.dataChanged.connect(self._look_at_changed)

    def _look_at_new(self, parent: QModelIndex, first: int, last: int) -> None:
        self._look(range(first, last + 1))

    def _look_at_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        self._look(range(first.row(), last.row() + 1))

    def _look(self, rows: range) -> None:
        for row in rows:
            caption = self._model.caption_at(row)
            translation = self._model.translation_at(row)
            text = text_of((*caption.committed, *caption.pending)) + (translation.text if translation else "")
            for character in self.glyphs.find(text):
                self.missing.emit(character)
