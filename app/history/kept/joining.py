"""Several kept sessions as one: their captions one after the other. No Qt; the caller commits."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from app.history.kept.line_index import CAPTION_TEXT, LineIndex, LineKind
from app.history.kept.rows import decode_notes, encode_notes
from engine.notes.records import Notes, followed_by

_SESSION = (
    "INSERT INTO session (kind, name, source, model, language, target, began, ended, crashed, seconds, excerpt, audio) "
    "SELECT kind, ?, source, model, language, ?, began, ?, 0, 0, excerpt, ? FROM session WHERE id = ?"
)
_CAPTION = (
    'INSERT INTO caption (session, number, revision, start, "end", language, text, first, words, correction, speaker) '
    f"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id, {CAPTION_TEXT}"
)
_TRANSLATION = (
    "INSERT INTO translation (session, number, revision, language, text, source, final) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id, text"
)


def join(
    connection: sqlite3.Connection, lines: LineIndex, sessions: Sequence[int], begins: Sequence[float], audio: str
) -> int:
    """Make a session of the captions of others, and return its id; the others stay as they are.

    `begins` are the seconds of the new session at which each of the others begins, and `audio` is the name of its
    sound.
    """
    chosen = "id IN (SELECT value FROM json_each(?)) ORDER BY began"
    names = connection.execute(f"SELECT name, target, ended FROM session WHERE {chosen}", (json.dumps(list(sessions)),))
    named, targets, ends = zip(*names, strict=True)
    name, target = next(filter(None, named), ""), next(filter(None, targets), "")
    row = connection.execute(_SESSION, (name, target, max(filter(None, ends), default=None), audio, sessions[0]))
    joined = int(row.lastrowid or 0)
    lines.put(LineKind.NAME, joined, joined, name)
    resumed: list[tuple[float, float]] = []
    notes: Notes | None = None
    first_number = 0
    for session, begin in zip(sessions, begins, strict=True):
        numbers = _copy_captions(connection, lines, session, joined, begin, first_number)
        first_number += len(numbers)
        notes = _with_notes_of(connection, session, numbers, notes)
        connection.execute(
            "INSERT INTO mark (session, seconds) SELECT ?, seconds + ? FROM mark WHERE session = ?",
            (joined, begin, session),
        )
        began, pauses = connection.execute("SELECT began, resumed FROM session WHERE id = ?", (session,)).fetchone()
        resumed += [(begin, began)] if begin else []
        resumed += [(begin + at, then) for at, then in json.loads(pauses)]
    if notes is not None:
        connection.execute("INSERT INTO notes (session, notes) VALUES (?, ?)", (joined, encode_notes(notes)))
    last = 'SELECT coalesce(max("end"), 0) FROM caption WHERE session = ?'
    connection.execute(
        f"UPDATE session SET resumed = ?, seconds = ({last}) WHERE id = ?", (json.dumps(resumed), joined, joined)
    )
    return joined


def _copy_captions(
    connection: sqlite3.Connection, lines: LineIndex, session: int, joined: int, begin: float, first_number: int
) -> dict[int, int]:
    """Copy captions and translations with later times and other numbers; return the new numbers by the old ones."""
    rows = connection.execute(
        'SELECT number, revision, start, "end", language, text, first, words, correction, speaker FROM caption '
        "WHERE session = ? ORDER BY start, number",
        (session,),
    ).fetchall()
    numbers = {row[0]: number for number, row in enumerate(rows, first_number)}
    for number, revision, start, end, language, text, first, words, correction, speaker in rows:
        times = start + begin, end + begin
        about = language, text, first, _later(words, begin), correction, speaker
        new = connection.execute(_CAPTION, (joined, numbers[number], revision, *times, *about)).fetchone()
        lines.put(LineKind.CAPTION, new[0], joined, new[1])
    translations = connection.execute(
        "SELECT number, revision, language, text, source, final FROM translation WHERE session = ?", (session,)
    ).fetchall()
    for number, *about in translations:
        if number in numbers:
            new = connection.execute(_TRANSLATION, (joined, numbers[number], *about)).fetchone()
            lines.put(LineKind.TRANSLATION, new[0], joined, new[1])
    return numbers


def _with_notes_of(
    connection: sqlite3.Connection, session: int, numbers: Mapping[int, int], notes: Notes | None
) -> Notes | None:
    """Return notes with those of a session behind them, whose captions have other numbers now."""
    row = connection.execute("SELECT notes FROM notes WHERE session = ?", (session,)).fetchone()
    return followed_by(notes, decode_notes(row[0]), numbers) if row else notes


def _later(words: str, seconds: float) -> str:
    """Return the record of words with later times."""
    record = [
        [text, round(start + seconds, 3), round(end + seconds, 3), probability, _after(shown, seconds)]
        for text, start, end, probability, shown in json.loads(words)
    ]
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _after(shown: float | None, seconds: float) -> float | None:
    return None if shown is None else round(shown + seconds, 3)
