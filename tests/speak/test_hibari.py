"""Hibari: its phonemes, its pulses and spectra by plain sums, its pieces; what is damaged is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.audio.resample import Resampler
from engine.errors import OptionError, VoiceError
from engine.models.catalogue import ASSETS
from engine.options import CaptionOptions
from engine.speak.hibari import HibariVoice, _pulses, sound_of, spelt
from engine.speak.kokoro import RATE_HZ
from tests.speak.small_voices import FRAMES_A_PHONEME, write_hibari

STARTER = ASSETS / "starter" / "voice"
HOP = 300


def sound(voice: HibariVoice, sentence: str) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.float32), *voice.speak(sentence)])


@pytest.mark.parametrize(
    ("phonemes", "wanted"),
    [
        ("wˈɔːɾɚ", "wˈɔTəɹ"),
        ("tʃˈaɪld", "ʧˈIld"),
        ("bˈɜːd", "bˈɜɹd"),
        ("fˈɜːɹi", "fˈɜɹi"),
        ("lˈɪɾəl", "lˈɪTᵊl"),
        ("dʒˈɔɪ,", "ʤˈY,"),
    ],
)
def test_phonemes_are_written_as_the_network_has_learnt_them(phonemes: str, wanted: str) -> None:
    assert spelt(phonemes) == wanted


def test_pulses_are_the_sum_of_all_harmonics_and_nothing_without_a_voice() -> None:
    pulses = _pulses(np.full(20, 500.0, np.float32))
    angles = 2 * np.pi * 500 * np.arange(1, len(pulses) + 1) / RATE_HZ
    plain = sum(np.cos(count * angles) for count in range(1, 23))
    np.testing.assert_allclose(pulses, plain, atol=1e-3)
    assert not _pulses(np.zeros(20, np.float32)).any()


def test_frames_that_change_nothing_give_the_pulses_back() -> None:
    nothing, level = np.full((601, 30), -60, np.float32), np.zeros((601, 30), np.float32)
    pitches = np.full(30, 220.0, np.float32)
    made = sound_of(level, level, nothing, nothing, level, pitches)
    np.testing.assert_allclose(made[1200:-1200] * HOP, _pulses(pitches)[1200:-1200], atol=1e-2)


def test_a_faster_voice_gives_the_network_its_speed(tmp_path: Path) -> None:
    usual, faster = (sound(HibariVoice(write_hibari(tmp_path), None, rate), "Yes.") for rate in (175, 350))
    assert 5 * FRAMES_A_PHONEME * HOP <= len(usual) <= 8 * FRAMES_A_PHONEME * HOP
    power = [np.abs(np.fft.rfft(each[:4800])) for each in (usual, faster)]
    assert [int(np.argmax(each[:60])) * 5 for each in power] == [120, 240]


def test_a_long_sentence_begins_with_its_first_clause(tmp_path: Path) -> None:
    quiet = [np.abs(chunk).max() < 1e-6 for chunk in HibariVoice(write_hibari(tmp_path)).speak(f"Well, {'on ' * 60}")]
    assert any(quiet[4:20]), "there is a pause behind the first clause"


def test_it_has_one_speaker(tmp_path: Path) -> None:
    voice = HibariVoice(write_hibari(tmp_path), None, 140)
    assert (voice.name, voice.language, voice.store_name) == ("hibari 140", "en", None)
    with pytest.raises(OptionError, match="one alone, not 'de'"):
        HibariVoice(tmp_path, "de")


def test_a_damaged_network_is_named(tmp_path: Path) -> None:
    (tmp_path / "hibari.onnx").write_bytes(b"nothing like a network")
    with pytest.raises(VoiceError, match=r"hibari\.onnx is damaged, or no ONNX file"):
        HibariVoice(tmp_path)
    with pytest.raises(VoiceError, match=r"hibari\.onnx failed: "):
        sound(HibariVoice(write_hibari(tmp_path, spoilt=True)), "Yes.")


@pytest.mark.skipif(not (STARTER / "hibari.onnx").is_file(), reason="the starter voice is not in assets/starter/voice")
def test_the_starter_hears_what_the_starter_voice_says() -> None:
    from engine.loading.ready import make_ready

    resampler = Resampler(RATE_HZ)
    said = sound(HibariVoice(STARTER), "The water comes from the hills, and goes through the town.")
    samples = np.concatenate([resampler.add(said), resampler.finish()])
    recognizer = make_ready("starter").recognizer(CaptionOptions(language="en"))
    heard = recognizer.hear(samples, offset_seconds=0.0, prompt="", language="en", final=True)
    words = "".join(word.text for word in heard.words).lower()
    assert all(word in words for word in ("water", "hills", "through", "town"))
