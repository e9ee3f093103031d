"""Kokoro: what is missing is said with the way to get it; its phonemes; its sound where mlx-audio is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.errors import OptionError, VoiceError
from engine.options import VoiceOptions
from engine.speak import kokoro
from engine.speak.choice import make_voice
from engine.speak.espeak_library import espeak_library
from engine.speak.kokoro import MOST_PHONEMES, KokoroVoice

VOCABULARY = set(';:,.!?—…"() abdefhijklmnopqrstuvwxyzæɑɐɒɔəɚɛɜɡɪŋɹʃʊʌʒθðˈˌːɾᵻ')


class Reader:
    """In the place of the model: notes phonemes and makes as many milliseconds of sound."""

    sample_rate = 24_000
    vocab = dict.fromkeys(VOCABULARY, 1)

    def __init__(self) -> None:
        self.read: list[tuple[str, float, float]] = []
        self.broken = False

    def parameters(self) -> dict[str, Any]:
        return {}

    def __call__(self, phonemes: str, style: Any, speed: float) -> np.ndarray:
        if self.broken:
            raise ValueError("[conv] shapes do not match")
        self.read.append((phonemes, float(style[0, 0]), speed))
        return np.full((1, 24 * len(phonemes)), 2.0, np.float32)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    utils = ModuleType("mlx_audio.tts.utils")
    utils.load_model = lambda folder: made  # type: ignore[attr-defined]
    for name, module in (
        ("mlx_audio", ModuleType("mlx_audio")),
        ("mlx_audio.tts", ModuleType("tts")),
        ("mlx_audio.tts.utils", utils),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    from safetensors.numpy import save_file

    (tmp_path / "voices").mkdir()
    styles = np.arange(510, dtype=np.float32)[:, None, None] * np.ones((1, 1, 256), np.float32)
    for speaker in ("af_heart", "bf_emma", "jf_alpha"):
        save_file({"voice": styles}, tmp_path / "voices" / f"{speaker}.safetensors")
    return tmp_path


def test_without_mlx_audio_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlx_audio", None)
    with pytest.raises(VoiceError, match="uv sync --extra kokoro"):
        make_voice(VoiceOptions(voice="kokoro"))


def test_without_the_model_it_says_what_to_fetch(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kokoro, "cached_repository", lambda name: None)
    with pytest.raises(VoiceError, match="earshot models get kokoro"):
        make_voice(VoiceOptions(voice="kokoro"))


def test_a_folder_without_voices_is_a_sentence(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="holds no voices"):
        KokoroVoice(folder=tmp_path)


def test_damaged_weights_are_a_sentence(reader: Reader, folder: Path) -> None:
    (folder / "voices" / "af_heart.safetensors").write_bytes(b"no tensors")
    with pytest.raises(VoiceError, match="cannot be loaded"):
        KokoroVoice(folder=folder)


@pytest.mark.parametrize("speaker", ["nobody", "jf_alpha", "../af_heart"])
def test_an_unknown_speaker_is_answered_with_those_there_are(speaker: str, reader: Reader, folder: Path) -> None:
    with pytest.raises(OptionError, match=r"one of Kokoro's voices, not .*: af_heart, bf_emma\."):
        KokoroVoice(speaker, folder=folder)


def test_it_reads_phonemes_with_stress_and_punctuation(reader: Reader, folder: Path) -> None:
    voice = KokoroVoice(None, 350, folder)
    chunks = list(voice.speak("Hello there, friend. Is it you?"))
    phonemes, style, speed = reader.read[0]
    assert [mark for mark in phonemes if mark in ",.?"] == [",", ".", "?"]
    assert phonemes.startswith("həlˈoʊ")
    assert style == len(phonemes) - 1  # the style is that for so many phonemes
    assert speed == 2
    assert len(np.concatenate(chunks)) == 24 * len(phonemes)
    assert np.concatenate(chunks).max() == 1  # within range


def test_speakers_have_their_languages(reader: Reader, folder: Path) -> None:
    for speaker in ("af_heart", "bf_emma"):
        list(KokoroVoice(speaker, folder=folder).speak("dance"))
    assert reader.read[0][0] != reader.read[1][0]


def test_long_texts_are_read_in_pieces(reader: Reader, folder: Path) -> None:
    utterance = KokoroVoice(folder=folder).speak("Well, this goes on and on, " * 60)
    next(utterance)
    assert len(reader.read) == 1
    list(utterance)
    assert len(reader.read) > 2
    assert max(len(phonemes) for phonemes, _, _ in reader.read) <= MOST_PHONEMES


@pytest.mark.parametrize("text", ["", "...", "\0", "?!"])
def test_nothing_to_say_reads_nothing(text: str, reader: Reader, folder: Path) -> None:
    assert list(KokoroVoice(folder=folder).speak(text)) == []
    assert reader.read == []


def test_a_failure_in_the_middle_is_a_sentence(reader: Reader, folder: Path) -> None:
    utterance = KokoroVoice(folder=folder).speak("Well, this goes on, " * 60)
    next(utterance)
    reader.broken = True
    with pytest.raises(VoiceError, match="Kokoro failed: ValueError"):
        list(utterance)


def test_clauses_and_their_phonemes_cover_the_text() -> None:
    text = "Sure, it is 3.14. Dr. Smith said: “Zażółć!” Yes?"
    clauses = espeak_library().phonemes(text, "en-us")
    assert "".join(clause for clause, _ in clauses) == text
    assert all(phonemes for _, phonemes in clauses)
    assert espeak_library().phonemes("", "en-us") == [("", "")]
