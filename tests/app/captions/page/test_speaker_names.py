"""Speakers on the captions page: two sides in the list of sources, their levels, and names written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.application import Application
from app.overlay.overlay_feed import OverlayFeed
from app.sound.audio_devices import InputDevice
from app.sound.audio_sources import Microphone, TwoSides
from app.transcript.caption_text import composed
from app.transcript.speaker_dialog import SpeakerDialog
from tests.app.conftest import MakeApplication
from tests.app.made_captions import caption

DEFAULT = InputDevice(0, "default", True, "Laptop")
YETI = InputDevice(1, "yeti", False, "Yeti")
SPEAKERS = InputDevice(2, "speakers.monitor", False, "Speakers", is_monitor=True)
BOTH = "Microphone and computer"


@pytest.fixture
def application(make_application: MakeApplication) -> Application:
    application = make_application()
    application.captions_page.show_microphones((DEFAULT, YETI, SPEAKERS))
    return application


def show_call(application: Application) -> None:
    model = application.session.captions
    for number, who in enumerate(("You", "Call", "You"), 1):
        model.show(replace(caption(number, f"Line {number}.", start=3.0 * number, final=True), speaker=who))
    application.captions_page.stage.captions.refresh()


def shown(application: Application) -> list[str]:
    application.captions_page.stage.captions.refresh()
    return application.captions_page.stage.captions.toPlainText().split("\n")


def choose(application: Application, text: str) -> None:
    picker = application.captions_page.picker
    picker.setCurrentIndex(picker.findText(text))
    picker.activated.emit(picker.currentIndex())


# --- the source ---


def test_both_sides_are_offered_where_there_is_a_microphone_and_what_the_computer_plays(
    application: Application,
) -> None:
    picker = application.captions_page.picker
    assert picker.findText(BOTH) >= 0
    assert "of the call is left out" in picker.itemData(picker.findText(BOTH), Qt.ItemDataRole.ToolTipRole)
    for some in ((DEFAULT, YETI), (SPEAKERS,), ()):
        application.captions_page.show_microphones(some)
        assert picker.findText(BOTH) < 0


def test_the_chosen_microphone_is_the_one_of_both_sides_and_that_is_remembered(application: Application) -> None:
    picker = application.captions_page.picker
    choose(application, BOTH)
    source = picker.source
    assert isinstance(source, TwoSides)
    assert isinstance(source.here, Microphone) and source.here.device is None
    assert isinstance(source.there, Microphone) and source.there.device == "speakers.monitor"
    choose(application, "Yeti")
    assert not application.settings.preferences.sound.both
    choose(application, BOTH)
    assert application.settings.preferences.sound.both
    assert application.settings.preferences.sound.input == "yeti"
    assert isinstance(picker.source, TwoSides)
    application.captions_page.show_microphones((DEFAULT, SPEAKERS, YETI))
    source = picker.source
    assert isinstance(source, TwoSides), "a new search does not change what is chosen"
    assert isinstance(source.here, Microphone) and source.here.device == "yeti"


def test_each_side_has_its_own_level(application: Application) -> None:
    level = application.captions_page.transport.level
    assert [label.isHidden() for label in level.names] == [True]
    application.captions_page.transport.show_sides(("You", "Call"))
    level.show_level(-20.0, 0)
    level.show_level(-90.0, 1)
    assert [label.text() for label in level.names] == ["You", "Call"]
    assert level.meters[0].newest > 0.5
    assert level.meters[1].newest == 0.0
    application.captions_page.transport.show_sides(("",))
    assert len(level.meters) == 1


# --- names ---


def test_a_line_begins_with_its_speaker_in_bold(application: Application) -> None:
    show_call(application)
    assert shown(application) == ["You: Line 1.", "Call: Line 2.", "You: Line 3."]
    cursor = QTextCursor(application.captions_page.stage.captions.document())
    weights = []
    for position in (2, 8):
        cursor.setPosition(position)
        weights.append(cursor.charFormat().fontWeight())
    assert weights[0] > weights[1]


def test_a_caption_that_grows_keeps_its_name_and_its_pending_words(application: Application) -> None:
    model = application.session.captions
    model.show(replace(caption(1, "", pending="Good"), speaker="You"))
    assert shown(application) == ["You: Good"]
    model.show(replace(caption(1, "Good", pending="morning", revision=1), speaker="You"))
    assert shown(application) == ["You: Good morning"]
    assert composed(model.caption_at(0)) == ("You: Good morning", len("You: Good"))
    model.name_speakers({1: "Anna"})
    assert shown(application) == ["Anna: Good morning"]
    model.show(replace(caption(1, "Good morning.", revision=2, final=True), speaker="You"))
    assert shown(application) == ["Anna: Good morning."]


def open_dialog(application: Application, *captions: int) -> SpeakerDialog:
    return application.captions_page.names.ask(captions)


def test_a_name_is_given_to_some_lines_and_taken_back(application: Application) -> None:
    show_call(application)
    dialog = open_dialog(application, 1)
    assert [dialog.name.itemText(at) for at in range(dialog.name.count())] == ["You", "Call"]
    assert dialog.name.currentText() == "You"
    dialog.name.setCurrentText("  Anna ")
    dialog.everywhere.setChecked(False)
    dialog.save.click()
    assert shown(application) == ["Anna: Line 1.", "Call: Line 2.", "You: Line 3."]
    assert application.window.message.isVisibleTo(application.window)
    application.captions_page.edits.undo.trigger()
    assert shown(application)[0] == "You: Line 1."
    application.captions_page.edits.undo.trigger()


def test_a_name_is_given_to_all_lines_of_a_speaker(application: Application) -> None:
    show_call(application)
    dialog = open_dialog(application, 3)
    dialog.name.setCurrentText("Ben")
    dialog.everywhere.setChecked(True)
    dialog.save.click()
    assert shown(application) == ["Ben: Line 1.", "Call: Line 2.", "Ben: Line 3."]
    application.captions_page.edits.undo.trigger()
    assert shown(application) == ["You: Line 1.", "Call: Line 2.", "You: Line 3."]


def test_case_a_name_with_an_ampersand_is_whole_on_buttons(application: Application) -> None:
    show_call(application)
    dialog = open_dialog(application, 3)
    dialog.name.setCurrentText("R&D")
    dialog.save.click()
    know = application.window.message.buttons[0]
    assert (know.text(), know.accessibleName()) == ("&Know “R&&D” from now on", "Know “R&D” from now on")
    assert open_dialog(application, 3).everywhere.text() == "For &all lines of “R&&D”"
    split = application.history_page.commands.to_split("R&D")
    assert split.text() == "Split “R&&D” by &voice"


def test_all_lines_of_a_side_are_meant_until_it_has_a_name(application: Application) -> None:
    show_call(application)
    names = application.captions_page.names
    dialog = names.ask((2,))
    assert dialog.everywhere.isChecked(), "a side is a person who has no name yet"
    dialog.reject()
    names.name((2,), "Anna")
    dialog = names.ask((2,))
    assert not dialog.everywhere.isChecked(), "one of Anna's lines may be somebody else's"
    dialog.reject()


def test_what_was_renamed_is_told_in_the_right_number(application: Application) -> None:
    show_call(application)
    told: list[str] = []
    application.captions_page.notice_given.connect(lambda text, way_out: told.append(text))
    application.captions_page.names.name((2,), "Anna")
    application.captions_page.names.name((1, 3), "Ben")
    assert told == ["“Anna” said this line.", "“Ben” said these lines."]


def test_lines_of_several_speakers_get_one_name_or_none(application: Application) -> None:
    show_call(application)
    dialog = open_dialog(application, 1, 2)
    assert dialog.everywhere.isHidden()
    assert dialog.name.currentText() == ""
    dialog.save.click()
    assert shown(application) == ["Line 1.", "Line 2.", "You: Line 3."]


def test_the_menu_asks_for_the_selected_lines_or_the_one_below_the_pointer(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    show_call(application)
    menus: list[QMenu] = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, where: menus.append(menu))
    application.window.show()
    stage = application.captions_page.stage
    asked: list[tuple[int, ...]] = []
    stage.speaker_wanted.disconnect()
    stage.speaker_wanted.connect(asked.append)

    def pick(place: QPoint) -> None:
        stage._open_menu(place)
        next(each for each in menus.pop().actions() if each.text() == "&Speaker…").trigger()

    cursor = QTextCursor(stage.captions.document().findBlockByNumber(1))
    pick(stage.captions.cursorRect(cursor).center())
    cursor.setPosition(3)
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
    stage.captions.setTextCursor(cursor)
    pick(QPoint(5, 5))
    assert asked == [(2,), (1, 2)]


def test_the_overlay_names_who_speaks_where_that_changes(application: Application, qtbot: QtBot) -> None:
    application.actions.overlay.setChecked(True)
    show_call(application)
    application.session.captions.show(replace(caption(4, "Line 4.", start=12.0, final=True), speaker="You"))
    (feed,) = application.desktop.overlay.findChildren(OverlayFeed)
    spoken, _ = feed._newest(-1)
    assert [each.text for each in spoken] == ["You: Line 1.", "Call: Line 2.", "You: Line 3.", "Line 4."]
