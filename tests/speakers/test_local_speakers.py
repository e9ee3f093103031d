from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.speakers.local_speakers import (
    LEAST_PART_SECONDS,
    LONGEST_WHOLE_SECONDS,
    STEP_SECONDS,
    LocalSpeakers,
    PrintedStretches,
    _parts,
)
from engine.speakers.segmentation import FRAME_SECONDS, WINDOW_FRAMES
from engine.speakers.voice_prints import LONGEST_SECONDS, VoicePrint
from tests.speakers.two_people import conversation


class Networks(LocalSpeakers):
    """Somebody speaks all the time but between two seconds of the recording; prints say how long their sound was."""

    def __init__(self, pause: tuple[float, float]) -> None:
        self._pause = pause
        self._next = 0.0
        self.looked_at: list[float] = []
        self._prints = self._print  # type: ignore[assignment]
        self._segmentation = self._segment  # type: ignore[assignment]

    def _segment(self, windows: Samples) -> np.ndarray:
        activity = np.zeros((len(windows), WINDOW_FRAMES, 3), np.float32)
        for each in activity:
            seconds = self._next + np.arange(WINDOW_FRAMES) * FRAME_SECONDS
            each[(seconds < self._pause[0]) | (seconds >= self._pause[1]), 0] = 1.0
            self._next += STEP_SECONDS
        return activity

    def _print(self, samples: Samples) -> VoicePrint:
        self.looked_at.append(len(samples) / SAMPLE_RATE_HZ)
        return np.full(192, len(self.looked_at), np.float32)


def test_a_pause_ends_a_stretch_and_each_is_looked_at_once_though_windows_overlap() -> None:
    networks = Networks((6.0, 6.5))
    windows = list(networks([np.zeros(round(20.0 * SAMPLE_RATE_HZ), np.float32)]))
    assert sum(networks.looked_at) == pytest.approx(19.5, abs=4.0), "windows four times as long as their steps"
    first = windows[0].stretches
    ends = [(each.first * FRAME_SECONDS, each.frames.stop * FRAME_SECONDS) for each in first]
    assert [end for _, end in ends] == pytest.approx([2.5, 5.0, 6.0, 10.0], abs=0.1)
    assert all(before[1] <= after[0] for before, after in pairwise(ends))
    assert [each.is_new for each in windows[1].stretches] == [False, False, False, True, True]
    assert np.array_equal(windows[1].stretches[0].voice_print, first[1].voice_print)


def test_a_print_is_found_by_the_ends_of_its_stretch() -> None:
    printed, (whole, long) = PrintedStretches(), np.eye(2, 192, dtype=np.float32)
    printed.add(1.0, 3.0, 2.0, whole)
    printed.add(5.0, 5.0 + LONGEST_SECONDS, LONGEST_SECONDS, long)
    assert printed.find(1.05, 2.95) is whole
    assert printed.find(None, 3.0) is whole, "its beginning was not heard"
    assert printed.find(1.0, 4.0) is printed.find(2.0, 3.0) is printed.find(None, 2.0) is None
    assert printed.find(5.0, 9.0) is long, "no more of it is looked at"


@pytest.mark.parametrize("start_seconds", [0.0, 2.5, 3.1])
def test_long_stretches_are_cut_at_the_same_seconds_in_each_window(start_seconds: float) -> None:
    short, long = (100, 100 + int(LONGEST_WHOLE_SECONDS / FRAME_SECONDS)), (320, 580)
    parts = list(_parts([short, long], start_seconds))
    assert parts[0] == short and len(parts) > 2
    assert parts[1][0] == long[0] and parts[-1][1] == long[1]
    for (_, end), (begin, last) in pairwise(parts[1:]):
        assert end == begin and (last - begin) * FRAME_SECONDS >= LEAST_PART_SECONDS - FRAME_SECONDS
        cut = start_seconds + begin * FRAME_SECONDS
        assert cut / STEP_SECONDS == pytest.approx(round(cut / STEP_SECONDS), abs=0.01)


def test_a_live_window_of_any_length_is_heard_and_knows_earlier_prints() -> None:
    networks, printed = LocalSpeakers(), PrintedStretches()
    samples, spoken = conversation()
    heard = []
    for end in (6.0, 9.0):
        stages = networks.stages(samples[: round(end * SAMPLE_RATE_HZ)], 0.0, printed)
        with pytest.raises(StopIteration) as ended:
            while True:
                next(stages)
        heard.append(ended.value.value)
    assert heard[0].frames < heard[1].frames < WINDOW_FRAMES
    assert any(not each.is_new for each in heard[1].stretches), "what both windows hear is looked at once"
    first = heard[1].stretches[0]
    assert first.first * FRAME_SECONDS == pytest.approx(spoken[0][0], abs=0.6)
