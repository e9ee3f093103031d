"""The pane of notes: its rows lead to the transcript, and a person can change them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot

from app.notes.notes_pane import BESIDE_FROM_PIXELS, NotesPane, WithNotes
from engine.notes.records import NoteLine, Notes, NotesSection

NOTES = Notes(
    "meeting",
    (
        NotesSection("decisions", "Decisions", (NoteLine("We take the blue one.", (2,)),)),
        NotesSection("questions", "Open questions"),
        NotesSection("tasks", "Tasks", (NoteLine("Order it.", (3,), "Anna", "by Friday"),)),
    ),
)
STARTS = {1: 0.0, 2: 5.0, 3: 65.0}


@pytest.fixture
def pane(qtbot: QtBot) -> NotesPane:
    made = NotesPane()
    qtbot.addWidget(made)
    made.resize(320, 400)
    made.show_notes(NOTES, STARTS)
    made.show()
    return made


def rows(pane: NotesPane) -> list[str]:
    return [pane.model.index(row).data() for row in range(pane.model.rowCount())]


def test_sections_with_lines_are_shown_with_times_and_people(pane: NotesPane) -> None:
    assert rows(pane) == ["Decisions", "0:05 We take the blue one.", "Tasks", "1:05 Anna, by Friday: Order it."]
    assert "nothing is made up" in pane.about.text()


def test_notes_of_a_model_say_so(pane: NotesPane) -> None:
    pane.show_notes(Notes(sections=NOTES.sections, writer="Qwen"), STARTS)
    assert "Written by Qwen" in pane.about.text()


def test_a_click_and_the_return_key_lead_to_the_lines(pane: NotesPane, qtbot: QtBot) -> None:
    place = pane.list.visualRect(pane.model.index(1)).center()
    with qtbot.waitSignal(pane.lines_chosen) as clicked:
        qtbot.mouseClick(pane.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == [(2,)]
    pane.list.setCurrentIndex(pane.model.index(3))
    with qtbot.waitSignal(pane.lines_chosen) as chosen:
        qtbot.keyClick(pane.list, Qt.Key.Key_Return)
    assert chosen.args == [(3,)]


def test_a_heading_leads_nowhere(pane: NotesPane, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(pane.lines_chosen):
        pane.list.opened.emit(pane.model.index(0))


def test_a_changed_line_is_a_persons_own(pane: NotesPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.edited) as edited:
        pane.model.setData(pane.model.index(1), "  We take   the green one. ")
    (notes,) = edited.args
    assert notes.section("decisions") == (NoteLine("We take the green one.", (2,), by_hand=True),)


@pytest.mark.parametrize("text", ["", "   ", "We take the blue one."])
def test_an_empty_or_unchanged_text_changes_nothing(text: str, pane: NotesPane, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(pane.edited):
        assert not pane.model.setData(pane.model.index(1), text)


def test_lines_are_removed_and_added(pane: NotesPane, qtbot: QtBot) -> None:
    pane.list.setCurrentIndex(pane.model.index(1))
    with qtbot.waitSignal(pane.edited) as removed:
        pane._remove.trigger()
    assert removed.args[0].section("decisions") == ()
    with qtbot.waitSignal(pane.edited) as added:
        pane.model.add_line(pane.model.index(1), "Call Ben.")
    assert added.args[0].section("tasks")[-1] == NoteLine("Call Ben.", by_hand=True)


def test_another_template_wants_other_notes(pane: NotesPane, qtbot: QtBot) -> None:
    with qtbot.waitSignal(pane.wanted):
        pane.template.setCurrentIndex(1)
        pane.template.activated.emit(1)
    assert pane.chosen_template == "lecture"


def test_a_file_can_be_the_template_and_a_bad_one_is_told(
    pane: NotesPane, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = tmp_path / "bad.md", tmp_path / "mine.md"
    bad.write_text("nothing", encoding="utf-8")
    good.write_text("# Mine\n## Homework: tasks\n", encoding="utf-8")
    last = pane.template.count() - 1
    monkeypatch.setattr(pane, "_ask_for_file", lambda: str(bad))
    pane.template.setCurrentIndex(last)
    with qtbot.waitSignal(pane.problem_found):
        pane.template.activated.emit(last)
    assert (pane.chosen_template, pane.template.currentText()) == ("meeting", "Meeting")
    monkeypatch.setattr(pane, "_ask_for_file", lambda: str(good))
    pane.template.setCurrentIndex(last)
    with qtbot.waitSignal(pane.wanted):
        pane.template.activated.emit(last)
    assert (pane.chosen_template, pane.template.currentText()) == (str(good), "mine")


def test_notes_stand_below_the_transcript_where_it_is_narrow(qtbot: QtBot) -> None:
    transcript, pane = NotesPane(), NotesPane()
    both = WithNotes(transcript, pane)
    qtbot.addWidget(both)
    both.show()
    pane.show()
    both.resize(BESIDE_FROM_PIXELS + 40, 500)
    qtbot.waitUntil(lambda: pane.x() > 0 and pane.y() == 0)
    both.resize(BESIDE_FROM_PIXELS - 40, 500)
    qtbot.waitUntil(lambda: pane.x() == 0 and pane.y() > 0)


@pytest.mark.usefixtures("application")  # the app's style takes more room
def test_notes_have_room_on_a_low_page(qtbot: QtBot) -> None:
    pane = NotesPane()
    both = WithNotes(QTextEdit(), pane)
    qtbot.addWidget(both)
    pane.show_notes(NOTES, STARTS)
    both.resize(340, 222)  # what the history leaves on a small screen with everything twice as large
    both.show()
    pane.show()
    qtbot.waitUntil(lambda: pane.y() > 0)
    assert both.rect().contains(pane.geometry())
    shown = pane.list.visualRect(pane.model.index(1))
    assert pane.list.viewport().rect().contains(shown)
    assert pane.make in pane.menu().actions()
    both.resize(340, 700)
    qtbot.waitUntil(pane.make_button.isVisible)
