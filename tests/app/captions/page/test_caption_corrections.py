"""Captions that are corrected on their page, while one listens and afterwards: shown, kept, undone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.application import Application
from app.history.records import Transcript
from app.transcript.replace_dialog import ReplaceDialog
from tests.app.conftest import MakeApplication
from tests.app.made_captions import better, caption

SAID = ("Rose beef for dinner.", "More rose beef, please.", "Roses are red.")
Kept = Callable[[], Transcript]

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")  # said offscreen when a menu opens


@pytest.fixture
def recorded(make_application: MakeApplication) -> Application:
    """The app while it keeps a recording of three captions and hears a fourth."""
    application = make_application()
    application.history_wiring.recorder.begin_captions("Microphone", "starter", "en")
    model = application.session.captions
    for number, said in enumerate(SAID, 1):
        model.show(replace(caption(number, said, start=10.0 * number, final=True), speaker="Anna"))
    model.show(caption(4, "It goes", pending="on", start=40.0))
    application.captions_page.refresh()
    application.captions_page.stage.captions.refresh()
    return application


@pytest.fixture
def kept(recorded: Application, qtbot: QtBot) -> Kept:
    """The only session of the history."""

    def read() -> Transcript:
        answers: list[Transcript] = []
        recorded.archive.ask(lambda store: store.transcript(store.sessions()[0].id), answers.append)
        qtbot.waitUntil(lambda: bool(answers))
        return answers[0]

    return read


def texts(application: Application) -> list[str]:
    return [each.text for each in application.session.captions.captions]


def place_of(application: Application, word: str) -> QPoint:
    view = application.captions_page.stage.captions
    view.refresh()
    return view.cursorRect(view.document().find(word)).center() - QPoint(6, 0)


def test_a_double_click_corrects_a_line_while_more_is_heard(recorded: Application, kept: Kept, qtbot: QtBot) -> None:
    page, model = recorded.captions_page, recorded.session.captions
    view, editor = page.stage.captions, page.corrections.editor
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place_of(recorded, "Rose"))
    assert editor.isVisible() and editor.toPlainText() == SAID[0], "without the speaker's name"
    assert editor.textCursor().selectedText() == "Rose", "the first key erases no more than the word"
    model.show(caption(4, "It goes on", revision=1, start=40.0, final=True))
    qtbot.keyClicks(editor, "Roast")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert texts(recorded) == ["Roast beef for dinner.", *SAID[1:], "It goes on"]
    assert view.following, "the newest words are followed again"
    model.name_speakers({1: "Ben"})
    found = kept()
    assert [each.text for each in found.captions] == texts(recorded)
    assert found.captions[0].speaker == "Ben"
    assert found.heard == {1: SAID[0]}
    page.edits.undo.trigger()
    assert texts(recorded)[0] == SAID[0]
    assert kept().heard == {}


def test_after_the_recording_corrections_are_kept_too(recorded: Application, kept: Kept, qtbot: QtBot) -> None:
    recorded.history_wiring.recorder.end_captions()
    recorded.actions.correct.trigger()
    editor = recorded.captions_page.corrections.editor
    assert editor.toPlainText() == SAID[2], "the newest line that is final"
    editor.selectAll()
    qtbot.keyClicks(editor, "Violets are blue.")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert [each.text for each in kept().captions][2] == "Violets are blue."
    assert recorded.session.captions.final_captions()[2].text == "Violets are blue.", "and exported"


def test_a_correction_stays_when_the_caption_is_heard_again(recorded: Application, kept: Kept) -> None:
    model, corrections = recorded.session.captions, recorded.captions_page.corrections
    corrections.begin(1, 0)
    corrections.editor.saved.emit("Roast beef for dinner.")
    first = replace(caption(1, SAID[0], start=10.0, final=True), speaker="Anna")
    model.show(replace(better(first, "Rows beef for dinner."), speaker="Anna"))
    assert texts(recorded)[0] == "Roast beef for dinner." == kept().captions[0].text
    recorded.captions_page.edits.undo.trigger()
    assert texts(recorded)[0] == "Rows beef for dinner."


def test_escape_leaves_a_line_as_it_was(recorded: Application, qtbot: QtBot) -> None:
    recorded.captions_page.corrections.begin(1, 0)
    editor = recorded.captions_page.corrections.editor
    qtbot.keyClicks(editor, "Nonsense")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert texts(recorded)[0] == SAID[0] and editor.isHidden()


def test_what_may_still_change_cannot_be_corrected(recorded: Application) -> None:
    recorded.captions_page.corrections.begin(4, 0)
    assert recorded.captions_page.corrections.editor.isHidden()


def test_a_line_that_is_removed_takes_its_editor_along(recorded: Application) -> None:
    recorded.captions_page.corrections.begin(1, 0)
    recorded.session.captions.clear()
    assert recorded.captions_page.corrections.editor.isHidden()


def test_the_menu_of_a_line_offers_to_correct_it(recorded: Application, qtbot: QtBot) -> None:
    view = recorded.captions_page.stage.captions
    for word, offered in (("dinner", True), ("goes", False)):
        view.customContextMenuRequested.emit(place_of(recorded, word))
        menu = view.findChildren(QMenu)[-1]
        (action,) = [each for each in menu.actions() if "orrect" in each.text()]
        assert action.isEnabled() is offered
        if offered:
            action.trigger()
            assert recorded.captions_page.corrections.editor.isVisible()
            recorded.captions_page.corrections.editor.leave()
        menu.close()


@pytest.mark.parametrize("where", ["captions", "history"])
def test_words_are_replaced_everywhere_and_come_back_at_once(
    recorded: Application, kept: Kept, where: str, qtbot: QtBot
) -> None:
    recorded.history_wiring.recorder.end_captions()
    told: list[str] = []
    if where == "captions":
        recorded.captions_page.notice_given.connect(lambda text, _: told.append(text))
        dialog, undo = recorded.captions_page.corrections.ask_to_replace(), recorded.captions_page.edits.undo
    else:
        page = recorded.history_page
        recorded.actions.history_page.trigger()
        qtbot.waitUntil(lambda: page.transcript is not None and page.pane.view.is_complete)
        page.notice_given.connect(lambda text, _: told.append(text))
        dialog, undo = page.corrections.ask_to_replace(), page.commands.undo
    assert not dialog.replace_button.isEnabled()
    dialog.old.setText("rose  BEEF")
    assert dialog.count.text() == "Found: 2"
    dialog.new.setText("roast beef")
    dialog.replace_button.click()
    replaced = ["roast beef for dinner.", "More roast beef, please."]
    qtbot.waitUntil(lambda: [each.text for each in kept().captions][:2] == replaced)
    assert told == ["Replaced: 2"]
    qtbot.waitUntil(lambda: texts(recorded)[:2] == replaced)
    undo.trigger()
    qtbot.waitUntil(lambda: [each.text for each in kept().captions][:3] == list(SAID))
    qtbot.waitUntil(lambda: texts(recorded)[:3] == list(SAID))


def test_whole_words_and_capitals_are_told_apart_if_wanted(recorded: Application) -> None:
    dialog: ReplaceDialog = recorded.captions_page.corrections.ask_to_replace()
    dialog.old.setText("rose")
    counts = [dialog.count.text()]
    dialog.whole.setChecked(False)
    counts.append(dialog.count.text())
    dialog.same_case.setChecked(True)
    counts.append(dialog.count.text())
    assert counts == ["Found: 2", "Found: 3", "Found: 1"]
    dialog.close()
