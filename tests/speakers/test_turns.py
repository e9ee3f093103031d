from __future__ import annotations

import numpy as np
import pytest

from engine.speakers.local_speakers import HeardWindow, Stretch
from engine.speakers.segmentation import FRAME_SECONDS, WINDOW_FRAMES
from engine.speakers.turns import SPEAKS_TOO, turns_of


def said(person: int, start: float, end: float, sure: float = 1.0) -> Stretch:
    """Return what a person says between these seconds of a window."""
    first, last = round(start / FRAME_SECONDS), round(end / FRAME_SECONDS)
    return Stretch(person, first, np.full(last - first, sure, np.float32), end - start, None)


def test_a_window_says_nothing_about_what_it_had_not_heard_yet() -> None:
    early = HeardWindow(0.0, round(2.0 / FRAME_SECONDS), (said(0, 0.5, 1.5),))
    windows = [early, early, HeardWindow(0.0, WINDOW_FRAMES, (said(0, 0.5, 1.5), said(1, 3.0, 4.0)))]
    turns = turns_of(windows, np.array([0, 0, 0, 1]))
    assert [(round(turn.start), round(turn.end), turn.speaker) for turn in turns] == [(1, 2, 0), (3, 4, 1)]


@pytest.mark.parametrize(("sure", "overlap"), [(SPEAKS_TOO - 0.1, False), (SPEAKS_TOO + 0.1, True)])
def test_a_second_voice_at_once_must_be_surer_than_the_first(sure: float, overlap: bool) -> None:
    window = HeardWindow(0.0, WINDOW_FRAMES, (said(0, 1.0, 5.0), said(1, 2.0, 3.0, sure)))
    turns = turns_of([window], np.array([0, 1]))
    assert [turn.speaker for turn in turns] == ([0, 1] if overlap else [0])


def test_one_person_of_a_window_may_be_two_speakers() -> None:
    window = HeardWindow(0.0, WINDOW_FRAMES, (said(0, 1.0, 3.0), said(0, 3.5, 5.0)))
    turns = turns_of([window], np.array([0, 1]))
    assert [(round(turn.start, 1), round(turn.end, 1), turn.speaker) for turn in turns] == [
        (1.1, 3.1, 0),
        (3.6, 5.1, 1),
    ]
