"""The dialog that asks how a transcript is to be exported."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTime
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.history.export.export_dialog import ExportDialog, file_name
from app.history.export.exporting import ExportChoice
from app.history.records import KeptTurn, Transcript
from app.look.theme import Theme
from engine.turns import Turn
from tests.app.made_captions import caption, translation

LECTURE = Transcript(
    None,
    (caption(0, "Good morning.", final=True), caption(1, "Bye.", start=59.0, final=True)),
    (translation(0, "Guten Morgen.", final=True),),
    shown={0: (1.0, 1.4)},
)
TALK = Transcript(None, turns=(KeptTurn(Turn(1, 0, "What is it?", "A tree."), 5.0),))


def make(qtbot: QtBot, transcript: Transcript = LECTURE) -> ExportDialog:
    dialog = ExportDialog([transcript], "A talk: part 1/2")
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def choose(dialog: ExportDialog, qtbot: QtBot, format: str = "", parts: str = "") -> None:
    if format:
        dialog.format.setCurrentIndex(dialog.format.findData(format))
    if parts:
        dialog.parts.setCurrentIndex(dialog.parts.findData(parts))
    dialog.show_preview()


def test_subtitles_in_both_languages_are_offered_first(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    assert (dialog.choice.ending, dialog.choice.parts) == (".srt", "both")
    assert "Good morning.\n<i>Guten Morgen.</i>" in dialog.preview.toPlainText()
    assert not dialog.times.isVisible() and not dialog.delays.isVisible()


@pytest.mark.parametrize(
    ("format", "parts", "there"),
    [
        (".vtt", "spoken", "WEBVTT"),
        (".txt", "both", "[0:00:00] Good morning.\n> Guten Morgen."),
        (".md", "translation", "**0:00:00** Guten Morgen."),
        (".json", "both", '"delay": 0.6'),
    ],
)
def test_the_file_is_shown_before_it_is_written(qtbot: QtBot, format: str, parts: str, there: str) -> None:
    dialog = make(qtbot)
    choose(dialog, qtbot, format, parts)
    assert there in dialog.preview.toPlainText()
    assert dialog.times.isVisible() == (format in (".txt", ".md"))
    assert dialog.delays.isVisible() == (format == ".json")


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_every_format_has_a_row_of_its_own_in_the_list(qtbot: QtBot, theme: Theme) -> None:
    dialog = make(qtbot)
    dialog.format.showPopup()
    view = dialog.format.view()
    rows = [view.visualRect(view.model().index(row, 0)) for row in range(dialog.format.count())]
    assert len(rows) > 1 and all(row.height() >= view.fontMetrics().height() for row in rows)
    assert all(above.bottom() < below.top() for above, below in itertools.pairwise(rows))
    assert view.viewport().rect().contains(rows[0]) and view.viewport().rect().contains(rows[-1])


def test_a_part_is_chosen_by_its_time(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    assert not dialog.begin.isEnabled()
    dialog.part_only.setChecked(True)
    dialog.begin.setTime(QTime(0, 0, 30))
    dialog.show_preview()
    assert "Good morning." not in dialog.preview.toPlainText()
    assert "Bye." in dialog.preview.toPlainText()
    assert dialog.hint.text() == "Captions: 1"
    dialog.begin.setTime(QTime(0, 0, 1))
    dialog.end.setTime(QTime(0, 0, 20))
    dialog.show_preview()
    assert dialog.hint.text() == "Nothing was said in this part."
    assert not dialog.export_button.isEnabled()


def test_the_last_second_is_within_the_part(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    dialog.part_only.setChecked(True)
    dialog.show_preview()
    assert dialog.hint.text() == "Captions: 2"


def test_a_conversation_is_no_subtitles(qtbot: QtBot) -> None:
    dialog = make(qtbot, TALK)
    endings = [dialog.format.itemData(row) for row in range(dialog.format.count())]
    assert endings == [".txt", ".md", ".docx", ".csv", ".json"]
    assert dialog.parts.count() == 1
    assert "You: What is it?\nEarshot: A tree." in dialog.preview.toPlainText()


def test_captions_without_a_translation_have_one_language(qtbot: QtBot) -> None:
    dialog = make(qtbot, Transcript(None, LECTURE.captions))
    assert dialog.choice.parts == "spoken"
    assert dialog.parts.count() == 1


def test_the_name_gets_the_ending_of_the_format(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = make(qtbot)
    choose(dialog, qtbot, ".md")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        assert dialog.export_to(tmp_path / "talk.v2")
    path, choice = chosen.args
    assert path == tmp_path / "talk.v2.md"
    assert isinstance(choice, ExportChoice) and choice.ending == ".md"
    assert not dialog.isVisible()


def test_files_that_nobody_named_are_not_replaced_unasked(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = make(qtbot)
    choose(dialog, qtbot, ".srt", "separate")
    (tmp_path / "talk.de.srt").write_text("mine")
    asked: list[str] = []
    answer = QMessageBox.StandardButton.No

    def ask(parent: object, title: str, text: str) -> QMessageBox.StandardButton:
        asked.append(text)
        return answer

    monkeypatch.setattr(QMessageBox, "question", ask)
    assert not dialog.export_to(tmp_path / "talk.srt")
    assert asked == ["talk.de.srt will be replaced. Continue?"]
    assert dialog.isVisible()
    (tmp_path / "other.srt").write_text("mine")
    choose(dialog, qtbot, ".srt", "both")
    assert not dialog.export_to(tmp_path / "other")
    assert asked[1:] == ["other.srt will be replaced. Continue?"]
    answer = QMessageBox.StandardButton.Yes
    assert dialog.export_to(tmp_path / "other")


def test_escape_leaves_everything_as_it_is(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    with qtbot.assertNotEmitted(dialog.chosen), qtbot.waitSignal(dialog.rejected):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_a_file_is_called_as_its_session_is_and_as_a_recording_without_its_ending() -> None:
    assert file_name("A talk: part 1/2") == "A talk part 1 2"
    assert file_name("meeting.wav") == "meeting"
    assert file_name("Version 2.0") == "Version 2.0"
    assert file_name("?") == "captions"
