"""The assistant's speech in a sound file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.history.export.formats import ExportError
from app.terminal.speech_file import LONGEST_PAUSE_SECONDS, SpeechFile, check_speech_file
from engine.errors import OptionError
from engine.turns import Speech

RATE_HZ = 1000


def sound(turn: int, seconds: float, level: float) -> Speech:
    return Speech(turn, 0, 0, np.full(round(seconds * RATE_HZ), level, np.float32).tobytes(), RATE_HZ)


def written(file: SpeechFile) -> list[tuple[float, float]]:
    """Write the file and read it: what is heard for how long, as (level, seconds)."""
    file.write()
    samples, rate_hz = soundfile.read(file.path)
    assert rate_hz == RATE_HZ
    edges = np.flatnonzero(np.diff(samples, prepend=np.nan, append=np.nan))
    return [(round(float(samples[begin]), 2), (end - begin) / RATE_HZ) for begin, end in pairwise(edges)]


@pytest.fixture
def file(tmp_path: Path) -> SpeechFile:
    return SpeechFile(tmp_path / "speech.wav")


def test_sound_that_comes_early_is_heard_without_a_gap(file: SpeechFile) -> None:
    for arrived, level in ((1.0, 0.1), (1.01, 0.2), (1.02, 0.3)):
        file.add(sound(1, 0.05, level), arrived)
    assert written(file) == [(0.1, 0.05), (0.2, 0.05), (0.3, 0.05)]


def test_the_silence_before_a_late_sentence_is_kept_as_far_as_anybody_wants_to_hear_it(file: SpeechFile) -> None:
    for arrived, level in ((1.0, 0.1), (1.25, 0.2), (9.0, 0.3)):
        file.add(sound(1, 0.05, level), arrived)
    assert written(file) == [(0.1, 0.05), (0.0, 0.2), (0.2, 0.05), (0.0, LONGEST_PAUSE_SECONDS), (0.3, 0.05)]


def test_a_pause_parts_two_replies_even_where_the_second_is_made_at_once(file: SpeechFile) -> None:
    file.add(sound(1, 0.05, 0.1), 0.0)
    file.begin()
    file.add(sound(2, 0.05, 0.2), 0.0)
    file.add(sound(2, 0.05, 0.3), 0.0)
    assert written(file) == [(0.1, 0.05), (0.0, LONGEST_PAUSE_SECONDS), (0.2, 0.05), (0.3, 0.05)]


def test_what_was_not_heard_before_an_interruption_is_not_written(file: SpeechFile) -> None:
    for level in (0.1, 0.2, 0.3):
        file.add(sound(1, 0.05, level), 1.0)
    file.cut(1.07)
    file.add(sound(1, 0.05, 0.4), 1.2)
    assert written(file) == [(0.1, 0.05), (0.2, 0.02), (0.0, 0.13), (0.4, 0.05)]


def test_after_a_cut_before_everything_there_is_no_sound(file: SpeechFile) -> None:
    assert not file.has_sound
    file.add(sound(1, 0.0, 0.1), 1.0)
    assert not file.has_sound
    file.add(sound(1, 0.05, 0.1), 1.0)
    assert file.has_sound
    file.cut(0.5)
    assert not file.has_sound


def test_a_cut_after_everything_takes_nothing(file: SpeechFile) -> None:
    file.add(sound(1, 0.05, 0.1), 1.0)
    file.cut(5.0)
    assert written(file) == [(0.1, 0.05)]


def test_an_old_file_stays_where_the_new_one_cannot_be_written(file: SpeechFile, tmp_path: Path) -> None:
    file.path.write_text("old")
    lost = SpeechFile(tmp_path / "gone" / "speech.wav")
    lost.add(sound(1, 0.05, 0.1), 0.0)
    with pytest.raises(ExportError, match="Cannot write"):
        lost.write()
    assert file.path.read_text() == "old"


def test_a_file_that_could_not_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    check_speech_file(tmp_path / "speech.WAV")
    with pytest.raises(OptionError, match=r"must end in \.wav"):
        check_speech_file(tmp_path / "speech.mp3")
    with pytest.raises(ExportError, match="does not exist"):
        check_speech_file(tmp_path / "gone" / "speech.wav")
    (tmp_path / "folder.wav").mkdir()
    with pytest.raises(ExportError, match="it is a folder"):
        check_speech_file(tmp_path / "folder.wav")
