"""The history's file: SQLite, readable by its owner alone, set aside if it is damaged. No Qt."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine.errors import EngineError, reason_of

FILE_NAME = "history.sqlite"
_BUSY_SECONDS = 10.0
_FORMATS_PLACE, _NEWEST_FORMAT = 18, 2  # in SQLite's header: in which format a file is written, and in which read
_BESIDE = ("-wal", "-shm")  # what SQLite keeps beside the file

FIRST_TABLES = """
CREATE TABLE session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('captions', 'conversation')),
    name TEXT NOT NULL,
    source TEXT NOT NULL,
    model TEXT NOT NULL,
    language TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '',
    began REAL NOT NULL,
    ended REAL,
    crashed INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    excerpt TEXT NOT NULL DEFAULT '',
    recording TEXT NOT NULL DEFAULT '',
    exported TEXT NOT NULL DEFAULT '',
    audio TEXT NOT NULL DEFAULT '',
    deleted REAL
);
CREATE INDEX session_began ON session (began);
CREATE TABLE caption (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    start REAL NOT NULL,
    "end" REAL NOT NULL,
    language TEXT NOT NULL,
    text TEXT NOT NULL,
    words TEXT NOT NULL,
    correction TEXT, -- NULL where the words stand as they were heard
    speaker TEXT NOT NULL DEFAULT '', -- empty where nobody knows who spoke
    UNIQUE (session, number)
);
CREATE TABLE translation (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    language TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    final INTEGER NOT NULL,
    UNIQUE (session, number)
);
CREATE TABLE turn (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    prompt TEXT NOT NULL,
    reply TEXT NOT NULL,
    how_ended TEXT NOT NULL,
    stats TEXT NOT NULL,
    answered REAL NOT NULL,
    UNIQUE (session, number)
);
CREATE VIRTUAL TABLE line USING fts5 (
    text, session UNINDEXED, prefix = '1 2 3', tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
"""

_CHANGES = (
    # what stood there before it was heard again; empty where that changed nothing
    "ALTER TABLE caption ADD COLUMN first TEXT NOT NULL DEFAULT ''",
    """
    ALTER TABLE session ADD COLUMN resumed TEXT NOT NULL DEFAULT '[]'; -- when it went on after its pauses: see Session
    CREATE TABLE mark (
        id INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        seconds REAL NOT NULL,
        UNIQUE (session, seconds)
    )
    """,
    """
    CREATE TABLE notes (
        session INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
        notes TEXT NOT NULL
    )
    """,
)
"""Additions of each version since the first to the tables."""

VERSION = 1 + len(_CHANGES)
"""Version of the tables, stored in the file."""


class HistoryError(EngineError):
    """The history cannot be opened, read or written."""


@dataclass(slots=True)
class OpenFile:
    """An open history.

    Attributes:
        lock: held while it is open; see `claim`.
        alone: no other Earshot had it open.
        notice: what the person should know about it, in one sentence; empty if there is nothing.
    """

    connection: sqlite3.Connection
    lock: BinaryIO
    alone: bool
    notice: str = ""


def open_file(path: Path) -> OpenFile:
    """Open the history, or create one, and set a damaged file aside. The file has a folder of its own.

    Raises:
        HistoryError: it cannot be opened, or a newer Earshot has made it.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        lock, alone = claim(path.with_suffix(".lock"))
    except OSError as error:
        raise HistoryError(f"The history in {path.parent} cannot be opened: {reason_of(error)}.") from error
    try:
        connection, notice = _open_or_set_aside(path)
    except BaseException:
        lock.close()
        raise
    return OpenFile(connection, lock, alone, notice)


def claim(path: Path) -> tuple[BinaryIO, bool]:
    """Share a lock with every running Earshot, and return whether this one is the only one.

    The system frees the lock when the app is killed.
    """
    file = open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115 - held while open
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        alone = False
    else:
        alone = True
    fcntl.flock(file, fcntl.LOCK_SH)
    return file, alone


def _open_or_set_aside(path: Path) -> tuple[sqlite3.Connection, str]:
    try:
        return _open(path), ""
    except sqlite3.OperationalError as error:
        raise HistoryError(f"The history in {path} cannot be opened: {error}.") from error
    except sqlite3.DatabaseError:
        aside = _set_aside(path)
    notice = f"The history was damaged. It was set aside as {aside}, and a new one was begun."
    try:
        return _open(path), notice
    except sqlite3.Error as error:
        raise HistoryError(f"The history in {path} cannot be opened: {error}.") from error


def _open(path: Path) -> sqlite3.Connection:
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)  # before there is anything in it
    formats = os.pread(file, 2, _FORMATS_PLACE)
    os.close(file)
    path.chmod(0o600)
    if max(formats, default=0) > _NEWEST_FORMAT:  # SQLite would read it, and write nothing
        raise sqlite3.DatabaseError("damaged")
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level="IMMEDIATE", check_same_thread=False)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise HistoryError(f"A newer Earshot has made the history in {path}; install that one to read it.")
        if version == 0:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before there is anything in it
        # A kill of the app loses nothing of what was written; a power cut may lose the last moment, and no more.
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "secure_delete = ON",
            "wal_autocheckpoint = 250",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if version < VERSION:
            _make_tables(connection, version)
        if connection.execute("PRAGMA quick_check (1)").fetchone()[0] != "ok":
            raise sqlite3.DatabaseError("damaged")
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection, version: int) -> None:
    """Create the tables, or what those of an earlier version lack."""
    missing = _CHANGES[version - 1 :] if version else (FIRST_TABLES, *_CHANGES)
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {';'.join(missing)}; PRAGMA user_version = {VERSION}; COMMIT;")
    except sqlite3.Error:
        with contextlib.suppress(sqlite3.Error):
            connection.rollback()
        # Another Earshot that was started at the same moment may have created them.
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            raise


def _set_aside(path: Path) -> Path:
    stem = f"{path.stem}-damaged-{time.strftime('%Y-%m-%d-%H%M%S')}"
    aside = path.with_name(f"{stem}{path.suffix}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stem}-{number}{path.suffix}")
    try:
        os.replace(path, aside)
        for ending in _BESIDE:
            beside = path.with_name(path.name + ending)
            if beside.exists():
                os.replace(beside, aside.with_name(aside.name + ending))
    except OSError as error:
        raise HistoryError(f"The damaged history in {path} cannot be set aside: {reason_of(error)}.") from error
    return aside
