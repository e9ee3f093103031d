"""The captions of kept sessions: their rows, and the index that finds them. No Qt; the caller commits."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from app.history.kept.line_index import CAPTION_TEXT, LineIndex, LineKind
from app.history.kept.rows import shown_of, written
from engine.events import Caption

EXCERPT_CHARACTERS = 100
"""Longest excerpt that names a session without a name."""

_PUT = (
    'INSERT INTO caption (session, number, revision, start, "end", language, text, first, words, speaker) '
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, number) DO UPDATE SET "
    'revision = excluded.revision, start = excluded.start, "end" = excluded."end", '
    "language = excluded.language, text = excluded.text, first = excluded.first, "
    "words = excluded.words, "
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
    """Keeps the present state of captions."""

    def __init__(self, connection: sqlite3.Connection, lines: LineIndex) -> None:
        self._db = connection
        self._lines = lines

    def put(self, session: int, caption: Caption, shown_at: float | None) -> None:
        """Keep the committed words of a caption; new words were shown at `shown_at`.

        Of a caption that was heard again, the words that stayed keep their moment, and the others have none.
        """
        before = self._db.execute(
            "SELECT words FROM caption WHERE session = ? AND number = ?", (session, caption.id)
        ).fetchone()
        shown = shown_of(before[0], caption.text if caption.first_text else None) if before else ()
        words = written(caption.committed, shown, None if caption.first_text else shown_at)
        about = caption.id, caption.revision, caption.start, caption.end, caption.language, caption.text
        if self._change(session, _PUT, (session, *about, caption.first_text, words, caption.speaker)):
            self._db.execute(_NOTE, (caption.end, caption.language, session))
            self._set_excerpt(session, caption.id)

    def correct(self, session: int, caption: int, text: str | None) -> None:
        """Correct the text of a caption; None, or the text as it was heard, undoes that."""
        if self._change(session, _CORRECT, (text, session, caption)):
            self._set_excerpt(session, caption)

    def name_speakers(self, session: int, names: Mapping[int, str]) -> None:
        """Set the speakers of captions, by their numbers; "" is unknown."""
        for number, name in names.items():
            self._change(session, _NAME, (name, session, number))

    def _change(self, session: int, statement: str, values: tuple[object, ...]) -> bool:
        """Change a row and its index entry; return whether there was a row."""
        row = self._db.execute(statement, values).fetchone()
        if row is not None:
            self._lines.put(LineKind.CAPTION, row[0], session, row[1])
        return row is not None

    def _set_excerpt(self, session: int, caption: int) -> None:
        """Set a session's excerpt from its first caption."""
        number, text = self._db.execute(_FIRST, (session,)).fetchone()
        if number == caption:
            self.set_excerpt(session, text)

    def set_excerpt(self, session: int, text: str) -> None:
        """Set a session's excerpt."""
        self._db.execute("UPDATE session SET excerpt = ? WHERE id = ?", (text[:EXCERPT_CHARACTERS], session))
