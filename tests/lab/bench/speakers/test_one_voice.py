from __future__ import annotations

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.speakers.diarization import Diarizer
from lab.bench.speakers.one_voice import labels_of, long_talk, voiceless


def test_one_voice_is_one_speaker_live_and_afterwards() -> None:
    talk = long_talk("choose", 0.5)
    assert 0.5 <= len(talk.samples) / SAMPLE_RATE_HZ / 60 < 1.0 and talk.speakers == 1
    assert all(before.end <= after.start for before, after in zip(talk.turns, talk.turns[1:], strict=False))
    assert {turn.speaker for turn in Diarizer()([talk.samples]).turns} == {0}
    assert {label.speaker for label in labels_of(talk)} <= {"Speaker 1", ""}


@pytest.mark.parametrize("name", ["silence", "music", "coughs"])
def test_a_sound_without_a_voice_has_no_speaker(name: str) -> None:
    sound = dict(voiceless(11.0))[name]
    assert len(sound) == 11 * SAMPLE_RATE_HZ and np.abs(sound).max() <= 0.3
    assert (np.sqrt(np.mean(sound**2)) > 0.005) == (name != "silence"), "loud enough to be taken for somebody"
    assert Diarizer()([sound]).turns == ()
