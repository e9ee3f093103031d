"""Notes of a session in the history: made when they are wanted, kept with it, and made again for a part."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.page import HistoryPage
from app.history.store import HistoryStore
from app.notes.maker import NotesMaker
from engine.notes.records import NoteLine, Notes, NotesSection
from engine.process.messages import MakeNotes, NotesMade
from tests.app.history.history_pages import MakePage
from tests.app.made_captions import caption
from tests.app.silent_client import SilentClient


def notes(*lines: NoteLine) -> Notes:
    return Notes("meeting", (NotesSection("tasks", "Tasks", lines),))


@pytest.fixture
def page(archive: Archive, make_page: MakePage, qtbot: QtBot) -> HistoryPage:
    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "Talk", "Microphone", "starter", "en", 1_700_000_000.0)
        for number in range(1, 5):
            store.put_caption(session, caption(number, f"This is line {number}.", start=5.0 * number, final=True))
        store.end(session, 1_700_000_100.0)

    archive.write(write)
    made = make_page()
    qtbot.waitUntil(lambda: made.transcript is not None)
    return made


def maker_of(page: HistoryPage) -> NotesMaker:
    return page.notes._maker


def client_of(page: HistoryPage) -> SilentClient:
    client = maker_of(page)._client
    assert isinstance(client, SilentClient)
    return client


def requests(page: HistoryPage) -> list[MakeNotes]:
    return [each for each in client_of(page).sent if isinstance(each, MakeNotes)]


def answer(page: HistoryPage, made: Notes) -> None:
    client_of(page).notes_made.emit(NotesMade(requests(page)[-1].subject, made))


def shown(page: HistoryPage) -> Notes | None:
    return page.pane.notes.model.notes


def kept(archive: Archive, qtbot: QtBot) -> Notes | None:
    found: list[Notes | None] = []
    archive.ask(lambda store: store.notes(store.sessions()[0].id), found.append)
    qtbot.waitUntil(lambda: bool(found))
    return found[0]


def test_notes_are_made_once_the_pane_is_opened_and_kept(page: HistoryPage, archive: Archive, qtbot: QtBot) -> None:
    assert requests(page) == []
    page.notes.show_pane(True)
    assert [line.text for line in requests(page)[0].lines] == [f"This is line {number}." for number in range(1, 5)]
    made = notes(NoteLine("Do it.", (2,)))
    answer(page, made)
    qtbot.waitUntil(lambda: shown(page) == made)
    assert kept(archive, qtbot) == made
    page.notes.show_pane(False)
    page.notes.show_pane(True)
    assert len(requests(page)) == 1


def test_what_a_person_changes_stays_when_notes_are_made_again(
    page: HistoryPage, archive: Archive, qtbot: QtBot
) -> None:
    page.notes.show_pane(True)
    answer(page, notes(NoteLine("Do it.", (2,))))
    qtbot.waitUntil(lambda: shown(page) is not None)
    page.pane.notes.model.setData(page.pane.notes.model.index(1), "Do it well.")
    page.pane.notes.make.trigger()
    answer(page, notes(NoteLine("Do it!", (2,)), NoteLine("Sing.", (4,))))
    both = notes(NoteLine("Do it well.", (2,), by_hand=True), NoteLine("Sing.", (4,)))
    qtbot.waitUntil(lambda: shown(page) == both)
    assert kept(archive, qtbot) == both


def test_of_selected_lines_alone_notes_are_made_again(page: HistoryPage, qtbot: QtBot) -> None:
    page.notes.show_pane(True)
    answer(page, notes(NoteLine("One.", (1,)), NoteLine("Three.", (3,))))
    qtbot.waitUntil(lambda: shown(page) is not None)
    view = page.pane.view
    qtbot.waitUntil(lambda: view.is_complete)
    cursor = QTextCursor(view.document().findBlockByNumber(2))
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    for _ in range(2):  # a double click asks twice
        page.pane.notes.make.trigger()
    assert [line.number for line in requests(page)[-1].lines] == [3, 4]
    for text in ("Four.", "Four again."):
        answer(page, notes(NoteLine(text, (4,))))
        both = notes(NoteLine("One.", (1,)), NoteLine(text, (4,)))
        qtbot.waitUntil(lambda both=both: shown(page) == both)


def test_a_note_leads_to_its_line(page: HistoryPage, qtbot: QtBot) -> None:
    page.notes.show_pane(True)
    answer(page, notes(NoteLine("Do it.", (3, 4))))
    qtbot.waitUntil(lambda: shown(page) is not None)
    page.pane.notes.list.opened.emit(page.pane.notes.model.index(1))
    assert page.pane.view.textCursor().selectedText() == "This is line 3."


def test_why_there_are_no_notes_is_told(page: HistoryPage, qtbot: QtBot) -> None:
    page.notes.show_pane(True)
    with qtbot.waitSignal(page.problem_found) as told:
        client_of(page).notes_made.emit(NotesMade(requests(page)[-1].subject, Notes(), "There is no such model."))
    assert "There is no such model." in told.args[0]
