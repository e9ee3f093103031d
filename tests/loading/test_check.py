"""Folders are told apart, and what is wrong with one is said before it is taken for a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.loading.check import check_model
from engine.models.catalogue import catalogue
from tests.language_models import write_language_model
from tests.random_speech_llama import write_random_speech_llama
from tests.random_whisper import write_random_model
from tests.speak.small_voices import write_kokoro, write_piper


@pytest.mark.parametrize(
    ("name", "kind"),
    [("starter", "hearing"), ("starter-speech-llama", "hearing"), ("starter-language", "language")],
)
def test_the_starters_pass(name: str, kind: str) -> None:
    folder = catalogue()[name].local_folder()
    if folder is None:
        pytest.skip("the starter model is not in this checkout")
    assert check_model(folder) == kind


def test_every_kind_is_known_by_its_configuration(tmp_path: Path) -> None:
    assert check_model(write_random_model(tmp_path / "whisper")) == "hearing"
    assert check_model(write_random_speech_llama(tmp_path / "llama")) == "hearing"
    assert check_model(write_language_model(tmp_path / "qwen")) == "language"
    assert check_model(write_kokoro(tmp_path / "kokoro")) == "voice"
    assert check_model(write_piper(tmp_path / "piper")) == "voice"


def test_a_voice_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    folder = write_piper(tmp_path / "piper")
    (folder / "small.onnx").write_bytes((folder / "small.onnx").read_bytes()[:-100])
    with pytest.raises(ModelError, match="is damaged, or no ONNX file"):
        check_model(folder)
    folder = write_kokoro(tmp_path / "kokoro")
    (folder / "voices.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="is damaged"):
        check_model(folder)


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no folder"):
        check_model(tmp_path / "nothing")
    with pytest.raises(ModelError, match="There is no model in"):
        check_model(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"is a file\. Give the folder"):
        check_model(tmp_path / "model.safetensors")


def test_a_damaged_or_foreign_model_is_refused(tmp_path: Path) -> None:
    whisper = write_random_model(tmp_path / "whisper")
    weights = whisper / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(ModelError, match="is cut off"):
        check_model(whisper)
    weights.rename(whisper / "weights.npz")
    with pytest.raises(ModelError, match=r"its weights as weights\.npz\. Earshot reads safetensors instead"):
        check_model(whisper)
    language = write_language_model(tmp_path / "language")
    config = json.loads((language / "config.json").read_text())
    (language / "config.json").write_text(json.dumps({**config, "model_type": "mamba3000"}))
    with pytest.raises(ModelError, match="which mlx-lm does not know"):
        check_model(language)
    (language / "config.json").write_text(json.dumps({**config, "model_file": "evil.py"}))
    with pytest.raises(ModelError, match="asks to run a program of its own"):
        check_model(language)
    (language / "config.json").write_text(json.dumps(config))
    (language / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        check_model(language)
