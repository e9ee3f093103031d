from __future__ import annotations

import numpy as np
import pytest

from engine.speakers.local_speakers import HeardWindow, LocalSpeaker
from engine.speakers.segmentation import FRAME_SECONDS, WINDOW_FRAMES
from engine.speakers.turns import SPEAKS_TOO, turns_of


def person(*spans: tuple[float, float], sure: float = 1.0) -> LocalSpeaker:
    """Return a person who speaks between these seconds of a window."""
    activity = np.zeros(WINDOW_FRAMES, np.float32)
    for start, end in spans:
        activity[round(start / FRAME_SECONDS) : round(end / FRAME_SECONDS)] = sure
    return LocalSpeaker(activity, 1.0, None)


def test_a_window_says_nothing_about_what_it_had_not_heard_yet() -> None:
    early = HeardWindow(0.0, (person((0.5, 1.5)),), seconds=2.0)
    windows = [early, early, HeardWindow(0.0, (person((0.5, 1.5)), person((3.0, 4.0))))]
    turns = turns_of(windows, np.array([0, 0, 0, 1]))
    assert [(round(turn.start), round(turn.end), turn.speaker) for turn in turns] == [(1, 2, 0), (3, 4, 1)]


@pytest.mark.parametrize(("sure", "overlap"), [(SPEAKS_TOO - 0.1, False), (SPEAKS_TOO + 0.1, True)])
def test_a_second_voice_at_once_must_be_surer_than_the_first(sure: float, overlap: bool) -> None:
    window = HeardWindow(0.0, (person((1.0, 5.0)), person((2.0, 3.0), sure=sure)))
    turns = turns_of([window], np.array([0, 1]))
    assert [turn.speaker for turn in turns] == ([0, 1] if overlap else [0])
