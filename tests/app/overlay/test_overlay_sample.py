"""The sample of the overlay shows a whole text, however narrow it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.overlay.overlay_sample import OverlaySample
from app.preferences.preferences import OverlayOptions


def words_of(sample: OverlaySample) -> list[str]:
    return [" ".join(lines) for lines in sample._face.shown]


@pytest.mark.parametrize("lines", [1, 2, 3])
@pytest.mark.parametrize("width", [300, 420, 900])
def test_no_line_of_it_rolls_away(qtbot: QtBot, width: int, lines: int) -> None:
    sample = OverlaySample(replace(OverlayOptions(), lines=lines))
    qtbot.addWidget(sample)
    sample.resize(width, 300)
    sample.show()
    spoken, translated = words_of(sample)
    assert spoken.startswith("This is how captions look")
    assert translated.startswith("So sehen Untertitel aus")


def test_where_there_is_room_it_says_more(qtbot: QtBot) -> None:
    sample = OverlaySample(OverlayOptions(lines=2))
    qtbot.addWidget(sample)
    sample.resize(900, 300)
    assert words_of(sample)[0] == "This is how captions look while somebody speaks"
