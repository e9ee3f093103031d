"""Voices side by side: the same sentences for each, smaller weights, and gaps in an answer's sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.metrics import WordErrors
from engine.speak.piper import PiperVoice
from engine.turns import Speech
from lab.bench.assistant import voices
from lab.bench.assistant.conversation import _Gaps
from lab.bench.assistant.smaller_voices import write_smaller
from lab.bench.assistant.voices import SpokenSentence, VoiceRow
from tests.speak.small_voices import write_piper


def test_sentences_are_the_same_for_every_voice_and_none_comes_twice() -> None:
    found = voices.sentences(80)
    assert found == voices.sentences(80) and len(set(found)) == 80
    assert voices.sentences(10) == found[:10]
    assert all(voices.LEAST_WORDS <= len(each.split()) <= voices.MOST_WORDS for each in found)


def test_ten_answers_are_written_in_a_voice(tmp_path: Path) -> None:
    voice = PiperVoice(write_piper(tmp_path / "voice"))
    written = voices.write_samples(voice, tmp_path / "answers")
    assert [path.name for path in written] == [f"piper-{number:02d}.wav" for number in range(1, 11)]
    samples, rate_hz = soundfile.read(written[0])
    assert rate_hz == voice.rate_hz and len(samples) > rate_hz


@pytest.mark.parametrize("bits", [16, 8])
def test_smaller_weights_make_nearly_the_same_sound(tmp_path: Path, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.bench.assistant.smaller_voices.LEAST_VALUES", 1)
    folder = write_piper(tmp_path / "voice")
    smaller = write_smaller(folder, tmp_path / "smaller", bits)
    one, other = (np.concatenate(list(PiperVoice(place).speak("The moon."))) for place in (folder, smaller))
    assert len(one) == len(other)
    assert 0 < np.abs(one - other).max() < 0.1 * np.abs(one).max()


def test_misheard_words_are_those_of_all_sentences() -> None:
    errors = WordErrors(1, 0, 0, 4), WordErrors(0, 0, 1, 6)
    spoken = [SpokenSentence("", 2.0 + place, 0.1, 0.5, 0.5, each) for place, each in enumerate(errors)]
    row = VoiceRow("voice", 1.0, 0.1, spoken)
    assert row.misheard == 0.2
    assert row.bound(0) is not None and row.bound(0) <= 0.2 <= row.bound(1)  # type: ignore[operator]
    assert row.share_of_sound(lambda each: each.whole_seconds) == pytest.approx(0.2)
    assert voices.figures([row]) == {"misheard_voice": 0.2, "processor_share_voice": pytest.approx(0.2)}


def test_a_gap_is_the_time_without_sound_within_an_answer() -> None:
    gaps = _Gaps()
    second = Speech(1, 0, 0, np.zeros(16_000, np.float32).tobytes(), 16_000)
    assert gaps.longest is None
    for now in (5.0, 5.5, 7.25, 8.0):  # played until 6, 7, 8.25 and 9.25
        gaps.add(second, now)
    assert gaps.longest == pytest.approx(0.25)
