"""The history on a thread of its own."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.history import archive as archive_module
from app.history.archive import Archive
from app.history.kept.schema import FILE_NAME
from app.history.records import Session
from app.history.store import HistoryStore
from tests.app.made_captions import caption


def say(archive: Archive, text: str) -> None:
    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en")
        store.put_caption(session, caption(0, text, final=True))
        store.end(session)

    archive.write(write)


def ask(archive: Archive, qtbot: QtBot, search: str = "") -> tuple[Session, ...]:
    answers: list[tuple[Session, ...]] = []
    archive.ask(lambda store: store.sessions(search), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    return answers[0]


def test_what_is_asked_is_answered_on_the_thread_that_asked(archive: Archive, qtbot: QtBot) -> None:
    threads: list[int] = []
    archive.ask(lambda store: threads.append(threading.get_ident()), lambda _: threads.append(threading.get_ident()))
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert threads[0] != threads[1] == threading.get_ident()


def test_what_needs_no_history_is_done_where_none_can_be_opened(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "history").write_bytes(b"no folder")
    archive = Archive(tmp_path / "history" / FILE_NAME)
    archive.start()
    done: list[str] = []
    archive.do(lambda: "written", done.append)
    qtbot.waitUntil(lambda: done == ["written"])
    archive.close()


def test_an_answer_knows_of_everything_written_before(archive: Archive, qtbot: QtBot) -> None:
    for number in range(20):
        say(archive, f"Words {number}")
    assert len(ask(archive, qtbot)) == 20


def test_everybody_hears_of_a_change(archive: Archive, qtbot: QtBot) -> None:
    with qtbot.waitSignal(archive.changed):
        say(archive, "Words")


def test_what_is_still_to_be_written_is_written_at_the_end(history_path: Path, qtbot: QtBot) -> None:
    archive = Archive(history_path)
    archive.start()
    for number in range(50):
        say(archive, f"Words {number}")
    archive.close()
    store = HistoryStore(history_path)
    assert len(store.sessions()) == 50
    store.close()


def test_what_was_deleted_is_erased_at_the_end(archive: Archive, history_path: Path, qtbot: QtBot) -> None:
    say(archive, "Secret")
    (session,) = ask(archive, qtbot)
    archive.write(lambda store: store.delete(session.id))
    assert ask(archive, qtbot) == ()
    archive.write(lambda store: store.restore(session.id))
    assert len(ask(archive, qtbot)) == 1
    archive.write(lambda store: store.delete(session.id))
    archive.close()
    with sqlite3.connect(history_path) as db:
        assert db.execute("SELECT count(*) FROM session").fetchone() == (0,)
    db.close()


def test_what_cannot_be_written_is_told_once_and_written_later(
    archive: Archive, history_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "RETRY_SECONDS", 0.05)
    ask(archive, qtbot)
    told: list[str] = []
    archive.unsaved.connect(told.append)
    archive.write(lambda store: store._db.execute("PRAGMA max_page_count = 1"))
    for number in range(60):
        say(archive, f"Many words {number} " * 100)
    say(archive, "The last words " * 100)
    qtbot.waitUntil(lambda: bool(told))
    archive.ask(lambda store: store._db.execute("PRAGMA max_page_count = 1000000"), lambda _: None)
    qtbot.waitUntil(lambda: len(ask(archive, qtbot, "last")) == 1)
    qtbot.waitUntil(lambda: len(told) == 2)
    assert "The disk is full" in told[0]
    assert told[1] == ""


def test_of_what_cannot_be_written_the_newest_of_its_kind_is_kept(history_path: Path, qtbot: QtBot) -> None:
    history_path.parent.parent.joinpath("history").write_text("a file where the folder should be")
    archive = Archive(history_path)
    written: list[int] = []
    with qtbot.waitSignal(archive.unsaved) as failed:
        archive.start()
    assert "cannot be opened" in failed.args[0]
    assert archive.problem == failed.args[0]
    for number in range(100):
        archive.write(lambda store, number=number: written.append(number), "caption")  # type: ignore[misc]
    qtbot.waitUntil(archive._jobs.empty)
    history_path.parent.unlink()
    archive.close()
    assert written == [99]


def test_a_history_that_is_damaged_while_it_is_open_is_begun_anew(
    archive: Archive, history_path: Path, qtbot: QtBot
) -> None:
    say(archive, "Before " * 200)
    ask(archive, qtbot)
    for pragma in ("wal_checkpoint (TRUNCATE)", "shrink_memory"):
        archive.write(lambda store, pragma=pragma: store._db.execute(f"PRAGMA {pragma}").fetchall())  # type: ignore[misc]
    done: list[bool] = []
    archive.ask(lambda store: True, done.append)
    qtbot.waitUntil(lambda: bool(done))
    size = history_path.stat().st_size
    with open(history_path, "r+b") as file:
        file.write(os.urandom(size))
        file.flush()
    with qtbot.waitSignal(archive.noticed) as noticed:
        say(archive, "After")
    assert "set aside" in noticed.args[0]
    assert [each.title for each in ask(archive, qtbot)] == ["After"]


def test_a_question_that_fails_is_a_sentence(archive: Archive, qtbot: QtBot) -> None:
    with qtbot.waitSignal(archive.failed) as failed:
        archive.ask(lambda store: store._db.execute("SELECT * FROM nowhere"), lambda _: None)
    assert "cannot be read or written" in failed.args[0]


def fail(error: Exception) -> Callable[[HistoryStore], None]:
    def write(store: HistoryStore) -> None:
        raise error

    return write


@pytest.mark.parametrize("error", [ValueError("odd"), sqlite3.IntegrityError("odd"), OSError(36, "odd")])
def test_what_can_never_be_written_or_read_is_told_and_nothing_waits_for_it(
    archive: Archive, qtbot: QtBot, error: Exception
) -> None:
    told: list[str] = []
    archive.failed.connect(told.append)
    archive.write(fail(error))
    archive.ask(fail(error), lambda _: None)
    say(archive, "After")
    assert [each.title for each in ask(archive, qtbot)] == ["After"]
    assert ["odd" in each for each in told] == [True, True]


def test_the_file_has_a_plain_name() -> None:
    assert FILE_NAME == "history.sqlite"
