"""The transcript as a list: rows, revisions, settling, copying."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.transcript.caption_model import CaptionModel, CaptionRole
from app.transcript.caption_text import UNSURE
from engine.events import Caption, Translation
from tests.app.made_captions import better, caption, split, translation


@pytest.fixture
def model(qtmodeltester: ModelTester) -> CaptionModel:
    """A model that Qt's own tester watches."""
    made = CaptionModel()
    qtmodeltester.check(made)
    return made


def test_a_new_caption_is_a_new_row_and_a_revision_is_not(model: CaptionModel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.rowsInserted):
        model.show(caption(0, "Good", pending="morning"))
    with qtbot.waitSignal(model.dataChanged):
        model.show(caption(0, "Good morning,", revision=1))
    model.show(caption(1, "", pending="Can"))
    assert [model.index(row).data(Qt.ItemDataRole.DisplayRole) for row in range(model.rowCount())] == [
        "Good morning,",
        "Can",
    ]
    held = model.index(0).data(CaptionRole.CAPTION)
    assert isinstance(held, Caption)
    assert held.revision == 1


def test_an_older_revision_does_not_undo_a_newer_one(model: CaptionModel) -> None:
    model.show(caption(0, "Good morning.", revision=2))
    model.show(caption(0, "Good", revision=1))
    assert model.text() == "Good morning."


def test_a_caption_that_lost_all_its_words_goes(model: CaptionModel) -> None:
    model.show(caption(0, "One."))
    model.show(caption(1, "", pending="hm"))
    model.show(caption(1, "", revision=1, final=True))
    model.show(caption(2, "", final=True))
    assert model.text() == "One."
    assert model.rowCount() == 1
    model.show(caption(3, "Two."))
    assert model.text() == "One.\nTwo."


def test_the_text_holds_committed_words_alone(model: CaptionModel) -> None:
    model.show(caption(0, "One.", final=True))
    model.show(caption(1, "Two", pending="three"))
    model.show(caption(2, "", pending="four"))
    assert model.text() == "One.\nTwo"
    assert [each.text for each in model.final_captions()] == ["One.", "Two"]
    assert all(each.final and not each.pending for each in model.final_captions())


def test_what_was_cleared_can_be_put_back(model: CaptionModel) -> None:
    model.show(caption(4, "One."))
    taken = model.clear()
    assert model.rowCount() == 0
    model.reset_to(*taken)
    assert model.text() == "One."
    assert model.next_id == 5


def test_ids_and_seconds_of_the_next_recording_follow_the_last_caption(model: CaptionModel) -> None:
    assert (model.next_id, model.next_seconds) == (1, 0.0)
    model.show(caption(3, "One two.", start=10.0))
    assert model.next_id == 4
    assert model.captions[0].end == pytest.approx(10.8)
    assert model.next_seconds == 11.0


def test_a_translation_belongs_to_the_caption_with_its_id(model: CaptionModel, qtbot: QtBot) -> None:
    model.show(caption(3, "Good morning."))
    model.show(caption(4, "One."))
    with qtbot.waitSignal(model.dataChanged) as changed:
        model.translate(translation(4, "Eins."))
    assert changed.args is not None
    assert changed.args[0].row() == 1
    held = model.index(1).data(CaptionRole.TRANSLATION)
    assert isinstance(held, Translation)
    assert held.text == "Eins."
    assert model.index(0).data(CaptionRole.TRANSLATION) is None


def test_a_newer_translation_replaces_an_older_one_and_a_final_one_stays(model: CaptionModel) -> None:
    model.show(caption(0, "Good morning."))
    model.translate(translation(0, "Gut", revision=2))
    model.translate(translation(0, "Schlecht", revision=1))
    assert [each.text for each in model.translations] == ["Gut"]
    model.translate(translation(0, "Guten Morgen.", revision=3, final=True))
    model.translate(translation(0, "Guten Tag.", revision=4))
    assert [each.text for each in model.translations] == ["Guten Morgen."]


def test_a_translation_of_better_words_replaces_the_final_one(model: CaptionModel) -> None:
    first = caption(0, "The king is flooded.", final=True)
    model.show(first)
    model.translate(translation(0, "überflutet", final=True))
    model.show(better(first, "The king has fled."))
    model.translate(translation(0, "geflohen", revision=1, final=True))
    assert [each.text for each in model.translations] == ["geflohen"]


def test_a_translation_of_a_caption_that_is_not_there_is_dropped(model: CaptionModel) -> None:
    model.translate(translation(0, "Hm."))
    model.show(caption(1, "", pending="hm"))
    model.translate(translation(1, "Hm."))
    model.show(caption(1, "", revision=1, final=True))
    assert model.translations == ()
    model.show(caption(2, "One."))
    assert model.translations == ()


def test_the_text_holds_both_languages_but_nothing_that_is_held_back(model: CaptionModel) -> None:
    model.show(caption(0, "Good morning.", final=True))
    model.translate(translation(0, "Guten Morgen.", final=True))
    model.show(caption(1, "Not translated.", final=True))
    model.show(caption(2, "Can you", pending="here"))
    model.translate(translation(2, "Könnt", hidden=" ihr hier"))
    assert model.text() == "Good morning.\nGuten Morgen.\n\nNot translated.\n\nCan you\nKönnt"
    assert [(each.id, each.text, each.hidden, each.final) for each in model.final_translations()] == [
        (0, "Guten Morgen.", "", True),
        (2, "Könnt", "", True),
    ]


def test_what_was_cleared_comes_back_with_its_translations(model: CaptionModel) -> None:
    model.show(caption(4, "One.", final=True))
    model.translate(translation(4, "Eins.", final=True))
    taken = model.clear()
    assert model.translations == ()
    model.reset_to(*taken)
    assert model.text() == "One.\nEins."


def test_translations_that_will_never_end_can_be_dropped(model: CaptionModel, qtbot: QtBot) -> None:
    model.show(caption(0, "One.", final=True))
    model.translate(translation(0, "Eins.", final=True))
    model.show(caption(1, "Two", pending="three"))
    model.translate(translation(1, "Zwei"))
    with qtbot.waitSignal(model.dataChanged):
        model.drop_open_translations()
    assert [each.text for each in model.translations] == ["Eins."]


def test_a_label_takes_the_place_of_the_dash_and_of_nothing_that_a_person_wrote(model: CaptionModel) -> None:
    for number in (1, 2):
        model.show(replace(caption(number, "Hello there", final=True), speaker=UNSURE))
    assert model.data(model.index(0)) == "– Hello there"
    assert model.speakers == ()
    model.name_speakers({2: "Anna"})
    for number in (1, 2):
        model.label(number, "Speaker 1", instead_of=("", UNSURE))
    assert [each.speaker for each in model.captions] == ["Speaker 1", "Anna"]
    model.show(replace(better(model.captions[0], "Hello dear"), speaker=""))
    assert model.data(model.index(0)) == "Speaker 1: Hello dear"


def test_a_better_label_is_for_the_transcript_and_not_for_who_reads_along(model: CaptionModel) -> None:
    model.show(replace(caption(1, "Hello there", final=True), speaker=UNSURE))
    model.label(1, "Speaker 1", instead_of=("", UNSURE))
    assert model.live_speaker(model.captions[0]) == "Speaker 1"
    model.label(1, "Speaker 2", instead_of=("Speaker 1",))
    assert model.captions[0].speaker == "Speaker 2"
    assert model.live_speaker(model.captions[0]) == "Speaker 1"
    model.name_speakers({1: "Anna"})
    assert model.live_speaker(model.captions[0]) == "Anna"


def test_dashes_go_when_no_label_will_come(model: CaptionModel) -> None:
    model.show(replace(caption(1, "Hello there", final=True), speaker=UNSURE))
    model.drop_dashes()
    assert model.data(model.index(0)) == "Hello there"


def test_the_rest_of_a_line_that_is_split_stands_behind_it(model: CaptionModel) -> None:
    whole = caption(1, "Any questions? Yes, two.", final=True)
    for each in (whole, caption(2, "Go on.", start=5.0, final=True), *split(whole, 2, 7)):
        model.show(each)
    model.label(7, "Ben", instead_of=("",))
    assert [(each.id, each.speaker, each.text) for each in model.captions] == [
        (1, "", "Any questions?"), (7, "Ben", "Yes, two."), (2, "", "Go on.")
    ]  # fmt: skip
    assert [model.row_of(number) for number in (1, 7, 2)] == [0, 1, 2]
    model.show(caption(2, "Go on then.", start=5.0, revision=1, final=True))
    assert model.captions[2].text == "Go on then."


def test_a_line_that_a_person_has_written_is_not_split(model: CaptionModel) -> None:
    whole = caption(1, "Any questions? Yes, two.", final=True)
    model.show(whole)
    model.correct({1: "Any questions? Yes, too."})
    for each in split(whole, 2, 7):
        model.show(each)
    assert [each.text for each in model.captions] == ["Any questions? Yes, too."]
