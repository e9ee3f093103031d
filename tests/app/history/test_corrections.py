"""Lines corrected in the history: where they stand, by mouse and keys, and back again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.export.exporting import ExportChoice, rendered
from app.history.page import HistoryPage
from app.history.records import Transcript
from app.preferences.settings import Settings
from tests.app.history.history_pages import MakePage, Told, show, titles
from tests.app.made_captions import caption, translation

LECTURE = "About the October budget."


@pytest.fixture
def page(filled: Archive, make_page: MakePage, qtbot: QtBot) -> HistoryPage:
    """The lecture is shown."""
    made = make_page()
    show(made, qtbot, LECTURE)
    return made


def lines(page: HistoryPage) -> list[str]:
    return page.pane.view.toPlainText().split("\n")


def inside(page: HistoryPage, place: int) -> QPoint:
    """Return a point of the viewport within the first word of a line."""
    view = page.pane.view
    return view.viewport().mapFrom(view, view.place_of(place).topLeft()) + QPoint(12, 8)


def double_click(page: HistoryPage, qtbot: QtBot, place: int) -> None:
    qtbot.mouseDClick(page.pane.view.viewport(), Qt.MouseButton.LeftButton, pos=inside(page, place))


def correct(page: HistoryPage, qtbot: QtBot, place: int, text: str) -> None:
    page.corrections.begin(place)
    page.corrections.editor.selectAll()
    qtbot.keyClicks(page.corrections.editor, text)
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: lines(page)[place] == text)


def offered(page: HistoryPage, place: int) -> dict[str, QAction]:
    """Return the actions in the menu of a line, by their texts."""
    return {each.text().replace("&", ""): each for each in page.corrections.menu(place).actions() if each.text()}


def test_a_word_that_is_double_clicked_is_typed_anew(page: HistoryPage, qtbot: QtBot) -> None:
    told = Told(page)
    double_click(page, qtbot, 2)
    editor = page.corrections.editor
    assert editor.isVisible() and editor.hasFocus()
    assert editor.height() >= page.pane.view.place_of(2).height()
    assert editor.toPlainText() == "Any questions?"
    assert editor.textCursor().selectedText() == "Any"
    qtbot.keyClicks(editor, "More")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: lines(page)[2] == "More questions?")
    assert not editor.isVisible() and page.pane.view.hasFocus()
    assert told.texts == ["The line was corrected."]
    assert page.pane.view.note_below(QPointF(inside(page, 2))).endswith("Corrected. Heard: “Any questions?”")


def test_escape_leaves_a_line_as_it_was(page: HistoryPage, qtbot: QtBot) -> None:
    told = Told(page)
    double_click(page, qtbot, 2)
    qtbot.keyClicks(page.corrections.editor, "Something else")
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Escape)
    assert not page.corrections.editor.isVisible()
    assert page.pane.view.hasFocus()
    assert (lines(page)[2], told.texts) == ("Any questions?", [])


@pytest.mark.parametrize("text", ["  ", "Any questions? "])
def test_nothing_typed_changes_nothing(page: HistoryPage, qtbot: QtBot, text: str) -> None:
    told = Told(page)
    page.corrections.begin(2)
    page.corrections.editor.selectAll()
    qtbot.keyClicks(page.corrections.editor, text)
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Return)
    assert (lines(page)[2], told.texts) == ("Any questions?", [])


def test_a_line_is_corrected_by_keys_alone(page: HistoryPage, qtbot: QtBot) -> None:
    page.pane.view.setFocus()
    page.commands.correct.trigger()
    editor = page.corrections.editor
    assert editor.toPlainText() == LECTURE
    assert not editor.textCursor().hasSelection(), "the first key is not to erase the line"
    assert editor.textCursor().atEnd()
    editor.selectAll()
    qtbot.keyClicks(editor, "About the budget.")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "About the budget." in titles(page))


def test_a_correction_is_found_copied_and_exported_in_place_of_what_was_heard(
    page: HistoryPage, qtbot: QtBot, tmp_path: Path
) -> None:
    told = Told(page)
    correct(page, qtbot, 0, "About the December budget.")
    page.commands.copy.trigger()
    assert "December" in QGuiApplication.clipboard().text() and "October" not in QGuiApplication.clipboard().text()
    assert page.transcript is not None
    page.exports.write(tmp_path / "talk.srt", page.transcript, ExportChoice(parts="spoken"))
    qtbot.waitUntil(lambda: len(told.texts) == 3)
    assert "About the December budget." in (tmp_path / "talk.srt").read_text(encoding="utf-8")
    page.look_for("said december")
    qtbot.waitUntil(lambda: titles(page) == [])
    page.look_for("december")
    qtbot.waitUntil(lambda: titles(page) == ["About the December budget."])


def test_undo_takes_corrections_back_one_after_the_other(page: HistoryPage, qtbot: QtBot) -> None:
    correct(page, qtbot, 2, "Any answers?")
    correct(page, qtbot, 2, "No answers?")
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: lines(page)[2] == "Any answers?")
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: lines(page)[2] == "Any questions?")
    line = page.pane.view.line(2)
    assert line is not None and not line.heard


def test_a_corrected_name_is_known_by_one_click_and_undone_by_another(
    page: HistoryPage, qtbot: QtBot, settings: Settings
) -> None:
    offers: list[tuple[QAction, ...]] = []
    page.notice_given.connect(lambda _, ways: offers.append(ways if isinstance(ways, tuple) else (ways,)))
    correct(page, qtbot, 2, "Any Kowalczyk?")
    know, undo = offers[-1]
    assert "Kowalczyk" in know.text() and undo is page.commands.undo
    know.trigger()
    assert settings.preferences.captions.decode.vocabulary == ("Kowalczyk",)
    assert not [text for text in offered(page, 2) if text.startswith("Know")]
    offers[-1][0].trigger()
    assert settings.preferences.captions.decode.vocabulary == ()
    offered(page, 2)["Know “Kowalczyk” from now on"].trigger()
    assert settings.preferences.captions.decode.vocabulary == ("Kowalczyk",)


def test_a_right_click_opens_the_menu_of_the_line_below_it(page: HistoryPage, qtbot: QtBot) -> None:
    view, where = page.pane.view, inside(page, 2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, where, view.viewport().mapToGlobal(where))
    view.menu_wanted.disconnect()
    with qtbot.waitSignal(view.menu_wanted) as wanted:
        QApplication.sendEvent(view.viewport(), event)
    assert wanted.args == [2, event.globalPos()]


def test_a_line_is_copied_from_its_menu(page: HistoryPage, qtbot: QtBot) -> None:
    offered(page, 2)["Copy"].trigger()
    assert QGuiApplication.clipboard().text() == "Any questions?"


def test_the_original_is_shown_and_restored(page: HistoryPage, qtbot: QtBot) -> None:
    told = Told(page)
    correct(page, qtbot, 2, "Any answers?")
    offered(page, 2)["Show original"].trigger()
    assert told.texts[-1] == "Heard: “Any questions?”"
    offered(page, 2)["Restore original"].trigger()
    qtbot.waitUntil(lambda: lines(page)[2] == "Any questions?")
    assert list(offered(page, 2)) == ["Copy", "Correct…", "Speaker…", "Mark", "Replace all…"]
    assert list(offered(page, 3)) == ["Copy"]
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: lines(page)[2] == "Any answers?")


def test_a_translation_of_what_was_corrected_later_says_so(page: HistoryPage, qtbot: QtBot) -> None:
    correct(page, qtbot, 2, "Any answers?")
    assert lines(page)[3] == "Gibt es Fragen?"
    assert page.pane.view.note_below(QPointF(inside(page, 3))) == "Translated before the line above was corrected"
    assert page.pane.view.note_below(QPointF(inside(page, 1))) == ""


def test_a_translation_made_afterwards_says_nothing(archive: Archive, page: HistoryPage, qtbot: QtBot) -> None:
    correct(page, qtbot, 2, "as said")
    archive.write(lambda store: store.replace_translations(1, [translation(1, "wie gesagt", final=True)]))
    page.translation.finished.emit("It was translated into German.")
    qtbot.waitUntil(lambda: lines(page)[-1] == "wie gesagt")
    assert page.pane.view.note_below(QPointF(inside(page, len(lines(page)) - 1))) == ""


def test_only_what_was_said_and_is_over_can_be_corrected(archive: Archive, page: HistoryPage, qtbot: QtBot) -> None:
    double_click(page, qtbot, 1)
    assert not page.corrections.editor.isVisible()
    archive.write(lambda store: store.put_caption(store.begin("captions", "Now", "", "", ""), caption(0, "Good")))
    show(page, qtbot, "Now")
    assert not page.commands.correct.isEnabled()
    double_click(page, qtbot, 0)
    assert not page.corrections.editor.isVisible()


def test_what_is_being_typed_is_saved_when_the_keyboard_goes_elsewhere(page: HistoryPage, qtbot: QtBot) -> None:
    double_click(page, qtbot, 2)
    qtbot.keyClicks(page.corrections.editor, "More")
    page.sessions.field.setFocus()
    qtbot.waitUntil(lambda: lines(page)[2] == "More questions?")
    assert page.sessions.field.hasFocus()


def test_the_editor_stays_on_its_line(archive: Archive, make_page: MakePage, qtbot: QtBot) -> None:
    def write(store: object) -> None:
        session = store.begin("captions", "Long", "", "", "en")  # type: ignore[attr-defined]
        for number in range(40):
            store.put_caption(session, caption(number, f"Line {number}.", start=3.0 * number, final=True))  # type: ignore[attr-defined]
        store.end(session)  # type: ignore[attr-defined]

    archive.write(write)
    page = make_page()
    show(page, qtbot, "Long")
    view = page.pane.view
    page.corrections.begin(3)
    before = page.corrections.editor.y()
    view.verticalScrollBar().setValue(40)
    assert page.corrections.editor.y() == before - 40
    page.resize(700, 600)
    assert page.corrections.editor.width() > view.place_of(3).width()
    assert page.corrections.editor.toPlainText() == "Line 3."


def test_lines_are_named_by_hand_and_that_is_taken_back(page: HistoryPage, qtbot: QtBot) -> None:
    told = Told(page)
    first = lines(page)[0]
    assert offered(page, 0)["Speaker…"].isEnabled()
    dialog = page.corrections.ask_for_speaker(0)
    dialog.name.setCurrentText("Anna")
    dialog.save.click()
    qtbot.waitUntil(lambda: lines(page)[0] == f"Anna: {first}")
    assert told.texts == ["“Anna” said this line."]
    dialog = page.corrections.ask_for_speaker(0)
    assert dialog.name.currentText() == "Anna"
    assert not dialog.everywhere.isHidden()
    dialog.reject()
    page.commands.undo.trigger()
    qtbot.waitUntil(lambda: lines(page)[0] == first)


def test_two_speakers_become_one_and_one_becomes_two_and_all_is_taken_back(page: HistoryPage, qtbot: QtBot) -> None:
    def name(place: int, speaker: str, *, everywhere: bool) -> None:
        dialog = page.corrections.ask_for_speaker(place)
        dialog.name.setCurrentText(speaker)
        dialog.everywhere.setChecked(everywhere)
        dialog.save.click()

    def wait_for(*speakers: str) -> None:
        qtbot.waitUntil(lambda: [lines(page)[at].partition(":")[0] for at in spoken] == list(speakers), timeout=20_000)

    spoken = (0, 2)  # each has its translation below
    for place, speaker in zip(spoken, ("Speaker 1", "Speaker 2"), strict=True):
        name(place, speaker, everywhere=False)
        qtbot.waitUntil(lambda at=place, given=speaker: lines(page)[at].startswith(given), timeout=20_000)  # type: ignore[misc]
    dialog = page.corrections.ask_for_speaker(0)
    assert dialog.everywhere.isChecked()  # a number is meant everywhere
    dialog.reject()
    name(0, "Speaker 2", everywhere=True)  # merged
    wait_for("Speaker 2", "Speaker 2")
    name(2, "Anna", everywhere=False)  # this line only: split
    wait_for("Speaker 2", "Anna")
    subtitles = rendered(Transcript(captions=page.corrections._transcript.captions), ExportChoice(".vtt"))
    assert re.findall("<v ([^>]*)>", subtitles) == ["Speaker 2", "Anna"]
    for expected in (("Speaker 2", "Speaker 2"), ("Speaker 1", "Speaker 2")):
        page.commands.undo.trigger()
        wait_for(*expected)


def test_a_named_line_is_corrected_without_its_name(page: HistoryPage, qtbot: QtBot) -> None:
    dialog = page.corrections.ask_for_speaker(0)
    dialog.name.setCurrentText("Anna")
    dialog.save.click()
    qtbot.waitUntil(lambda: lines(page)[0].startswith("Anna: "))
    page.corrections.begin(0)
    assert not page.corrections.editor.toPlainText().startswith("Anna")
    page.corrections.editor.selectAll()
    qtbot.keyClicks(page.corrections.editor, "Something else.")
    qtbot.keyClick(page.corrections.editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: lines(page)[0] == "Anna: Something else.")
