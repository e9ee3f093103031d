"""Search in captions that go on changing."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.transcript.caption_model import CaptionModel
from app.transcript.caption_view import CaptionView
from app.transcript.transcript_search import TranscriptSearch
from tests.app.made_captions import caption


def test_the_next_result_is_looked_for_in_the_text_that_is_there_now(qtbot: QtBot) -> None:
    model = CaptionModel()
    view = CaptionView(model)
    qtbot.addWidget(view)
    model.show(caption(0, "A day.", final=True))
    model.show(caption(1, "", pending="And another long day of many words, and one more day"))
    view.refresh()
    search = TranscriptSearch(view)
    search.look_for("day")
    assert search.count == 3
    model.show(caption(1, "And", revision=1))
    view.refresh()
    search.go_on(-1)  # with places of the longer text Qt would warn, which fails a test
    assert (search.count, search.number) == (1, 1)
