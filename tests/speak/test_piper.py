"""Piper's voices: cut in two, their sound comes in chunks and is that of the whole network; what is wrong is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from engine.errors import OptionError, VoiceError
from engine.options import VoiceOptions
from engine.speak import piper
from engine.speak.choice import make_voice
from engine.speak.piper import PiperVoice
from engine.speak.voice import CHUNK_SECONDS
from tests.speak.small_voices import FRAMES_A_PHONEME, HOP, write_piper

SENTENCE = "The moon is far away, but you can see it."


def sound(voice: PiperVoice, sentence: str = SENTENCE) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.float32), *voice.speak(sentence)])


def test_what_is_decoded_in_chunks_sounds_as_if_it_were_decoded_at_once(tmp_path: Path) -> None:
    cut = sound(PiperVoice(write_piper(tmp_path / "cut")))
    whole = sound(PiperVoice(write_piper(tmp_path / "whole", whole=True)))
    assert len(cut) > (piper.FIRST_FRAMES + 2 * piper.NEXT_FRAMES) * HOP
    np.testing.assert_allclose(cut, whole, atol=1e-6)


def test_the_first_sound_needs_no_more_than_its_own_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = PiperVoice(write_piper(tmp_path))
    decoded: list[int] = []
    assert voice._decoder is not None
    run = voice._decoder.run
    monkeypatch.setattr(
        voice._decoder, "run", lambda values: decoded.append(values[voice._value].shape[-1]) or run(values)
    )
    utterance = voice.speak(SENTENCE)
    first = next(utterance)
    assert len(first) == round(CHUNK_SECONDS * voice.rate_hz)
    assert decoded == [piper.FIRST_FRAMES + piper.OVERLAP_FRAMES]
    utterance.close()
    assert list(utterance) == [] and len(decoded) == 1


def test_the_rate_changes_the_lengths_and_the_name(tmp_path: Path) -> None:
    usual, slow = (PiperVoice(write_piper(tmp_path), None, rate) for rate in (175, 140))
    assert usual.name == "piper small 175" and slow.name == "piper small 140"
    scales = [each._settings.scales[1] * piper.USUAL_WORDS_PER_MINUTE / each.words_per_minute for each in (usual, slow)]
    assert scales == [1.0, 1.25]
    assert not np.allclose(sound(usual), sound(slow))


def test_a_voice_of_several_speakers_has_them_by_name(tmp_path: Path) -> None:
    folder = write_piper(tmp_path, speakers=3)
    first, last = sound(PiperVoice(folder, "speaker1")), sound(PiperVoice(folder, "speaker2"))
    count = min(len(first), len(last))
    assert np.abs(last[:count]).max() > np.abs(first[:count]).max()
    with pytest.raises(OptionError, match=r"one of small's, not 'nobody': speaker0, speaker1, speaker2\."):
        PiperVoice(folder, "nobody")
    with pytest.raises(OptionError, match="this voice has one without a name"):
        PiperVoice(write_piper(tmp_path / "one"), "nobody")


def test_phonemes_are_written_between_pads_and_unknown_ones_left_out(tmp_path: Path) -> None:
    voice = PiperVoice(write_piper(tmp_path))
    known = voice._settings.ids
    written = [each for [each] in (known[phoneme] for phoneme in ("^", "_", "a", "_", "$"))]
    assert voice._ids("aQ").tolist() == [written]
    assert len(sound(voice, "a")) <= len(written) * FRAMES_A_PHONEME * HOP + 0.1 * voice.rate_hz


@pytest.mark.parametrize("text", ["", "…", " -- ", "\0"])
def test_nothing_to_say_is_no_sound(tmp_path: Path, text: str) -> None:
    assert list(PiperVoice(write_piper(tmp_path)).speak(text)) == []


@pytest.mark.parametrize(
    ("text", "language"), [("Guten Tag, Computer.", "de"), ("你好", "en-us"), ("\x07 [[beep]] & <b>", "en-us")]
)
def test_any_text_can_be_spoken(tmp_path: Path, text: str, language: str) -> None:
    voice = PiperVoice(write_piper(tmp_path, language))
    chunks = list(voice.speak(text))
    assert all(chunk.dtype == np.float32 and np.abs(chunk).max() <= 1 for chunk in chunks)


def test_a_network_that_fails_says_so(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match=r"small\.onnx failed: .*Choose another voice"):
        sound(PiperVoice(write_piper(tmp_path, spoilt=True)))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    folder = write_piper(tmp_path / "cut off")
    network = folder / "small.onnx"
    network.write_bytes(network.read_bytes()[:-50])
    with pytest.raises(VoiceError, match="is damaged, or no ONNX file"):
        PiperVoice(folder)
    network.write_bytes(b"")
    with pytest.raises(VoiceError, match="has 0 bytes"):
        PiperVoice(folder)
    folder = write_piper(tmp_path / "settings")
    (folder / "small.onnx.json").write_text("{}")
    with pytest.raises(VoiceError, match=r"small\.onnx\.json is damaged: KeyError"):
        PiperVoice(folder)
    settings = json.loads((write_piper(tmp_path / "letters") / "small.onnx.json").read_text())
    (tmp_path / "letters" / "small.onnx.json").write_text(json.dumps({**settings, "phoneme_type": "text"}))
    with pytest.raises(VoiceError, match="needs other phonemes"):
        PiperVoice(tmp_path / "letters")
    with pytest.raises(VoiceError, match="holds no voice of Piper's"):
        PiperVoice(tmp_path)


@pytest.mark.parametrize("scales", [{"length_scale": 1e4}, {"length_scale": 0}, {"noise_w": float("nan")}])
def test_impossible_numbers_are_refused(tmp_path: Path, scales: dict[str, float]) -> None:
    path = write_piper(tmp_path) / "small.onnx.json"
    settings = json.loads(path.read_text())
    settings["inference"] |= scales
    path.write_text(json.dumps(settings))
    with pytest.raises(VoiceError, match="its numbers are impossible"):
        PiperVoice(tmp_path)


def test_weights_in_another_file_are_not_read(tmp_path: Path) -> None:
    folder = write_piper(tmp_path)
    network = onnx.load(str(folder / "small.onnx"))
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(4096))
    first = network.graph.initializer[0]
    onnx.external_data_helper.set_external_data(first, str(secret))
    first.ClearField("raw_data")
    first.data_location = onnx.TensorProto.EXTERNAL
    (folder / "small.onnx").write_bytes(network.SerializeToString())
    with pytest.raises(VoiceError, match="in another file, which is not read"):
        PiperVoice(folder)


def test_a_network_that_reads_something_else_is_none(tmp_path: Path) -> None:
    folder = write_piper(tmp_path)
    network = onnx.load(str(folder / "small.onnx"))
    network.graph.input[0].name = "pixels"
    network.graph.node[0].input[0] = "pixels"
    onnx.save(network, str(folder / "small.onnx"))
    with pytest.raises(VoiceError, match=r"no voice of Piper's: it reads input_lengths, pixels, scales"):
        PiperVoice(folder)


def test_a_folder_is_chosen_as_a_voice(tmp_path: Path) -> None:
    voice = make_voice(VoiceOptions(str(write_piper(tmp_path, "fr"))))
    assert voice.name == "piper small 175" and voice.language == "fr"
