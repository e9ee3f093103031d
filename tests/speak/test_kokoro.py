"""Kokoro: its phonemes, its pieces, its sound that is computed elsewhere; what is missing is said."""

from __future__ import annotations

import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from engine.errors import OptionError, VoiceError
from engine.speak.kokoro import MOST_PHONEMES, RATE_HZ, KokoroVoice, read_vocabulary
from tests.speak.small_voices import write_kokoro


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_kokoro(tmp_path)


def sound(voice: KokoroVoice, sentence: str) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.float32), *voice.speak(sentence)])


def test_it_speaks_with_a_speaker_of_the_language(folder: Path) -> None:
    assert KokoroVoice(folder).name == "kokoro af_heart 175"
    assert KokoroVoice(folder, language="fr").name == "kokoro ff_siwis 175"
    assert KokoroVoice(folder, language="fr").language == "fr"
    assert KokoroVoice(folder, "bf_emma", 140).name == "kokoro bf_emma 140"
    assert KokoroVoice(folder, language="de").language == "en", "no speaker of it: another one"


def test_it_speaks_languages_that_no_request_may_have(folder: Path) -> None:
    file = folder / "voices.safetensors"
    save_file({**load_file(file), "pf_dora": load_file(file)["af_heart"]}, file)
    assert KokoroVoice(folder, language="pt").name == "kokoro pf_dora 175"


@pytest.mark.parametrize("speaker", ["jf_alpha", "nobody"])
def test_a_speaker_that_is_not_there_is_refused_with_those_that_are(folder: Path, speaker: str) -> None:
    with pytest.raises(OptionError, match=r"one of Kokoro's, not .*: af_heart, bf_emma, ff_siwis\."):
        KokoroVoice(folder, speaker)


def test_its_sound_is_as_long_as_its_phonemes(folder: Path) -> None:
    assert 5 * 600 <= len(sound(KokoroVoice(folder), "Yes.")) <= 8 * 600


def test_a_long_sentence_begins_with_its_first_clause(folder: Path) -> None:
    long = "Well, " + "this goes on and on " * 12 + "until it ends."
    utterance = KokoroVoice(folder).speak(long)
    quiet, loud = [], 0
    for chunk in utterance:
        if len(chunk):
            quiet.append(bool(np.abs(chunk).max() < 1e-6))
            loud += len(chunk)
    assert loud > 100 * 600
    assert any(quiet[3:12]), "there is a pause behind the first clause"


def test_a_clause_that_is_too_long_is_cut(folder: Path) -> None:
    assert len(sound(KokoroVoice(folder), "on and " * 200)) > MOST_PHONEMES * 600


def test_while_it_is_computed_there_are_empty_chunks_and_giving_up_ends_the_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    voice = KokoroVoice(folder)
    go_on = threading.Event()
    run = voice._network.run
    monkeypatch.setattr(voice._network, "run", lambda *values: go_on.wait(60) and run(*values))
    utterance = voice.speak("Yes, of course.")
    assert len(next(utterance)) == 0 and len(next(utterance)) == 0
    go_on.set()
    utterance.close()
    assert not any(thread.name == "voice" for thread in threading.enumerate())
    assert len(sound(voice, "Yes.")) > 0


@pytest.mark.parametrize("text", ["", "…", " -- "])
def test_nothing_to_say_is_no_sound(folder: Path, text: str) -> None:
    assert list(KokoroVoice(folder).speak(text)) == []


def test_a_network_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="Kokoro failed: "):
        sound(KokoroVoice(write_kokoro(tmp_path, spoilt=True)), "Yes.")


def test_voices_of_numpy_are_read_too(folder: Path) -> None:
    before = sound(KokoroVoice(folder), "Yes.")
    (folder / "voices.safetensors").unlink()
    styles = np.arange(1, 511, dtype=np.float32)[:, None, None] * np.ones((1, 1, 256), np.float32) / 510
    with (folder / "voices-v1.0.bin").open("wb") as file:
        np.savez(file, af_heart=styles)
    np.testing.assert_allclose(sound(KokoroVoice(folder), "Yes."), before, atol=1e-6)


def test_objects_in_a_file_of_voices_are_not_unpacked(folder: Path) -> None:
    (folder / "voices.safetensors").unlink()
    with (folder / "voices.bin").open("wb") as file:
        np.savez(file, af_heart=np.array([{"a": 1}], dtype=object))
    with pytest.raises(VoiceError, match=r"voices\.bin is damaged"):
        KokoroVoice(folder)


def test_what_is_missing_or_damaged_is_said(folder: Path) -> None:
    (folder / "voices.safetensors").write_bytes(b"nothing")
    with pytest.raises(VoiceError, match=r"voices\.safetensors is damaged"):
        KokoroVoice(folder)
    (folder / "voices.safetensors").unlink()
    with pytest.raises(VoiceError, match=r"holds no voices\*\.bin"):
        KokoroVoice(folder)
    with zipfile.ZipFile(folder / "voices.bin", "w") as archive:
        archive.writestr("zf_xiaobei.npy", b"")
    with pytest.raises(VoiceError, match="no voices of Kokoro's"):
        KokoroVoice(folder)


def test_theread_vocabulary_of_version_1_is_built_in_and_a_folder_may_have_its_own(folder: Path) -> None:
    known = read_vocabulary(folder)
    assert len(known) == 114 and known["ə"] == 83 and len(set(known.values())) == 114
    (folder / "vocab.json").write_text('{"vocab": {"a": 3}}')
    assert read_vocabulary(folder) == {"a": 3}
    (folder / "vocab.json").write_text("[]")
    with pytest.raises(VoiceError, match=r"vocab\.json is damaged"):
        read_vocabulary(folder)


def test_the_rate_is_that_of_the_network(folder: Path) -> None:
    assert KokoroVoice(folder).rate_hz == RATE_HZ
