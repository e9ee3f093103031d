"""Sessions that are joined in the history: one transcript with one sound, and the way back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.kept.audio_files import audio_folder, audio_from
from app.history.kept.audio_writer import write_sound
from app.history.page import HistoryPage
from app.history.records import Transcript
from app.history.store import HistoryStore
from app.transcript.time_of_day import time_of_day
from engine.audio import SAMPLE_RATE_HZ
from engine.notes.records import NoteLine, Notes, NotesSection
from tests.app.history.history_pages import MakePage, Told, titles
from tests.app.made_captions import caption, translation

MORNING, NOON = 1_700_000_000.0, 1_700_010_000.0


def notes(*lines: NoteLine) -> Notes:
    return Notes("meeting", (NotesSection("tasks", "Tasks", lines),))


def fill(store: HistoryStore, *, sound: bool) -> None:
    """Keep two sessions of a meeting, the later one first."""
    for began, said, audio in ((NOON, "After lunch.", "b.ogg"), (MORNING, "Before lunch.", "a.ogg")):
        session = store.begin("captions", "", "Microphone", "starter", "en", began, audio=audio if sound else "")
        store.put_caption(session, caption(1, said, start=2.0, final=True), 3.0)
        store.put_translation(session, translation(1, said.upper(), final=True))
        store.correct(session, 1, f"{said} Well.")
        store.set_marks(session, (2.0,))
        store.note_resumed(session, 1.0, began + 100.0)
        store.put_notes(session, notes(NoteLine(f"Mine: {said}", (1,), by_hand=True)))
        store.end(session, began + 200.0)


@pytest.fixture
def page(make_page: MakePage, archive: Archive, qtbot: QtBot) -> HistoryPage:
    made = make_page()
    folder = audio_folder(archive.path)
    for name, level, seconds in (("a.ogg", 0.5, 6), ("b.ogg", 0.1, 4)):
        tone = level * np.sin(np.arange(SAMPLE_RATE_HZ * seconds) * 0.2).astype(np.float32)
        write_sound(folder / name, np.split(tone, seconds))
    return made


def select_all(page: HistoryPage, qtbot: QtBot, count: int) -> None:
    qtbot.waitUntil(lambda: len(titles(page)) == count)
    page.sessions.list.selectAll()
    qtbot.waitUntil(lambda: len(page.sessions.meant) == count)


def only(archive: Archive, qtbot: QtBot) -> Transcript:
    answers: list[list[Transcript]] = []
    archive.ask(lambda store: [store.transcript(each.id) for each in store.sessions()], answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    (found,) = answers[0]
    return found


@pytest.mark.parametrize("sound", [True, False])
def test_sessions_become_one_in_the_order_in_which_they_were_recorded(
    page: HistoryPage, archive: Archive, sound: bool, qtbot: QtBot
) -> None:
    told = Told(page)
    archive.write(lambda store: fill(store, sound=sound))
    select_all(page, qtbot, 2)
    assert page.commands.join.isVisible() and page.commands.join.isEnabled()
    page.commands.join.trigger()
    qtbot.waitUntil(lambda: "2 sessions are one now." in told.texts)
    qtbot.waitUntil(lambda: len(titles(page)) == 1)
    found = only(archive, qtbot)
    second = 6.0 if sound else 3.0  # the first one's sound, or the seconds of its captions
    assert [each.text for each in found.captions] == ["Before lunch. Well.", "After lunch. Well."]
    assert [each.start for each in found.captions] == pytest.approx([2.0, second + 2.0], abs=0.01)
    assert [each.text for each in found.translations] == ["BEFORE LUNCH.", "AFTER LUNCH."]
    assert list(found.heard.values()) == ["Before lunch.", "After lunch."]
    assert found.marks == pytest.approx((2.0, second + 2.0), abs=0.01)
    first, last = (each.id for each in found.captions)
    own = (("Mine: Before lunch.", first), ("Mine: After lunch.", last))
    assert found.notes == notes(*(NoteLine(text, (number,), by_hand=True) for text, number in own))
    assert found.session is not None and found.session.began == MORNING and found.session.ended == NOON + 200.0
    clock = found.session.clock
    assert time_of_day(clock, 0.5) == MORNING + 0.5
    assert time_of_day(clock, 2.0) == MORNING + 101.0
    assert time_of_day(clock, second + 0.5) == pytest.approx(NOON + 0.5, abs=0.01)
    assert time_of_day(clock, second + 2.0) == pytest.approx(NOON + 101.0, abs=0.01)
    if sound:
        heard = np.concatenate(list(audio_from(audio_folder(archive.path) / found.session.audio, 0.0)))
        assert len(heard) / SAMPLE_RATE_HZ == pytest.approx(10.0, abs=0.1)
        assert np.abs(heard[SAMPLE_RATE_HZ : 5 * SAMPLE_RATE_HZ]).mean() > 0.2
        assert np.abs(heard[7 * SAMPLE_RATE_HZ :]).mean() < 0.1
    else:
        assert found.session.audio == ""
    found_by_word: list[int] = []
    archive.ask(lambda store: len(store.sessions("lunch")), found_by_word.append)
    qtbot.waitUntil(lambda: found_by_word == [1])
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: sorted(titles(page)) == ["After lunch. Well.", "Before lunch. Well."])


def test_what_is_still_recorded_and_conversations_are_not_joined(
    page: HistoryPage, archive: Archive, qtbot: QtBot
) -> None:
    def write(store: HistoryStore) -> None:
        fill(store, sound=False)
        running = store.begin("captions", "", "Microphone", "starter", "en", NOON + 1000)
        store.put_caption(running, caption(1, "Now.", final=True))

    archive.write(write)
    select_all(page, qtbot, 3)
    assert page.commands.join.isVisible() and not page.commands.join.isEnabled()
    page.choose(page.sessions.model.sessions[0].id)
    qtbot.waitUntil(lambda: not page.commands.join.isVisible())


def test_a_sound_that_cannot_be_read_is_a_sentence_and_nothing_is_joined(
    page: HistoryPage, archive: Archive, qtbot: QtBot, tmp_path: Path
) -> None:
    told = Told(page)
    (audio_folder(archive.path) / "b.ogg").write_bytes(b"no sound")
    archive.write(lambda store: fill(store, sound=True))
    select_all(page, qtbot, 2)
    page.commands.join.trigger()
    qtbot.waitUntil(lambda: any("could not be joined" in each for each in told.texts))
    assert len(titles(page)) == 2
    assert sorted(each.name for each in audio_folder(archive.path).iterdir()) == ["a.ogg", "b.ogg"]
    assert page.commands.join.isEnabled()
