"""The history's store: one SQLite file, written during a session and searchable by words. No Qt.

Times within a session count from its first sample; times of day are seconds since 1970.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from app.history.kept import audio_files
from app.history.kept.audio_files import audio_folder
from app.history.kept.caption_table import CaptionTable, SplitCaption
from app.history.kept.erasing import erase_sessions
from app.history.kept.joining import join
from app.history.kept.line_index import LineIndex, LineKind
from app.history.kept.rows import caption_of, decode_notes, encode_notes, session_of, shown_of, turn_of
from app.history.kept.schema import open_file
from app.history.records import KeptLine, KeptTurn, Kind, Session, Shown, Transcript
from app.history.search import Term, terms_of
from engine.events import Caption, Translation
from engine.notes.records import Notes
from engine.turns import Turn

UNDO_SECONDS = 600.0
"""Time within which a deleted session can be restored."""

_DAY_SECONDS = 86_400.0
_SESSION = (
    "id, kind, name, source, model, language, target, began, ended, crashed, seconds, excerpt, recording, exported, "
    "audio, resumed"
)
_SESSION_OF_LINE = ", ".join(f"session.{column}" for column in _SESSION.split(", "))
_CAPTION = 'number, revision, start, "end", language, words, first, correction, speaker'
_CAPTION_COLUMNS = len(_CAPTION.split(", "))
_CAPTION_OF_LINE = ", ".join(f"caption.{column}" for column in _CAPTION.split(", "))
_NEWEST_FIRST = "ORDER BY began DESC, id DESC"
MOST_LINES = 200
"""Most captions that a search of the assistant looks at."""

_OVER = "(ended IS NOT NULL OR crashed)"


class HistoryStore:
    """Reads and writes sessions, for one thread at a time. Every `put` is on its way to the disk when it returns.

    Its methods raise sqlite3.Error if the file cannot be read or written.

    Attributes:
        path: the file, in a folder of its own.
        notice: what a person should know since it was opened, in one sentence; or empty.
        audio_folder: the folder of the sessions' sound.
        interrupted: sessions that were running when the app was killed, found so on opening.
    """

    def __init__(self, path: Path) -> None:
        """Open the history. Sessions that were running when the app was killed are marked as crashed.

        Raises:
            HistoryError: see open_file.
        """
        self.path = path
        opened = open_file(path)
        self.notice = opened.notice
        self._lock = opened.lock
        self._db = opened.connection
        self.interrupted: frozenset[int] = frozenset()
        self._lines = LineIndex(self._db)
        self._captions = CaptionTable(self._db, self._lines)
        self._over: dict[int, float] = {}  # ends of sessions that may not be written yet
        self.audio_folder = audio_folder(path)
        if self.notice:
            audio_files.set_aside(self.audio_folder)
        if opened.alone:
            with self._db as db:
                cut_short = db.execute(
                    "UPDATE session SET crashed = 1 WHERE ended IS NULL AND NOT crashed RETURNING id"
                )
                self.interrupted = frozenset(row[0] for row in cut_short)
            self.erase_deleted()
            kept = {row[0] for row in self._db.execute("SELECT audio FROM session")}
            audio_files.erase_strays(self.audio_folder, kept)

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        self._lock.close()

    def begin(
        self,
        kind: Kind,
        name: str,
        source: str,
        model: str,
        language: str,
        began: float | None = None,
        recording: str = "",
        audio: str = "",
    ) -> int:
        """Begin a session and return its id; `name` is "" if nobody has named it."""
        began = time.time() if began is None else began
        name, source, recording = map(_storable, (name, source, recording))
        with self._db as db:
            row = db.execute(
                "INSERT INTO session (kind, name, source, model, language, began, recording, audio) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (kind, name, source, model, language, began, recording, audio),
            )
            session = int(row.lastrowid or 0)
            self._lines.put(LineKind.NAME, session, session, name)
        return session

    def put_caption(self, session: int, caption: Caption, shown_at: float | None = None) -> None:
        """Keep the committed words of a caption as it is now; new words were shown at `shown_at`."""
        with self._db:
            self._captions.put(session, caption, shown_at)

    def correct(self, session: int, caption: int, text: str | None) -> None:
        """Correct the text of a caption; None, or the text as it was heard, undoes that."""
        with self._db:
            self._captions.correct(session, caption, text)

    def name_speakers(self, session: int, names: Mapping[int, str]) -> None:
        """Set the speakers of captions, by their numbers; "" is unknown."""
        with self._db:
            self._captions.name_speakers(session, names)

    def split_captions(self, session: int, names: Mapping[int, Sequence[str]]) -> list[SplitCaption]:
        """Split captions where the speaker changes; `names` are the speakers of their words, by their numbers."""
        with self._db:
            return [self._captions.split(session, number, said) for number, said in names.items()]

    def mend_captions(self, session: int, split: Iterable[SplitCaption]) -> None:
        """Make one caption again of each that was split."""
        with self._db:
            for each in split:
                self._captions.mend(session, each)

    def put_translation(self, session: int, translation: Translation) -> None:
        """Keep the shown part of a translation as it is now; a final one gives way to a newer revision alone."""
        with self._db:
            self._put_translation(session, translation)

    def replace_translations(self, session: int, translations: Iterable[Translation]) -> None:
        """Replace all translations of a session by these."""
        lines = f"SELECT id * 8 + {LineKind.TRANSLATION.value} FROM translation WHERE session = ?"
        with self._db as db:
            db.execute(f"DELETE FROM line WHERE rowid IN ({lines})", (session,))
            db.execute("DELETE FROM translation WHERE session = ?", (session,))
            for each in translations:
                self._put_translation(session, each)

    def _put_translation(self, session: int, translation: Translation) -> None:
        row = self._db.execute(
            "INSERT INTO translation (session, number, revision, language, text, source, final) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, number) DO UPDATE SET "
            "revision = excluded.revision, language = excluded.language, text = excluded.text, "
            "source = excluded.source, final = excluded.final "
            "WHERE excluded.revision >= revision + final AND excluded.final >= final RETURNING id",
            (
                session,
                translation.id,
                translation.revision,
                translation.language,
                translation.text,
                translation.source,
                translation.final,
            ),
        ).fetchone()
        if row is not None:
            self._lines.put(LineKind.TRANSLATION, row[0], session, translation.text)
            self._db.execute("UPDATE session SET target = ? WHERE id = ?", (translation.language, session))

    def put_turn(self, session: int, turn: Turn, answered: float | None = None) -> None:
        """Keep a turn of a conversation as it is now; `answered` is in seconds since 1970, now by default."""
        answered = time.time() if answered is None else answered
        with self._db as db:
            row = db.execute(
                "INSERT INTO turn (session, number, revision, prompt, reply, how_ended, stats, answered) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session, number) DO UPDATE SET "
                "revision = excluded.revision, prompt = excluded.prompt, reply = excluded.reply, "
                "how_ended = excluded.how_ended, stats = excluded.stats "
                "WHERE excluded.revision >= revision RETURNING id, answered",
                (
                    session,
                    turn.turn,
                    turn.revision,
                    turn.prompt,
                    turn.reply,
                    turn.ended,
                    json.dumps(asdict(turn.stats)),
                    answered,
                ),
            ).fetchone()
            if row is None:
                return
            self._lines.put(LineKind.PROMPT, row[0], session, turn.prompt)
            self._lines.put(LineKind.REPLY, row[0], session, turn.reply)
            db.execute("UPDATE session SET seconds = max(seconds, ? - began) WHERE id = ?", (row[1], session))
            first = db.execute("SELECT min(number) FROM turn WHERE session = ?", (session,)).fetchone()[0]
            if first == turn.turn:
                self._captions.set_excerpt(session, turn.prompt)

    def note_resumed(self, session: int, seconds: float, time_of_day: float) -> None:
        """Note that a session went on after a pause: at a second of the recording, and in seconds since 1970."""
        with self._db as db:
            db.execute(
                "UPDATE session SET resumed = json_insert(resumed, '$[#]', json_array(?, ?)) WHERE id = ?",
                (seconds, time_of_day, session),
            )

    def marks(self, session: int) -> tuple[float, ...]:
        """Return the marked seconds of a session."""
        rows = self._db.execute("SELECT seconds FROM mark WHERE session = ? ORDER BY seconds", (session,))
        return tuple(row[0] for row in rows)

    def set_marks(self, session: int, seconds: Iterable[float]) -> None:
        """Mark these seconds of a session, and no others."""
        with self._db as db:
            db.execute("DELETE FROM mark WHERE session = ?", (session,))
            db.executemany(
                "INSERT INTO mark (session, seconds) VALUES (?, ?)", [(session, each) for each in sorted(set(seconds))]
            )

    def make_room(self) -> None:
        """Shrink the write-ahead log, which may be what fills the disk."""
        self._db.execute("PRAGMA wal_checkpoint (TRUNCATE)")

    def say_over(self, session: int, ended: float) -> None:
        """Show a session as over from now on, even if `end` cannot write it yet."""
        self._over[session] = ended

    def _as_it_is(self, session: Session) -> Session:
        ended = self._over.get(session.id)
        return replace(session, ended=ended) if session.is_running and ended is not None else session

    def end(self, session: int, ended: float | None = None) -> None:
        """Mark a session as over."""
        with self._db as db:
            db.execute(
                "UPDATE session SET ended = ?, crashed = 0 WHERE id = ?",
                (time.time() if ended is None else ended, session),
            )

    def sessions(self, search: str = "") -> tuple[Session, ...]:
        """Return sessions, the newest first; with a search, those that have every term of it."""
        terms = terms_of(search)
        if search.strip() and not terms:
            return ()
        if not terms:
            rows = self._db.execute(
                f"SELECT {_SESSION} FROM session WHERE deleted IS NULL ORDER BY began DESC, id DESC"
            )
            return tuple(self._as_it_is(session_of(row)) for row in rows)
        hits = self._lines.hits(terms)
        rows = self._db.execute(
            f"SELECT {_SESSION} FROM session WHERE deleted IS NULL "
            f"AND id IN (SELECT value FROM json_each(?)) {_NEWEST_FIRST}",
            (json.dumps(list(hits)),),
        )
        found = (session_of(row, hits[row[0]][0], self._lines.text_of(hits[row[0]][1])) for row in rows)
        return tuple(self._as_it_is(each) for each in found)

    def session(self, session: int) -> Session | None:
        """Return one session; None if this id does not exist."""
        row = self._db.execute(f"SELECT {_SESSION} FROM session WHERE id = ?", (session,)).fetchone()
        return self._as_it_is(session_of(row)) if row else None

    def newest(self, kind: Kind = "captions") -> Session | None:
        """Return the newest session that is over; None if there is none."""
        row = self._db.execute(
            f"SELECT {_SESSION} FROM session WHERE deleted IS NULL AND kind = ? AND {_OVER} {_NEWEST_FIRST} LIMIT 1",
            (kind,),
        ).fetchone()
        return session_of(row) if row else None

    def captions(self, session: int) -> tuple[Caption, ...]:
        """Return the captions of a session, with their committed words."""
        rows = self._db.execute(
            f"SELECT {_CAPTION} FROM caption WHERE session = ? ORDER BY start, number",
            (session,),
        )
        return tuple(caption_of(row) for row in rows)

    def shown(self, session: int) -> Shown:
        """Return when the words of each caption were shown."""
        rows = self._db.execute("SELECT number, words, correction FROM caption WHERE session = ?", (session,))
        return {number: shown_of(words, correction) for number, words, correction in rows}

    def heard(self, session: int) -> dict[int, str]:
        """Return the corrected captions, by their numbers, as they were heard."""
        return dict(
            self._db.execute(
                "SELECT number, text FROM caption WHERE session = ? AND correction IS NOT NULL", (session,)
            )
        )

    def translations(self, session: int) -> tuple[Translation, ...]:
        """Return the translations of a session's captions."""
        rows = self._db.execute(
            "SELECT number, revision, text, source, language FROM translation WHERE session = ? ORDER BY number",
            (session,),
        )
        return tuple(
            Translation(number, revision, text, "", source, language, final=True)
            for number, revision, text, source, language in rows
        )

    def turns(self, session: int) -> tuple[KeptTurn, ...]:
        """Return the turns of a conversation."""
        rows = self._db.execute(
            "SELECT number, revision, prompt, reply, how_ended, stats, answered FROM turn "
            "WHERE session = ? ORDER BY number",
            (session,),
        )
        return tuple(turn_of(row) for row in rows)

    def transcript(self, session: int) -> Transcript:
        """Return all that was said in a session."""
        about = self.session(session)
        return Transcript(
            about,
            self.captions(session),
            self.translations(session),
            self.turns(session),
            self.shown(session),
            heard=self.heard(session),
            marks=self.marks(session),
            clock=about.clock if about is not None else (),
            notes=self.notes(session),
        )

    def put_notes(self, session: int, notes: Notes) -> None:
        """Keep the notes of a session, in place of earlier ones; nothing is kept if the session is gone."""
        with self._db as db:
            db.execute(
                "INSERT OR REPLACE INTO notes (session, notes) SELECT id, ? FROM session WHERE id = ?",
                (encode_notes(notes), session),
            )

    def notes(self, session: int) -> Notes | None:
        """Return the notes of a session; None if there are none."""
        row = self._db.execute("SELECT notes FROM notes WHERE session = ?", (session,)).fetchone()
        return decode_notes(row[0]) if row else None

    def rename(self, session: int, name: str) -> None:
        """Rename a session; "" removes the name."""
        with self._db as db:
            db.execute("UPDATE session SET name = ? WHERE id = ?", (name, session))
            self._lines.put(LineKind.NAME, session, session, name)

    def note_export(self, session: int, file: Path) -> None:
        """Note the file to which a session was exported last."""
        with self._db as db:
            db.execute("UPDATE session SET exported = ? WHERE id = ?", (_storable(str(file.absolute())), session))

    def join(self, sessions: Sequence[int], begins: Sequence[float], audio: str = "") -> int:
        """Make one session of several, in their order, and hide these; return its id. See `joining.join`."""
        with self._db as db:
            joined = join(db, self._lines, sessions, begins, audio)
        for session in sessions:
            self.delete(session)
        return joined

    def delete(self, session: int) -> None:
        """Hide a session; `restore` brings it back, within UNDO_SECONDS and while the app runs."""
        with self._db as db:
            db.execute("UPDATE session SET deleted = ? WHERE id = ?", (time.time(), session))

    def restore(self, session: int) -> None:
        """Bring a deleted session back."""
        with self._db as db:
            db.execute("UPDATE session SET deleted = NULL WHERE id = ?", (session,))

    def purge(self, days: int | None, now: float | None = None) -> int:
        """Erase sessions that began more than `days` ago and are over, and those that can no longer be restored.

        With `days` None only the latter. Returns the number of erased sessions.
        """
        now = time.time() if now is None else now
        oldest = -1.0 if days is None else now - days * _DAY_SECONDS
        rows = self._db.execute(
            f"SELECT id FROM session WHERE (began < ? AND {_OVER}) OR deleted < ?",
            (oldest, now - UNDO_SECONDS),
        )
        return self._erase([row[0] for row in rows])

    def erase_deleted(self) -> int:
        """Erase deleted sessions for good; return their number."""
        return self._erase([row[0] for row in self._db.execute("SELECT id FROM session WHERE deleted IS NOT NULL")])

    def delete_all(self) -> int:
        """Erase every session that is over, for good; return their number."""
        return self._erase(
            [row[0] for row in self._db.execute("SELECT id FROM session WHERE ended IS NOT NULL OR crashed")]
        )

    def _erase(self, sessions: Sequence[int]) -> int:
        return erase_sessions(self._db, self._lines, self.audio_folder, sessions)

    def lines_with(self, terms: Sequence[Term], most: int = MOST_LINES) -> tuple[KeptLine, ...]:
        """Return the newest captions with any of these terms, of sessions that are over, oldest first."""
        if not terms:
            return ()
        rows = self._db.execute(
            f"SELECT {_CAPTION_OF_LINE}, {_SESSION_OF_LINE} FROM line JOIN caption ON caption.id = line.rowid / 8 "
            "JOIN session ON session.id = caption.session "
            f"WHERE line MATCH ? AND line.rowid % 8 = {LineKind.CAPTION.value} AND session.deleted IS NULL AND {_OVER} "
            "ORDER BY session.began DESC, caption.start DESC LIMIT ?",
            (" OR ".join(term.expression for term in terms), most),
        ).fetchall()
        count = _CAPTION_COLUMNS
        return tuple(KeptLine(session_of(row[count:]), caption_of(row[:count])) for row in reversed(rows))


def _storable(text: str) -> str:
    """Return a name with a question mark for each byte that is no text: files may have such names."""
    return text.encode("utf-8", "replace").decode()
