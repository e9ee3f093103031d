"""Names, folders and cached repositories lead to a model, or to a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.hear.whisper.files.published import PUBLISHED
from engine.models import catalogue as module
from engine.models.added_models import AddedModel, keep_added
from engine.models.catalogue import catalogue, find_model


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache, and nothing added."""
    monkeypatch.setattr("engine.models.added_models.added_path", lambda: tmp_path / "data" / "models.json")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def put_in_cache(hub: Path, repo: str) -> Path:
    """Lay a repository down as the hub's client does."""
    folder = hub / f"models--{repo.replace('/', '--')}"
    snapshot = folder / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0" * 40)
    (snapshot / "config.json").write_text("{}")
    return snapshot


STARTERS = ("starter-language", "starter-en-pt", "starter-assistant")
VOICES = [
    "starter-voice",
    "espeak",
    "kokoro",
    "piper-kristin",
    "piper-joe",
    "piper-thorsten",
    "piper-siwis",
    "piper-davefx",
]
LANGUAGE_MODELS = [
    "qwen3-0.6b",
    "qwen3-1.7b",
    "qwen3-4b",
    "qwen2.5-1.5b-gguf",
    "gemma-2-2b",
    "llama-3.2-3b",
    "tower-plus-2b",
]


def test_the_catalogue_holds_the_starters_every_published_size_language_models_and_voices() -> None:
    entries = catalogue()
    pairs = [name for name in entries if name.startswith("firefox-")]
    assert list(entries) == [
        "starter",
        "starter-speech-llama",
        *PUBLISHED,
        *STARTERS,
        *LANGUAGE_MODELS,
        *VOICES,
        *pairs,
    ]
    for name, entry in entries.items():
        assert entry.name == name
        language = "language" if name in (*STARTERS, *LANGUAGE_MODELS, *pairs) else "hearing"
        assert entry.kind == ("voice" if name in VOICES else language)
        assert entry.title and entry.languages and entry.licence and entry.memory_megabytes > 0
        assert (entry.repo is None) == (name.startswith("starter") or name == "espeak") == entry.ships
        assert (entry.download_megabytes > 0) == (entry.repo is not None)


def test_a_model_of_the_other_kind_is_refused_with_those_that_would_do() -> None:
    with pytest.raises(ModelError, match=r"starter hears; here one is needed that .*: starter-language, starter-a"):
        find_model("starter", "language")
    with pytest.raises(
        ModelError, match=r"qwen3-4b translates and answers; here .*: starter, starter-speech-llama, tiny\.en"
    ):
        find_model("qwen3-4b")


def test_a_fetched_language_model_is_found_by_name(hub: Path) -> None:
    snapshot = put_in_cache(hub, "mlx-community/Qwen3-4B-4bit")
    assert find_model("qwen3-4b", "language") == ("qwen3-4b", snapshot)


def test_a_model_that_is_not_here_says_how_to_get_it(hub: Path) -> None:
    with pytest.raises(
        ModelError, match=r"small is not on this machine. Fetch it with `earshot models get small` or under Models in"
    ):
        find_model("small")


def test_a_fetched_model_is_found_by_name_and_by_repository(hub: Path) -> None:
    snapshot = put_in_cache(hub, "openai/whisper-tiny.en")
    assert find_model("tiny.en") == ("tiny.en", snapshot)
    assert find_model("openai/whisper-tiny.en") == ("openai/whisper-tiny.en", snapshot)
    assert catalogue()["tiny"].local_folder() is None


def test_another_repository_with_the_same_weights_will_do(hub: Path) -> None:
    snapshot = put_in_cache(hub, "openai/whisper-small")
    assert find_model("small") == ("small", snapshot)


def test_a_folder_is_a_model_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(ModelError, match="There is no model in"):
        find_model(tmp_path / "mine")
    (tmp_path / "mine" / "config.json").write_text("{}")
    assert find_model(tmp_path / "mine") == ("mine", tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    assert find_model(".") == ("mine", Path("."))


def test_a_voice_without_what_belongs_to_it_is_told_as_a_voice(tmp_path: Path) -> None:
    (tmp_path / "en_US-joe-medium.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"The voice in .* is not whole: .* a file .onnx.json"):
        find_model(tmp_path, "voice")
    with pytest.raises(ModelError, match="There is no model in "):
        find_model(tmp_path, "hearing")


@pytest.mark.parametrize(
    "name", ["nonsense", "no/where", "a/b/c", "bad name/x", "/no/such/folder", "~nobody-of-that-name", ""]
)
def test_an_unknown_name_is_answered_with_the_known_ones(hub: Path, name: str) -> None:
    with pytest.raises(
        ModelError, match=r"no model called .* no such folder. Known .*: starter, starter-speech-llama, tiny.en"
    ):
        find_model(name)


def test_a_file_instead_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ModelError, match=r"is a file\. Give the folder"):
        find_model(tmp_path / "model.safetensors", "language")
    assert find_model(tmp_path / "model.safetensors") == (
        "model",
        tmp_path / "model.safetensors",
    )  # maybe whisper.cpp's


def test_a_starter_that_was_left_out_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ASSETS", tmp_path)
    with pytest.raises(ModelError, match=r"starter should be in .* Reinstall"):
        find_model("starter")
    with pytest.raises(ModelError, match=r"starter-language should be in .* Reinstall"):
        find_model("starter-language", "language")


def test_an_added_folder_is_found_by_its_name_as_long_as_it_is_there(hub: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "config.json").write_text("{}")
    keep_added((AddedModel("ours", "hearing", folder=str(mine)),))
    assert find_model("ours") == ("ours", mine)
    with pytest.raises(ModelError, match="ours hears; here one is needed that translates and answers"):
        find_model("ours", "language")
    (mine / "config.json").unlink()
    with pytest.raises(ModelError, match=r"ours is no longer in .*mine\. Add it again"):
        find_model("ours")


def test_a_list_of_added_models_that_makes_no_sense_is_none(hub: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for nonsense in ("", "[]", '{"models": 3}', '{"models": [3]}', '{"models": [{"name": 1, "kind": "hearing"}]}'):
        (tmp_path / "data" / "models.json").write_text(nonsense)
        assert module.added_models() == ()


def test_the_voice_that_ships_is_found_in_its_package() -> None:
    folder = catalogue()["espeak"].local_folder()
    assert folder is not None and (folder / "espeak-ng-data").is_dir()
    with pytest.raises(ModelError, match="espeak speaks; here one is needed that hears"):
        find_model("espeak")
