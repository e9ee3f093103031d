"""The history's file: what goes in comes out, is found, and is gone when it should be."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.history.kept.schema import FIRST_TABLES, VERSION, HistoryError
from app.history.search import terms_of
from app.history.store import UNDO_SECONDS, HistoryStore
from app.transcript.time_of_day import time_of_day
from engine.turns import AnswerStats, Turn, TurnStats
from tests.app.made_captions import better, caption, translation

DAY = 86_400.0


def begin(store: HistoryStore, name: str = "", began: float | None = None) -> int:
    return store.begin("captions", name, "Microphone", "starter", "", began)


def say(store: HistoryStore, text: str, name: str = "", began: float | None = None) -> int:
    """Add a finished session with one caption; return its id."""
    session = begin(store, name, began)
    store.put_caption(session, caption(0, text, final=True))
    store.end(session)
    return session


def titles(store: HistoryStore, search: str = "") -> list[str]:
    return [each.title for each in store.sessions(search)]


def test_captions_come_back_with_their_words_times_and_delays(store: HistoryStore) -> None:
    session = begin(store)
    first = caption(0, "Good", pending="morning.")
    whole = caption(0, "Good morning.", revision=1, final=True)
    store.put_caption(session, first, shown_at=1.0)
    store.put_caption(session, whole, shown_at=1.9)
    (kept,) = store.captions(session)
    assert (kept.committed, kept.pending, kept.final, kept.start, kept.end) == (whole.committed, (), True, 0.0, 0.8)
    assert store.shown(session) == {0: (1.0, 1.9)}
    assert store.transcript(session).delays_of(kept) == pytest.approx((0.6, 1.1))


def test_a_session_has_no_recording_and_no_sound_unless_they_are_named(store: HistoryStore) -> None:
    plain = store.session(begin(store))
    whole = store.session(store.begin("captions", "", "File", "starter", "", 1.0, "/talk.wav", "1.opus"))
    assert plain is not None and whole is not None
    assert [(each.recording, each.audio) for each in (plain, whole)] == [("", ""), ("/talk.wav", "1.opus")]


def test_who_spoke_is_kept_for_the_captions_that_are_named(store: HistoryStore) -> None:
    session, other = begin(store), begin(store)
    for each in (session, other):
        store.put_caption(each, caption(0, "Good morning.", final=True))
    store.name_speakers(session, {0: "Anna"})
    assert [each.speaker for each in (*store.captions(session), *store.captions(other))] == ["Anna", ""]


def test_an_older_revision_changes_nothing(store: HistoryStore) -> None:
    session = begin(store)
    store.put_caption(session, caption(0, "Good morning.", revision=3, final=True))
    store.put_caption(session, caption(0, "Good", revision=2))
    assert [each.text for each in store.captions(session)] == ["Good morning."]


def test_translations_come_back_and_final_ones_stay(store: HistoryStore) -> None:
    session = begin(store)
    store.put_caption(session, caption(0, "Good morning.", final=True))
    store.put_translation(session, translation(0, "Guten", hidden=" Morgen", revision=1))
    store.put_translation(session, translation(0, "Guten Morgen.", revision=2, final=True))
    store.put_translation(session, translation(0, "Guten Tag.", revision=3))
    (kept,) = store.translations(session)
    assert kept == translation(0, "Guten Morgen.", revision=2, final=True)
    assert store.sessions()[0].target == "de"


def test_turns_come_back_with_what_they_cost(store: HistoryStore) -> None:
    session = store.begin("conversation", "", "", "starter-assistant", "en")
    stats = TurnStats(0.4, 0.5, 0.6, 3, True, 9, 2, AnswerStats(4, 3, 20, 6, 0.1, 0.2))
    turn = Turn(1, 0, "What is the capital of France?", "Paris.", stats=stats)
    store.put_turn(session, turn, answered=100.0)
    store.put_turn(session, Turn(1, 1, turn.prompt, "Par", "interrupted", stats), answered=101.0)
    (kept,) = store.turns(session)
    assert (kept.turn.reply, kept.turn.ended, kept.turn.stats) == ("Par", "interrupted", stats)
    assert kept.answered == 100.0
    assert titles(store) == ["What is the capital of France?"]


def test_sessions_are_listed_newest_first_by_name_or_first_words(store: HistoryStore) -> None:
    say(store, "Older words", began=100.0)
    say(store, "Newer words", name="Lecture", began=200.0)
    assert titles(store) == ["Lecture", "Older words"]


@pytest.mark.parametrize("search", ["budg", "BUDGET octo", '"october budget"', "lecture", "haushalt budget"])
def test_a_session_is_found_by_any_of_its_words(store: HistoryStore, search: str) -> None:
    session = say(store, "About the October budget", name="Lecture 3")
    store.put_translation(session, translation(0, "Über den Haushalt im Oktober", final=True))
    say(store, "Something else, also in October")
    assert titles(store, search) == ["Lecture 3"]


def test_a_conversation_is_found_by_what_was_asked_and_answered(store: HistoryStore) -> None:
    for prompt, reply in (("What is the capital of France?", "Paris."), ("And of Spain?", "Madrid.")):
        talk = store.begin("conversation", "", "", "starter-assistant", "en")
        store.put_turn(talk, Turn(1, 0, prompt, reply))
    assert [titles(store, word) for word in ("capital", "madrid")] == [
        ["What is the capital of France?"],
        ["And of Spain?"],
    ]


def test_a_session_is_found_whose_words_are_far_apart(store: HistoryStore) -> None:
    session = begin(store)
    store.put_caption(session, caption(0, "Apples first.", final=True))
    store.put_caption(session, caption(1, "Then the oranges, apples again.", final=True, start=9))
    (found,) = store.sessions("oranges apples")
    assert (found.hits, found.found) == (2, "Then the oranges, apples again.")
    assert store.sessions("apples pears") == ()


def test_words_that_were_replaced_are_not_found(store: HistoryStore) -> None:
    session = begin(store)
    store.put_translation(session, translation(0, "Guten Abend", revision=1))
    store.put_translation(session, translation(0, "Guten Morgen", revision=2, final=True))
    assert [each.id for each in store.sessions("morgen")] == [session]
    assert store.sessions("abend") == ()


@pytest.mark.parametrize(
    "search", ['"', "AND", "*", "a OR", "NEAR(", "text:budget", "^x", "'; DROP TABLE line; --", "\0"]
)
def test_whatever_is_typed_is_looked_for_and_does_no_harm(store: HistoryStore, search: str) -> None:
    say(store, "About the budget")
    store.sessions(search)
    assert titles(store) == ["About the budget"]


def test_a_new_name_is_shown_and_found(store: HistoryStore) -> None:
    session = say(store, "About the budget", name="Lecture")
    store.rename(session, "Vorlesung")
    assert titles(store, "vorles") == ["Vorlesung"]
    assert store.sessions("lecture") == ()
    store.rename(session, "")
    assert titles(store) == ["About the budget"]


def test_a_correction_is_read_and_found_in_place_of_what_was_heard(store: HistoryStore) -> None:
    session = begin(store)
    heard = caption(0, "We meat at nine.", final=True)
    store.put_caption(session, heard, shown_at=2.0)
    store.end(session)
    store.correct(session, 0, "We meet at nine.")
    transcript = store.transcript(session)
    assert [each.text for each in transcript.captions] == ["We meet at nine."]
    assert transcript.captions[0].committed[3].end == heard.committed[3].end
    assert transcript.heard == {0: "We meat at nine."}
    assert transcript.shown == {0: (2.0, None, 2.0, 2.0)}
    assert titles(store, "meet") == ["We meet at nine."]
    assert titles(store, "meat") == []
    assert [each.caption.text for each in store.lines_with(terms_of("nine"))] == ["We meet at nine."]
    store.put_caption(session, heard)  # a write that was late
    assert titles(store, "meet") == ["We meet at nine."]


@pytest.mark.parametrize("text", [None, "We meat at nine."])
def test_what_was_heard_comes_back(store: HistoryStore, text: str | None) -> None:
    session = say(store, "We meat at nine.")
    store.correct(session, 0, "We meet at nine.")
    store.correct(session, 0, text)
    assert titles(store, "meat") == ["We meat at nine."]
    assert store.transcript(session).heard == {}
    store.correct(session, 99, "There is no such line.")


def test_a_transcript_has_all_that_was_said_in_its_session(store: HistoryStore) -> None:
    for text, german, prompt in (("Good evening.", "Guten Abend.", "Who?"), ("Good morning.", "Guten Morgen.", "Why?")):
        session = say(store, text)
        store.put_translation(session, translation(0, german, final=True))
        store.put_turn(session, Turn(1, 0, prompt, "Yes."), answered=100.0)
    found = store.transcript(session)
    assert found.session == store.session(session) is not None
    assert [each.text for each in found.captions] == ["Good morning."]
    assert [each.text for each in found.translations] == ["Guten Morgen."]
    assert [each.turn.prompt for each in found.turns] == ["Why?"]


def test_the_newest_is_the_last_that_began_of_its_kind_and_is_over(store: HistoryStore) -> None:
    assert store.newest() is None
    for name, began in (("first", 100.0), ("last", 300.0), ("second", 200.0)):
        say(store, "Good morning.", name, began)
    say_deleted = say(store, "Nothing.", "deleted", 400.0)
    store.delete(say_deleted)
    begin(store, "running", 500.0)
    talk = store.begin("conversation", "talk", "", "starter-assistant", "en", 50.0)
    store.end(talk)
    newest, newest_talk = store.newest(), store.newest("conversation")
    assert newest is not None and newest_talk is not None
    assert (newest.name, newest_talk.name) == ("last", "talk")


def test_a_session_is_called_over_before_that_can_be_written(store: HistoryStore) -> None:
    running, other = begin(store, began=100.0), begin(store, began=50.0)
    store.say_over(running, 160.0)
    assert [(each.is_running, each.ended) for each in store.sessions()] == [(False, 160.0), (True, None)]
    store.end(running, 170.0)
    ended = store.session(running)
    assert ended is not None
    assert (ended.ended, ended.crashed) == (170.0, False)
    still = store.session(other)
    assert still is not None and still.is_running


def test_the_file_of_the_last_export_is_known(store: HistoryStore) -> None:
    session, other = say(store, "Good morning."), say(store, "Good evening.")
    for file in (Path("/one.txt"), Path("/two.srt")):
        store.note_export(session, file)
    exported, untouched = store.session(session), store.session(other)
    assert exported is not None and untouched is not None
    assert (exported.exported, untouched.exported) == ("/two.srt", "")


def test_room_is_made_by_emptying_the_log_of_what_is_in_the_file(store: HistoryStore, history_path: Path) -> None:
    say(store, "Good morning.")
    log = history_path.with_name(f"{history_path.name}-wal")
    assert log.stat().st_size
    store.make_room()
    assert not log.stat().st_size
    assert titles(store) == ["Good morning."]


def test_translations_are_replaced_by_others_in_what_is_shown_and_found(store: HistoryStore) -> None:
    session, other = say(store, "Good morning."), say(store, "Good morning again.")
    for each in (session, other):
        store.put_translation(each, translation(0, "Guten Morgen.", final=True))
    store.replace_translations(session, [translation(0, "Bonjour.", final=True), translation(1, "Madame.", final=True)])
    assert [[each.text for each in store.translations(of)] for of in (session, other)] == [
        ["Bonjour.", "Madame."],
        ["Guten Morgen."],
    ]
    assert titles(store, "morgen") == ["Good morning again."]
    assert titles(store, "madame") == ["Good morning."]


def test_of_the_captions_with_a_term_the_newest_are_given_oldest_first(store: HistoryStore) -> None:
    for name, began in (("first", 100.0), ("second", 200.0), ("third", 300.0)):
        say(store, f"Bread of the {name}.", name, began)
    store.put_caption(begin(store, "running", 400.0), caption(0, "Bread now.", final=True))
    store.delete(say(store, "Bread gone.", "deleted", 500.0))
    found = store.lines_with(terms_of("bread butter"), most=2)
    assert [(line.session.name, line.caption.text) for line in found] == [
        ("second", "Bread of the second."),
        ("third", "Bread of the third."),
    ]
    assert store.lines_with(terms_of("cake")) == store.lines_with(()) == ()


def test_a_deleted_session_comes_back_with_all_its_words(store: HistoryStore) -> None:
    session = say(store, "About the budget")
    store.delete(session)
    assert store.sessions() == store.sessions("budget") == ()
    assert store.newest() is None
    store.restore(session)
    assert titles(store, "budget") == ["About the budget"]


def test_sessions_older_than_the_days_they_are_kept_are_erased(store: HistoryStore) -> None:
    now = 1_000 * DAY
    say(store, "Long ago", began=now - 8 * DAY)
    say(store, "Yesterday", began=now - 1 * DAY)
    begin(store, name="Still going on", began=now - 9 * DAY)
    assert store.purge(None, now) == 0
    assert store.purge(7, now) == 1
    assert titles(store) == ["Yesterday", "Still going on"]
    store.end(say(store, "The day that clocks began with", began=0.5), 1.0)
    assert store.purge(None) == 0
    assert store.purge(7) == 2
    assert titles(store) == ["Still going on"]


def test_a_deleted_session_is_erased_when_it_cannot_be_restored_any_more(store: HistoryStore) -> None:
    import time

    session = say(store, "About the budget")
    store.delete(session)
    assert store.purge(None, time.time() + UNDO_SECONDS - 5) == 0
    assert store.purge(None, time.time() + UNDO_SECONDS + 5) == 1
    assert store.session(session) is None


def test_nothing_of_what_was_deleted_can_be_found_in_the_files(store: HistoryStore, history_path: Path) -> None:
    for number in range(40):
        say(store, f"Ordinary words number {number}")
    secret = store.begin("conversation", "Xylophone", "", "", "")
    store.put_caption(secret, caption(0, "Xylophone is secret", final=True))
    store.put_translation(secret, translation(0, "Xylophone translated", final=True))
    store.put_turn(secret, Turn(1, 0, "Xylophone asked", "Xylophone answered"))
    store.end(secret)
    assert b"ylophone" in _all_bytes(history_path)
    store.delete(secret)
    store.erase_deleted()
    assert b"ylophone" not in _all_bytes(history_path).lower()
    assert len(store.sessions("ordinary")) == 40


def test_everything_can_be_erased_but_what_is_being_recorded(store: HistoryStore, history_path: Path) -> None:
    say(store, "Zeppelin")
    running = begin(store, name="Now")
    assert store.delete_all() == 1
    assert titles(store) == ["Now"]
    assert b"eppelin" not in _all_bytes(history_path)
    store.put_caption(running, caption(0, "still written", final=True))
    assert len(store.captions(running)) == 1


def test_the_sound_of_a_session_is_erased_with_it(store: HistoryStore, history_path: Path) -> None:
    folder = history_path.with_name("audio")
    folder.mkdir()
    now = 1_000 * DAY
    for name, began in (("old.ogg", now - 9 * DAY), ("deleted.ogg", now), ("all.ogg", now), ("stays.ogg", now)):
        (folder / name).write_bytes(b"sound")
        session = store.begin("captions", name, "Microphone", "starter", "", began, audio=name)
        if name != "stays.ogg":
            store.end(session)
    (old, deleted, *_) = sorted(store.sessions(), key=lambda each: each.id)
    assert old.audio == "old.ogg"
    store.purge(7, now)
    assert sorted(each.name for each in folder.iterdir()) == ["all.ogg", "deleted.ogg", "stays.ogg"]
    store.delete(deleted.id)
    assert (folder / "deleted.ogg").exists()  # it may come back
    store.erase_deleted()
    assert sorted(each.name for each in folder.iterdir()) == ["all.ogg", "stays.ogg"]
    store.delete_all()
    assert [each.name for each in folder.iterdir()] == ["stays.ogg"]


def test_sound_that_sessions_share_stays_until_the_last_of_them_is_erased(
    store: HistoryStore, history_path: Path
) -> None:
    sound = history_path.with_name("audio") / "shared.ogg"
    sound.parent.mkdir()
    sound.write_bytes(b"sound")
    first, again = (store.begin("captions", name, "", "starter", "", audio=sound.name) for name in ("first", "again"))
    for session in (first, again):
        store.end(session)
    store.delete(first)
    store.erase_deleted()
    assert sound.exists()
    store.delete(again)
    store.erase_deleted()
    assert not sound.exists()


def test_sessions_that_are_erased_together_take_the_sound_they_share_with_them(
    store: HistoryStore, history_path: Path
) -> None:
    sound = history_path.with_name("audio") / "shared.ogg"
    sound.parent.mkdir()
    sound.write_bytes(b"sound")
    for name in ("first", "again"):
        store.end(store.begin("captions", name, "", "starter", "", audio=sound.name))
    store.delete_all()
    assert not sound.exists()


def test_sound_that_no_session_has_is_erased_when_the_history_is_opened_alone(history_path: Path) -> None:
    first = HistoryStore(history_path)
    first.begin("captions", "", "Microphone", "starter", "", audio="kept.ogg")
    folder = history_path.with_name("audio")
    folder.mkdir()
    for name in ("kept.ogg", "stray.ogg"):
        (folder / name).write_bytes(b"sound")
        os.utime(folder / name, (1e9, 1e9))
    HistoryStore(history_path).close()  # the second leaves it alone
    assert len(list(folder.iterdir())) == 2
    first.close()
    HistoryStore(history_path).close()
    assert [each.name for each in folder.iterdir()] == ["kept.ogg"]


def test_the_sound_of_a_damaged_history_is_set_aside_with_it(history_path: Path) -> None:
    folder = history_path.with_name("audio")
    folder.mkdir(parents=True)
    (folder / "sound.ogg").write_bytes(b"sound")
    history_path.write_bytes(b"This is no database. " * 500)
    HistoryStore(history_path).close()
    (aside,) = history_path.parent.glob("audio-damaged-*")
    assert [each.name for each in aside.iterdir()] == ["sound.ogg"]


def test_nobody_else_may_read_the_files(store: HistoryStore, history_path: Path) -> None:
    say(store, "Secret")
    assert stat.S_IMODE(history_path.parent.stat().st_mode) == 0o700
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in history_path.parent.iterdir()}
    assert {f"history.sqlite{ending}" for ending in ("", "-wal", "-shm")} < set(modes)
    assert set(modes.values()) == {0o600}


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(history_path: Path) -> None:
    history_path.parent.mkdir()
    history_path.write_bytes(b"This is no database. " * 500)
    store = HistoryStore(history_path)
    assert store.path == history_path
    assert "was damaged" in store.notice
    (aside,) = history_path.parent.glob("history-damaged-*.sqlite")
    assert str(aside) in store.notice
    assert aside.read_bytes().startswith(b"This is no database.")
    assert say(store, "New words") == 1
    store.close()


def test_a_file_that_says_it_is_of_a_later_format_is_set_aside_since_it_could_not_be_written(
    history_path: Path,
) -> None:
    HistoryStore(history_path).close()
    data = bytearray(history_path.read_bytes())
    assert tuple(data[18:20]) == (2, 2)
    data[18] = 7
    history_path.write_bytes(data)
    store = HistoryStore(history_path)
    assert "was damaged" in store.notice
    assert say(store, "New words") == 1
    store.close()


def test_a_file_with_a_damaged_page_is_set_aside(history_path: Path) -> None:
    store = HistoryStore(history_path)
    for number in range(200):
        say(store, f"Words number {number} " * 20)
    store.close()
    data = bytearray(history_path.read_bytes())
    for page in range(8, len(data) // 4096, 2):
        data[page * 4096 : page * 4096 + 512] = b"\xff" * 512
    history_path.write_bytes(data)
    store = HistoryStore(history_path)
    assert "was damaged" in store.notice
    assert store.sessions() == ()
    store.close()


def test_a_file_of_a_newer_earshot_is_left_alone(history_path: Path) -> None:
    HistoryStore(history_path).close()
    with sqlite3.connect(history_path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    before = history_path.read_bytes()
    with pytest.raises(HistoryError, match="A newer Earshot"):
        HistoryStore(history_path)
    assert history_path.read_bytes() == before


def test_a_file_of_the_first_version_is_read_and_written_as_any_other(history_path: Path) -> None:
    history_path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(history_path) as db:
        db.executescript(f"{FIRST_TABLES}; PRAGMA user_version = 1")
        db.execute(
            "INSERT INTO session (kind, name, source, model, language, began) VALUES ('captions', '', '', '', 'en', 1)"
        )
        db.execute(
            'INSERT INTO caption (session, number, revision, start, "end", language, text, words) '
            "VALUES (1, 1, 0, 0, 1, 'en', 'Hello.', '[[\" Hello.\", 0, 1, 1, null]]')"
        )
    db.close()
    store = HistoryStore(history_path)
    assert not store.notice
    (session,) = store.sessions()
    assert session.clock == ((0.0, 1.0),)
    assert [(each.text, each.first_text) for each in store.captions(session.id)] == [("Hello.", "")]
    assert store.marks(session.id) == ()
    store.set_marks(session.id, (4.0, 2.0))
    store.note_resumed(session.id, 10.0, 60.0)
    store.close()
    store = HistoryStore(history_path)
    (session,) = store.sessions()
    assert store.transcript(session.id).marks == (2.0, 4.0)
    store.close()
    assert [time_of_day(session.clock, each) for each in (9.0, 10.0, 15.0)] == [10.0, 60.0, 65.0]


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(HistoryError, match="cannot be opened"):
        HistoryStore(tmp_path / "file" / "history" / "history.sqlite")


def test_a_second_earshot_leaves_the_first_ones_recording_alone(store: HistoryStore, history_path: Path) -> None:
    session = begin(store)
    second = HistoryStore(history_path)
    store.put_caption(session, caption(0, "Still here", final=True))
    (seen,) = second.sessions()
    assert seen.is_running
    assert [each.text for each in second.captions(session)] == ["Still here"]
    second.close()


_KEPT_UNTIL_KILLED = """
import sys
from pathlib import Path
from app.history.store import HistoryStore
from tests.app.made_captions import caption
store = HistoryStore(Path(sys.argv[1]))
session = store.begin("captions", "", "Microphone", "starter", "en")
words = ""
for number in range(100_000):
    words += f" w{number % 20}"
    store.put_caption(session, caption(number // 20, words, revision=number, start=number // 20 * 9.0), number * 0.4)
    print(number, flush=True)
    if number % 20 == 19:
        words = ""
"""


def test_a_kill_loses_no_word_that_was_put(history_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", _KEPT_UNTIL_KILLED, str(history_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    for _ in range(137):
        child.stdout.readline()
    os.kill(child.pid, signal.SIGKILL)
    last = int([137 - 1, *map(int, child.stdout.read().split())][-1])
    child.wait()
    child.stdout.close()
    store = HistoryStore(history_path)
    (session,) = store.sessions()
    said = [word.text for each in store.captions(session.id) for word in each.committed]
    assert session.crashed and not session.is_running
    assert said[: last + 1] == [f" w{number % 20}" for number in range(last + 1)]
    assert len(said) <= last + 2
    assert store.notice == ""
    assert store.interrupted == {session.id}
    store.close()
    again = HistoryStore(history_path)
    assert again.interrupted == frozenset(), "it is offered once"
    again.close()


def _all_bytes(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in path.parent.iterdir()).lower()


def test_better_words_take_the_place_of_the_first_ones_which_are_kept_beside_them(store: HistoryStore) -> None:
    session = begin(store)
    first = caption(0, "The king is flooded.", final=True)
    store.put_caption(session, first, shown_at=2.0)
    store.put_caption(session, better(first, "The king has fled."), shown_at=9.0)
    (kept,) = store.captions(session)
    assert (kept.text, kept.first_text) == ("The king has fled.", "The king is flooded.")
    assert store.shown(session) == {0: (2.0, 2.0, None, None)}
    assert titles(store, "fled") and not titles(store, "flooded")


def test_a_translation_of_better_words_takes_the_place_of_the_final_one(store: HistoryStore) -> None:
    session = begin(store)
    first = caption(0, "The king is flooded.", final=True)
    store.put_caption(session, first)
    for each in ("überflutet", "ignored"):
        store.put_translation(session, translation(0, each, final=True))
    store.put_translation(session, translation(0, "geflohen", revision=1, final=True))
    assert [each.text for each in store.translations(session)] == ["geflohen"]
