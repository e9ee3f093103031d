"""The figures beside the captions: measured on the recording's own clock."""

from __future__ import annotations

import pytest

from app.captions.figures import FigureMeter, Figures
from app.captions.timeline import Place
from engine.events import RoundStats
from tests.app.captions import caption


def cost(seconds: float, number: int = 0) -> RoundStats:
    return RoundStats(number, 5.0, seconds / 2, seconds / 4, seconds / 4, 1, 1, 0)


def test_nothing_is_claimed_before_anything_is_measured() -> None:
    meter = FigureMeter()
    assert meter.figures == Figures(None, None)
    meter.add_round(cost(0.1), 0.5)
    assert meter.figures == Figures(None, None)


def test_the_delay_is_from_the_end_of_a_word_to_its_commitment() -> None:
    meter = FigureMeter()
    meter.add_caption(caption(0, "One"), 1.0)  # said by 0.4 s
    assert meter.figures.delay_seconds == pytest.approx(0.6)


def test_each_word_counts_once_when_it_is_committed() -> None:
    meter = FigureMeter()
    meter.add_caption(caption(0, "One", pending="two"), 1.0)
    meter.add_caption(caption(0, "One two", revision=1), 1.8)
    meter.add_caption(caption(0, "One two three", revision=2, final=True), 100.0)
    assert meter.figures.delay_seconds == pytest.approx(1.0)  # of 0.6, 1.0 and 98.8


def test_the_real_time_factor_is_computing_over_the_audio_it_was_for() -> None:
    meter = FigureMeter()
    for number in range(5):
        meter.add_round(cost(0.1, number), number * 0.5)
    assert meter.figures.real_time_factor == pytest.approx(0.2)


def test_a_session_is_moved_to_its_place_in_the_transcript() -> None:
    moved = Place(first_id=5, start_seconds=60.0).of(caption(1, "One two", pending="three", start=1.0))
    assert moved.id == 6
    assert (moved.start, moved.end) == (61.0, 61.8)
    assert moved.committed[1].start == pytest.approx(61.4)
    assert moved.pending[0].end == pytest.approx(62.2)
    assert moved.audio_seconds == pytest.approx(62.3)
    assert moved.emitted_seconds == pytest.approx(62.4)
