"""Sentences on the disk: fixed ones only, never more than there is room for, and nothing depends on them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from engine.answer.fixed import is_fixed
from engine.answer.tools.outcomes import ToolOutcome, words_of
from engine.speak.ahead import SpeechAhead
from engine.speak.kept_speech import KeptSpeech
from engine.speak.piper import PiperVoice
from tests.speak.scripted_voice import RATE_HZ, ScriptedVoice
from tests.speak.small_voices import write_piper

SENTENCE = "Captions are on."


def kept(folder: Path, most_bytes: int = 10**6) -> KeptSpeech:
    return KeptSpeech(lambda sentence: sentence.startswith("Captions"), folder, most_bytes)


def slow_voice(name: str = "slow") -> ScriptedVoice:
    voice = ScriptedVoice(name=name)
    voice.store_name = name
    return voice


def sound(ahead: SpeechAhead, sentence: str) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.float32), *ahead.speak(sentence)])


def test_a_fixed_sentence_is_made_once_for_all_conversations(tmp_path: Path) -> None:
    first, second = slow_voice(), slow_voice()
    made = sound(SpeechAhead(first, kept(tmp_path)), SENTENCE)
    again = sound(SpeechAhead(second, kept(tmp_path)), SENTENCE)
    assert first.begun == [SENTENCE] and second.begun == []
    assert len(again) == pytest.approx(len(made), abs=0.03 * RATE_HZ)
    middle = slice(200, len(made) // 2)  # both ends are faded again
    np.testing.assert_allclose(again[middle], made[middle], atol=1e-3)


def test_what_is_not_fixed_leaves_no_trace(tmp_path: Path) -> None:
    sound(SpeechAhead(slow_voice(), kept(tmp_path)), "Your timer for the cake is over.")
    assert list(tmp_path.iterdir()) == []


def test_a_part_of_a_sentence_is_not_kept(tmp_path: Path) -> None:
    ahead = SpeechAhead(slow_voice(), kept(tmp_path))
    ahead.prepare(SENTENCE)
    next(ahead.speak(SENTENCE))
    ahead.close()
    assert list(tmp_path.iterdir()) == []


def test_a_quick_voice_keeps_nothing(tmp_path: Path) -> None:
    sound(SpeechAhead(ScriptedVoice(), kept(tmp_path)), SENTENCE)
    assert list(tmp_path.iterdir()) == []


def test_another_voice_is_other_sound_even_of_the_same_name(tmp_path: Path) -> None:
    one, other = (PiperVoice(write_piper(tmp_path / str(speakers), speakers=speakers)) for speakers in (1, 2))
    assert one.name == other.name and one.store_name != other.store_name
    same = PiperVoice(write_piper(tmp_path / "same"))
    assert one.store_name == same.store_name


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    store = kept(tmp_path, 90_000)
    for number in range(3):
        store.keep("slow", f"Captions {number}", np.random.default_rng(number).uniform(-1, 1, 20_000), 16_000)
        for place, file in enumerate(sorted(tmp_path.glob("*.flac"), key=lambda file: file.stat().st_mtime)):
            os.utime(file, (place + 1, place + 1))
        store.get("slow", "Captions 0")
    assert store.get("slow", "Captions 0") is not None
    assert store.get("slow", "Captions 1") is None
    assert store.get("slow", "Captions 2") is not None
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 90_000


def test_a_damaged_file_or_a_folder_that_cannot_be_written_harms_nothing(tmp_path: Path) -> None:
    sound(SpeechAhead(slow_voice(), kept(tmp_path)), SENTENCE)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"nothing")
    voice = slow_voice()
    assert len(sound(SpeechAhead(voice, kept(tmp_path)), SENTENCE)) > RATE_HZ
    assert voice.begun == [SENTENCE]
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert len(sound(SpeechAhead(slow_voice(), kept(blocked / "speech")), SENTENCE)) > RATE_HZ


def test_fixed_are_answers_that_tell_nothing_of_who_asked() -> None:
    assert is_fixed(words_of(ToolOutcome("captions_started"), "de")[0])
    assert is_fixed("Earshot is an app for live captions and live translation.")
    assert not is_fixed("It is ten o'clock.")
    assert not is_fixed("Please call 911 now.")
