"""The history's page: found, read, copied, exported, renamed, deleted and brought back."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.export.exporting import ExportChoice
from app.history.page import HistoryPage
from app.history.store import HistoryStore
from app.history.transcript.session_header import NAMES_FROM_PIXELS
from app.history.transcript.transcript_view import SLICE_LINES
from app.look.theme import Theme
from app.preferences.preferences import HistoryOptions
from app.preferences.settings import Settings
from tests.app.history.conftest import history_page
from tests.app.history.history_pages import MakePage, Told, show, titles
from tests.app.made_captions import caption


def type_search(page: HistoryPage, qtbot: QtBot, text: str) -> None:
    qtbot.keyClicks(page.sessions.field, text)
    qtbot.keyClick(page.sessions.field, Qt.Key.Key_Return)


def test_the_newest_session_is_shown_first(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(lambda: page.transcript is not None)
    assert titles(page) == ["Broken off", "What is the capital of France?", "About the October budget."]
    assert page.pane.header.title.text() == "Broken off"
    assert "ended unexpectedly" in page.pane.header.notice.text()


def test_the_model_of_a_session_is_named_to_who_wants_details(
    filled: Archive, make_page: MakePage, settings: Settings, qtbot: QtBot
) -> None:
    page = make_page()
    show(page, qtbot, "About the October budget.")
    assert "Starter" not in page.pane.header.about.text()
    settings.alter(lambda now: replace(now, appearance=replace(now.appearance, details=True)))
    qtbot.waitUntil(lambda: "· Starter ·" in page.pane.header.about.text())


def test_a_lecture_is_shown_with_its_translation_times_and_delays(
    filled: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    page = make_page()
    show(page, qtbot, "About the October budget.")
    lines = page.pane.view.toPlainText().split("\n")
    assert lines == ["About the October budget.", "Über den Haushalt im Oktober.", "Any questions?", "Gibt es Fragen?"]
    assert "English → German" in page.pane.header.about.text()
    view = page.pane.view
    place = view.cursorRect(view.textCursor()).center()
    assert view.note_below(QPointF(place) + QPointF(6, 0)) == "Shown 2.2 s after it was said"
    assert view.note_below(QPointF(view.viewport().width() - 2, 2)) == ""
    page.commands.delays.trigger()
    assert page.commands.delays.isChecked()


def test_a_conversation_is_shown(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    show(page, qtbot, "What is the capital of France?")
    assert page.pane.view.toPlainText() == "What is the capital of France?\nParis."


def test_a_search_finds_sessions_and_marks_the_hits(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(lambda: page.transcript is not None)
    type_search(page, qtbot, "budg haush")
    qtbot.waitUntil(lambda: titles(page) == ["About the October budget."])
    qtbot.waitUntil(lambda: page.pane.count.text() == "1 of 2")
    marked = [each.cursor.selectedText() for each in page.pane.view.extraSelections()]  # type: ignore[attr-defined]
    assert marked == ["budget", "Haushalt"]
    page.commands.next_hit.trigger()
    assert page.pane.count.text() == "2 of 2"
    page.commands.next_hit.trigger()
    assert page.pane.count.text() == "1 of 2"
    page.commands.previous_hit.trigger()
    assert page.pane.count.text() == "2 of 2"
    page.sessions.field.clear()
    qtbot.waitUntil(lambda: len(titles(page)) == 3)
    assert not page.pane.hits.isVisible()
    assert page.pane.view.extraSelections() == []


def test_what_is_read_stays_in_place_while_a_recording_that_was_searched_grows(
    archive: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "", "", "")
        for number in range(60):
            store.put_caption(session, caption(number, f"Budget number {number}.", start=3.0 * number, final=True))

    archive.write(write)
    page = make_page()
    view = page.pane.view
    qtbot.waitUntil(lambda: page.transcript is not None and view.is_complete)
    page.look_for("budget")
    qtbot.waitUntil(lambda: page.pane.count.text() == "1 of 60")
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    place = view.verticalScrollBar().value()
    archive.write(lambda store: store.put_caption(1, caption(60, "One more budget.", start=200.0)))
    qtbot.waitUntil(lambda: page.pane.count.text() == "1 of 61")
    assert view.verticalScrollBar().value() == place


def test_a_search_without_a_hit_says_so(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    type_search(page, qtbot, "zebra")
    qtbot.waitUntil(page.sessions.nothing.isVisible)
    assert page.sessions.nothing.text() == "Nothing was found for “zebra”."
    page.sessions.field.setText("zebra " * 1000)
    qtbot.waitUntil(lambda: page.sessions.nothing.text().endswith("…”."))
    assert len(page.sessions.nothing.text()) < 150
    assert not page.commands.copy.isEnabled()


def test_a_session_is_renamed_in_its_place(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    show(page, qtbot, "About the October budget.")
    page.commands.rename.trigger()
    field = page.pane.header.field
    qtbot.keyClicks(field, "Lecture 3")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Lecture 3" in titles(page))
    qtbot.waitUntil(lambda: page.pane.header.title.text() == "Lecture 3")
    assert not page.pane.header.is_renaming


def test_a_long_name_leaves_the_list_its_room_and_is_changed_as_it_is(
    filled: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    page = make_page()
    show(page, qtbot, "About the October budget.")
    name = "interview_of_a_radio_builder_" * 5 + ".wav"
    assert page.transcript is not None and page.transcript.session is not None
    number = page.transcript.session.id
    filled.write(lambda store: store.rename(number, name))
    qtbot.waitUntil(lambda: name in titles(page))
    qtbot.waitUntil(lambda: "interview" in page.pane.header.title.text())
    assert page.pane.header.title.minimumSizeHint().width() < 400, "which a splitter would take from the list"
    page.commands.rename.trigger()
    assert page.pane.header.field.text() == name


def test_escape_leaves_a_name_as_it_was(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    show(page, qtbot, "Broken off")
    page.commands.rename.trigger()
    qtbot.keyClicks(page.pane.header.field, "Something else")
    qtbot.keyClick(page.pane.header.field, Qt.Key.Key_Escape)
    assert not page.pane.header.is_renaming
    assert page.pane.header.title.text() == "Broken off"


def test_a_session_is_deleted_and_brought_back(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    told = Told(page)
    show(page, qtbot, "About the October budget.")
    page.sessions.list.setFocus()
    qtbot.keyClick(page.sessions.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: titles(page) == ["Broken off", "What is the capital of France?"])
    qtbot.waitUntil(lambda: page.pane.header.title.text() == "What is the capital of France?")
    assert told.texts == ["“About the October budget.” was deleted."]
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: len(titles(page)) == 3)
    qtbot.waitUntil(lambda: page.pane.header.title.text() == "About the October budget.")


def test_everything_can_be_deleted_one_after_the_other(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    for left in (2, 1, 0):
        qtbot.waitUntil(lambda: page.transcript is not None and page.commands.delete.isEnabled())
        page.commands.delete.trigger()
        qtbot.waitUntil(lambda left=left: len(titles(page)) == left)  # type: ignore[misc]
    qtbot.waitUntil(page.blank.isVisible)
    assert page.transcript is None
    assert not page.commands.delete.isEnabled()


def test_what_is_being_recorded_cannot_be_deleted_and_grows_on_the_page(
    archive: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    archive.write(lambda store: store.put_caption(store.begin("captions", "", "", "", ""), caption(0, "Good")))
    page = make_page()
    told = Told(page)
    qtbot.waitUntil(lambda: page.transcript is not None)
    assert "being recorded" in page.sessions.model.about(page.sessions.model.sessions[0])
    assert not page.commands.delete.isEnabled()
    page.work.delete()
    assert "still being recorded" in told.texts[0]
    archive.write(lambda store: store.put_caption(1, caption(0, "Good morning.", revision=1, final=True)))
    archive.write(lambda store: store.put_caption(1, caption(1, "Welcome.", start=3.0, final=True)))
    qtbot.waitUntil(lambda: page.pane.view.toPlainText() == "Good morning.\nWelcome.")
    archive.write(lambda store: store.end(1))
    qtbot.waitUntil(page.commands.delete.isEnabled)


def test_all_of_it_or_what_is_selected_is_copied(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    show(page, qtbot, "What is the capital of France?")
    page.commands.copy.trigger()
    assert QGuiApplication.clipboard().text() == "You: What is the capital of France?\nEarshot: Paris.\n"
    page.pane.view.selectAll()
    page.commands.copy.trigger()
    assert QGuiApplication.clipboard().text() == "What is the capital of France?\nParis."


def test_a_session_is_exported_and_the_file_named(
    filled: Archive, make_page: MakePage, qtbot: QtBot, tmp_path: Path
) -> None:
    page = make_page()
    told = Told(page)
    show(page, qtbot, "About the October budget.")
    assert page.transcript is not None
    page.exports.write(tmp_path / "talk.srt", page.transcript, ExportChoice(parts="separate"))
    qtbot.waitUntil(lambda: bool(told.texts))
    assert told.texts == [f"Exported to talk.en.srt, talk.de.srt, in {tmp_path}."]
    assert "Über den Haushalt" in (tmp_path / "talk.de.srt").read_text(encoding="utf-8")


def test_an_export_that_cannot_be_written_is_a_sentence(
    filled: Archive, make_page: MakePage, qtbot: QtBot, tmp_path: Path
) -> None:
    page = make_page()
    show(page, qtbot, "Broken off")
    assert page.transcript is not None
    with qtbot.waitSignal(filled.failed) as failed:
        page.exports.write(tmp_path / "nowhere" / "talk.srt", page.transcript, ExportChoice())
    assert "does not exist" in failed.args[0]


def test_an_empty_history_says_what_it_is_for(make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(page.blank.isVisible)
    assert page.blank.title.text() == "Nothing has been said yet"
    assert page.blank.button is not None and not page.blank.button.isVisible()


def test_a_history_that_is_off_says_so_and_can_be_turned_on(
    make_page: MakePage, settings: Settings, qtbot: QtBot
) -> None:
    settings.alter(lambda all: replace(all, history=HistoryOptions(keeps=False)))
    page = make_page()
    qtbot.waitUntil(page.blank.isVisible)
    assert page.blank.title.text() == "History is off"
    assert page.blank.button is not None
    qtbot.mouseClick(page.blank.button, Qt.MouseButton.LeftButton)
    assert settings.preferences.history.keeps
    qtbot.waitUntil(lambda: page.blank.title.text() == "Nothing has been said yet")


def test_what_was_kept_can_be_read_while_history_is_off(
    filled: Archive, make_page: MakePage, settings: Settings, qtbot: QtBot
) -> None:
    settings.alter(lambda all: replace(all, history=HistoryOptions(keeps=False)))
    page = make_page()
    qtbot.waitUntil(page.sessions.off.isVisible)
    qtbot.waitUntil(lambda: page.transcript is not None)
    page.sessions.keep.click()
    qtbot.waitUntil(lambda: not page.sessions.off.isVisible())


def test_a_history_that_cannot_be_opened_says_why(
    settings: Settings, theme: Theme, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    archive = Archive(tmp_path / "file" / "history.sqlite")
    with qtbot.waitSignal(archive.unsaved):
        archive.start()
    page = history_page(archive, settings, theme)
    qtbot.addWidget(page)
    page.show()
    assert page.blank.isVisible()
    assert "cannot be opened" in page.blank.text.text()
    archive.close()


def test_where_it_is_narrow_list_and_transcript_take_turns(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page(width=400)
    qtbot.waitUntil(lambda: len(titles(page)) == 3)
    assert page.sessions.isVisible() and not page.pane.isVisible()
    page.sessions.list.setCurrentIndex(page.sessions.model.index(1))
    qtbot.keyClick(page.sessions.list, Qt.Key.Key_Return)
    qtbot.waitUntil(page.pane.isVisible)
    assert not page.sessions.isVisible()
    assert page.pane.header.back.isVisible()
    page.commands.back.trigger()
    assert page.sessions.isVisible() and not page.pane.isVisible()
    page.resize(900, 600)
    assert page.sessions.isVisible() and page.pane.isVisible()
    assert not page.pane.header.back.isVisible()


def test_a_long_transcript_is_written_a_slice_at_a_time(archive: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    count = 3 * SLICE_LINES

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "Long", "", "", "en")
        for number in range(count):
            store.put_caption(session, caption(number, f"Words number {number}.", start=3.0 * number, final=True))
        store.end(session)

    archive.write(write)
    page = make_page()
    view = page.pane.view
    counts = [1]
    view.document().blockCountChanged.connect(counts.append)
    qtbot.waitUntil(lambda: page.transcript is not None and view.is_complete)
    assert max(after - before for before, after in itertools.pairwise(counts)) <= SLICE_LINES
    assert view.document().blockCount() == count
    assert view.toPlainText().endswith(f"Words number {count - 1}.")


def test_a_session_that_is_chosen_before_the_list_is_there_is_the_one_that_is_read(
    filled: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    page = make_page()
    assert page.sessions.model.rowCount() == 0
    page.choose(1)
    qtbot.waitUntil(lambda: page.transcript is not None)
    assert page.transcript is not None and page.transcript.session is not None
    assert page.transcript.session.id == 1 != page.sessions.model.sessions[0].id


def test_a_hidden_page_reads_nothing(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(lambda: page.transcript is not None)
    page.hide()
    asked = page._asked
    with qtbot.waitSignal(filled.changed):
        filled.write(lambda store: store.rename(1, "Renamed"))
    assert page._asked == asked
    page.show()
    qtbot.waitUntil(lambda: "Renamed" in titles(page))


def test_everything_can_be_reached_by_the_tab_key(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(lambda: page.transcript is not None)
    page.activateWindow()
    page.sessions.field.setFocus()
    visited = []
    for _ in range(11):
        widget = QApplication.focusWidget()
        assert widget is not None
        visited.append(widget.accessibleName())
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    assert visited[:2] == ["Search the history", "Sessions"]
    buttons = ["Copy", "Export", "Translate", "Notes", "Show delays", "Rename", "Delete"]
    assert visited[2:10] == [*buttons, "Transcript"]


def test_rows_say_all_of_it_to_a_screen_reader(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(lambda: len(titles(page)) == 3)
    model = page.sessions.model
    text = model.data(model.index(model.row_of(3)), Qt.ItemDataRole.AccessibleTextRole)
    assert str(text).startswith("Broken off, ") and "ended unexpectedly" in str(text)
    day = model.index(0)
    assert model.flags(day) == Qt.ItemFlag.NoItemFlags
    assert "2023" in str(model.data(day))


def test_what_was_captioned_can_be_translated_and_a_conversation_cannot(
    filled: Archive, make_page: MakePage, qtbot: QtBot
) -> None:
    page = make_page()
    show(page, qtbot, "About the October budget.")
    assert page.commands.translate.isEnabled()
    show(page, qtbot, "What is the capital of France?")
    assert not page.commands.translate.isEnabled()


def test_after_a_recording_it_opens_at_the_newest_session(filled: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    page = make_page()
    qtbot.waitUntil(lambda: page.transcript is not None)
    older = page.sessions.model.sessions[-1].id
    page.choose(older)
    qtbot.waitUntil(lambda: page._wanted == older)
    page.forget_choice()
    assert page._wanted == older, "what is being read stays"
    page.hide()
    page.forget_choice()
    page.show()
    newest = page.sessions.model.sessions[0].id
    qtbot.waitUntil(lambda: page.transcript is not None and page._session.id == newest)


def test_a_script_that_no_font_can_show_is_mentioned(
    archive: Archive, make_page: MakePage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFontMetricsF, "inFontUcs4", lambda metrics, character: character < 0x1E900)

    def write(store: HistoryStore) -> None:
        session = store.begin("captions", "", "Microphone", "starter", "en", 100.0)
        store.put_caption(session, caption(0, "Good morning, \U0001e900.", final=True))
        store.end(session)

    archive.write(write)
    page = make_page()
    told: list[str] = []
    page.problem_found.connect(lambda text, way_out: told.append(text))
    qtbot.waitUntil(lambda: page.transcript is not None)
    assert [text.startswith("No font on this computer can show “\U0001e900” (Adlam).") for text in told] == [True]


def test_what_one_can_do_with_a_session_is_named_wherever_there_is_room(filled: Archive, make_page: MakePage) -> None:
    header = make_page().pane.header
    for width, named, beside in ((NAMES_FROM_PIXELS, True, True), (800, True, False), (380, False, False)):
        header.resize(width, header.sizeHint().height())
        QApplication.sendEvent(header, QResizeEvent(header.size(), header.size()))
        assert [button.compact for button in header.buttons] == [not named] * len(header.buttons), width
        assert (header._beside.indexOf(header._bar) >= 0) is beside, width
