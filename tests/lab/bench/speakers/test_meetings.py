from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from lab.bench.errors import BenchError
from lab.bench.speakers.meetings import meetings, recorded
from tests.app.scripted_hearing import write_wav


def test_a_meeting_is_the_same_each_time_and_has_the_people_it_says() -> None:
    (first, second), (again, _) = (list(meetings("choose", 2, 0.3)) for _ in range(2))
    assert np.array_equal(first.samples, again.samples) and first.turns == again.turns
    assert not np.array_equal(first.samples[:1000], second.samples[:1000])
    assert first.speakers == 2
    assert all(0 <= turn.start < turn.end <= len(first.samples) / SAMPLE_RATE_HZ for turn in first.turns)


def test_sound_is_loud_within_turns_and_quiet_between() -> None:
    (meeting,) = meetings("choose", 1, 0.3)
    spoken = np.zeros(len(meeting.samples), bool)
    for turn in meeting.turns:
        spoken[round(turn.start * SAMPLE_RATE_HZ) : round((turn.end + 0.5) * SAMPLE_RATE_HZ)] = True
    assert np.mean(meeting.samples[spoken] ** 2) > 20 * np.mean(meeting.samples[~spoken] ** 2)


def test_a_recording_comes_with_the_turns_of_its_rttm(tmp_path: Path) -> None:
    sound = write_wav(tmp_path / "call.wav", np.zeros(SAMPLE_RATE_HZ, np.float32))
    turns = tmp_path / "call.rttm"
    turns.write_text(
        "SPEAKER call 1 0.2 0.5 <NA> <NA> ann <NA> <NA>\n\nSPEAKER call 1 0.1 0.2 <NA> <NA> bob <NA> <NA>\n"
    )
    meeting = recorded(str(sound), str(turns))
    assert [(turn.start, turn.speaker) for turn in meeting.turns] == [(0.1, 1), (0.2, 0)]
    turns.write_text("SPEAKER call 1 x 0.5 <NA> <NA> ann <NA> <NA>\n")
    with pytest.raises(BenchError, match=r"call\.rttm cannot be read"):
        recorded(str(sound), str(turns))
