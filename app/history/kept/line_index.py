"""The index of all lines, word by word. No Qt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from enum import IntEnum

from app.history.search import Term, indexed


class LineKind(IntEnum):
    """A kind of line of the index. A line's row is eight times the row of its origin, plus its kind."""

    CAPTION = 0
    TRANSLATION = 1
    PROMPT = 2
    REPLY = 3
    NAME = 4


CAPTION_TEXT = "CASE speaker WHEN '' THEN '' ELSE speaker || ': ' END || coalesce(correction, text)"
"""The searched text of a caption: its speaker, and its words as corrected."""

_ORIGINS = {
    LineKind.CAPTION: f"SELECT {CAPTION_TEXT} FROM caption WHERE id = ?",
    LineKind.TRANSLATION: "SELECT text FROM translation WHERE id = ?",
    LineKind.PROMPT: "SELECT prompt FROM turn WHERE id = ?",
    LineKind.REPLY: "SELECT reply FROM turn WHERE id = ?",
    LineKind.NAME: "SELECT name FROM session WHERE id = ?",
}
_TABLES = {
    LineKind.CAPTION: "caption",
    LineKind.TRANSLATION: "translation",
    LineKind.PROMPT: "turn",
    LineKind.REPLY: "turn",
}


class LineIndex:
    """Finds lines by their words; the caller commits changes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def put(self, kind: LineKind, origin: int, session: int, text: str) -> None:
        """Index a line by the words of this text, in place of others."""
        words = indexed(text)
        row = origin * 8 + kind.value
        if words:
            self._db.execute(
                "INSERT OR REPLACE INTO line (rowid, text, session) VALUES (?, ?, ?)", (row, words, session)
            )
        else:
            self._db.execute("DELETE FROM line WHERE rowid = ?", (row,))

    def remove(self, sessions: Sequence[int]) -> None:
        """Remove the lines of sessions, while their rows are still there."""
        ids = json.dumps(sessions)
        for kind, table in _TABLES.items():
            rows = f"SELECT id * 8 + {kind.value} FROM {table} WHERE session IN (SELECT value FROM json_each(?))"
            self._db.execute(f"DELETE FROM line WHERE rowid IN ({rows})", (ids,))
        rows = f"SELECT value * 8 + {LineKind.NAME.value} FROM json_each(?)"
        self._db.execute(f"DELETE FROM line WHERE rowid IN ({rows})", (ids,))

    def merge(self) -> None:
        """Merge the index's parts: until then it still holds the words of removed lines."""
        self._db.execute("INSERT INTO line (line) VALUES ('optimize')")

    def hits(self, terms: Iterable[Term]) -> dict[int, tuple[int, int]]:
        """Return for each session that has every term: how many lines have one, and the row of the best line."""
        counts: dict[int, int] = {}
        best: dict[int, int] = {}
        sessions: set[int] | None = None
        expressions = [term.expression for term in terms]
        for expression in expressions:
            found = {row[0] for row in self._matches("SELECT DISTINCT session", expression)}
            sessions = found if sessions is None else sessions & found
        for row in self._matches("SELECT session, count(*), min(rowid)", " OR ".join(expressions), "GROUP BY session"):
            counts[row[0]], best[row[0]] = row[1], row[2]
        if len(expressions) > 1:
            rows = self._matches("SELECT session, min(rowid)", " AND ".join(expressions), "GROUP BY session")
            best.update((row[0], row[1]) for row in rows)
        return {session: (counts[session], best[session]) for session in sessions or ()}

    def text_of(self, row: int) -> str:
        """Return the text of a line; "" if it is gone."""
        found = self._db.execute(_ORIGINS[LineKind(row % 8)], (row // 8,)).fetchone()
        return str(found[0]) if found else ""

    def _matches(self, select: str, expression: str, group: str = "") -> sqlite3.Cursor:
        return self._db.execute(f"{select} FROM line WHERE line MATCH ? {group}", (expression,))
