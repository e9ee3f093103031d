"""The captions of kept sessions: their rows, and the index that finds them. No Qt; whoever calls commits."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from app.history.kept.line_index import CAPTION_TEXT, LineIndex, LineKind
from app.history.kept.rows import shown_of, written
from engine.events import Caption

EXCERPT_CHARACTERS = 100
"""So much of the first words stands for a session that has no name."""

_PUT = (
    'INSERT INTO caption (session, number, revision, start, "end", language, text, words, speaker) '
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, number) DO UPDATE SET "
    'revision = excluded.revision, start = excluded.start, "end" = excluded."end", '
    "language = excluded.language, text = excluded.text, words = excluded.words, "
    f"speaker = excluded.speaker WHERE excluded.revision >= revision RETURNING id, {CAPTION_TEXT}"
)
_CORRECT = (
    f"UPDATE caption SET correction = nullif(?, text) WHERE session = ? AND number = ? RETURNING id, {CAPTION_TEXT}"
)
_NAME = f"UPDATE caption SET speaker = ? WHERE session = ? AND number = ? RETURNING id, {CAPTION_TEXT}"
_FIRST = "SELECT number, coalesce(correction, text) FROM caption WHERE session = ? ORDER BY start, number LIMIT 1"
_NOTE = (
    "UPDATE session SET seconds = max(seconds, ?), language = CASE language WHEN '' THEN ? ELSE language END "
    "WHERE id = ?"
)


class CaptionTable:
    """Keeps captions as they are now."""

    def __init__(self, connection: sqlite3.Connection, lines: LineIndex) -> None:
        self._db = connection
        self._lines = lines

    def put(self, session: int, caption: Caption, shown_at: float | None) -> None:
        """Keep the committed words of a caption; words that are new were shown at `shown_at`."""
        before = self._db.execute(
            "SELECT words FROM caption WHERE session = ? AND number = ?", (session, caption.id)
        ).fetchone()
        words = written(caption.committed, shown_of(before[0]) if before else (), shown_at)
        about = caption.id, caption.revision, caption.start, caption.end, caption.language, caption.text
        if self._change(session, _PUT, (session, *about, words, caption.speaker)):
            self._db.execute(_NOTE, (caption.end, caption.language, session))
            self._take_excerpt(session, caption.id)

    def correct(self, session: int, caption: int, text: str | None) -> None:
        """Have a caption read as a person has corrected it; None, or the text as it was heard, takes that back."""
        if self._change(session, _CORRECT, (text, session, caption)):
            self._take_excerpt(session, caption)

    def name_speakers(self, session: int, names: Mapping[int, str]) -> None:
        """Say who spoke in captions, by their numbers; empty is nobody in particular."""
        for number, name in names.items():
            self._change(session, _NAME, (name, session, number))

    def _change(self, session: int, statement: str, values: tuple[object, ...]) -> bool:
        """Change a row, have it found by what it is then, and tell whether there was one to change."""
        row = self._db.execute(statement, values).fetchone()
        if row is not None:
            self._lines.put(LineKind.CAPTION, row[0], session, row[1])
        return row is not None

    def _take_excerpt(self, session: int, caption: int) -> None:
        """Have the first caption of a session stand for it."""
        number, text = self._db.execute(_FIRST, (session,)).fetchone()
        if number == caption:
            self.set_excerpt(session, text)

    def set_excerpt(self, session: int, text: str) -> None:
        """Have a text stand for a session."""
        self._db.execute("UPDATE session SET excerpt = ? WHERE id = ?", (text[:EXCERPT_CHARACTERS], session))
