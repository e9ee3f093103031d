"""The captions of kept sessions: their rows, and the index that finds them. No Qt; the caller commits."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from app.history.kept.line_index import CAPTION_TEXT, LineIndex, LineKind
from app.history.kept.rows import encode_words, shown_of, written
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
_WORDS = "SELECT first, revision, language, words FROM caption WHERE session = ? AND number = ?"
_DROP = "DELETE FROM caption WHERE session = ? AND number = ? RETURNING id"
_FIRST = "SELECT number, coalesce(correction, text) FROM caption WHERE session = ? ORDER BY start, number LIMIT 1"
_NOTE = (
    "UPDATE session SET seconds = max(seconds, ?), language = CASE language WHEN '' THEN ? ELSE language END "
    "WHERE id = ?"
)


@dataclass(frozen=True, slots=True)
class SplitCaption:
    """A caption that became several.

    Attributes:
        number: of the caption, and of the first part.
        speakers: of the parts, by their numbers, in order.
        first: its text before it was heard again, which the parts have not.
    """

    number: int
    speakers: Mapping[int, str]
    first: str = ""


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

    def split(self, session: int, number: int, speakers: Sequence[str]) -> SplitCaption:
        """Split a caption where the speaker of its words changes; one with other words than these stays whole."""
        row = self._db.execute(_WORDS, (session, number)).fetchone()
        runs = [list(run) for _, run in groupby(range(len(speakers)), key=lambda at: speakers[at])]
        if row is None or len(json.loads(row[3])) != len(speakers):
            return SplitCaption(number, {number: speakers[0]} if row is not None else {})
        first, revision, language, encoded = row
        words = json.loads(encoded)
        (newest,) = self._db.execute("SELECT max(number) FROM caption WHERE session = ?", (session,)).fetchone()
        numbers = [number, *range(newest + 1, newest + len(runs))]
        if len(runs) > 1:
            for part, run in zip(numbers, runs, strict=True):
                self._put_words(session, part, revision, language, words[run[0] : run[-1] + 1], "")
        return SplitCaption(number, {part: speakers[run[0]] for part, run in zip(numbers, runs, strict=True)}, first)

    def mend(self, session: int, split: SplitCaption) -> None:
        """Make one caption of one that was split."""
        if len(split.speakers) < 2:
            return
        words: list[Any] = []
        for part in split.speakers:
            _, revision, language, encoded = self._db.execute(_WORDS, (session, part)).fetchone()
            words += json.loads(encoded)
            if part != split.number:
                (row,) = self._db.execute(_DROP, (session, part)).fetchone()
                self._lines.put(LineKind.CAPTION, row, session, "")
        self._put_words(session, split.number, revision, language, words, split.first)

    def _put_words(
        self, session: int, number: int, revision: int, language: str, words: Sequence[Any], first: str
    ) -> None:
        """Keep a caption of words as they are encoded."""
        text = "".join(each[0] for each in words).strip()
        about = revision, words[0][1], words[-1][2], language, text, first, encode_words(words), ""
        self._change(session, _PUT, (session, number, *about))
        self._set_excerpt(session, number)

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
