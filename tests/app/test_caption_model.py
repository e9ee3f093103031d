"""The transcript as a list: rows, revisions, settling, copying."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from app.captions.caption_model import CaptionModel, CaptionRole
from engine.events import Caption
from tests.app.captions import caption


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


def test_settling_keeps_committed_words_and_drops_pending_ones(model: CaptionModel) -> None:
    model.show(caption(0, "One.", final=True))
    model.show(caption(1, "Two", pending="three"))
    model.show(caption(2, "", pending="four"))
    model.settle()
    assert [(each.text, each.pending, each.final) for each in model.captions] == [("One.", (), True), ("Two", (), True)]


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
    model.reset_to(taken)
    assert model.text() == "One."
    assert model.next_id == 5


def test_ids_and_seconds_of_the_next_recording_follow_the_last_caption(model: CaptionModel) -> None:
    assert (model.next_id, model.end_seconds) == (0, 0.0)
    model.show(caption(3, "One two.", start=10.0))
    assert model.next_id == 4
    assert model.end_seconds == pytest.approx(model.captions[0].end)
