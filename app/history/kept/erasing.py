"""Erasure of sessions: neither their words nor their sound can be found any more. No Qt."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from app.history.kept import audio_files
from app.history.kept.line_index import LineIndex


def erase_sessions(
    connection: sqlite3.Connection, lines: LineIndex, audio_folder: Path, sessions: Sequence[int]
) -> int:
    """Erase sessions for good, and return their number."""
    if not sessions:
        return 0
    ids = (json.dumps(sessions),)
    chosen = "(SELECT value FROM json_each(?))"
    alone = (
        f"SELECT DISTINCT audio FROM session WHERE id IN {chosen} "
        f"AND audio NOT IN (SELECT audio FROM session WHERE id NOT IN {chosen})"
    )
    audio = [row[0] for row in connection.execute(alone, ids * 2)]  # files that other sessions share stay
    with connection as db:
        lines.remove(sessions)
        db.execute(f"DELETE FROM session WHERE id IN {chosen}", ids)
        lines.merge()
    audio_files.erase(audio_folder, [name for name in audio if name])
    connection.executescript("PRAGMA incremental_vacuum")
    connection.execute("PRAGMA wal_checkpoint (TRUNCATE)")
    return len(sessions)
