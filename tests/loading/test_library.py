"""The library knows what is here and what it takes; models come into it and leave it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ModelError
from engine.loading.library import (
    _whisper_like,
    add_folder,
    add_repository,
    discard_download,
    fit,
    library,
    library_model,
    memory_megabytes,
    remove_model,
    repository_of,
)
from engine.models.added_models import added_models
from engine.models.catalogue import find_model
from engine.models.download import Download
from engine.models.hub import DownloadError
from engine.models.hub_cache import CachedRepository
from tests.models.hub_server import Faults, HubServer
from tests.random_whisper import TINY, write_random_model
from tests.weights.other_formats import plain_weights, write_ctranslate2, write_ggml

REPO = "openai/whisper-tiny.en"
WEIGHTS = bytes(100_000)
FILES = {"config.json": b"{}", "model.safetensors": WEIGHTS}

pytestmark = pytest.mark.usefixtures("empty_library")


@pytest.fixture(scope="module")
def whisper_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = write_random_model(tmp_path_factory.mktemp("whisper"), TINY | {"n_audio_state": 8, "n_text_state": 8})
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def fetch(repo: str, files: dict[str, bytes], fault: Faults | None = None) -> None:
    with HubServer({repo: files}, {"model.safetensors": fault} if fault else {}) as hub:
        Download(repo, hub.url, patience_seconds=()).run()


def test_what_ships_is_here_and_all_else_is_not() -> None:
    models = {model.name: model for model in library()}
    assert {name for name, model in models.items() if model.installed} == {
        name for name, model in models.items() if model.source == "ships"
    }
    assert models["starter"].disk_bytes == 0
    assert models["kokoro"].kind == "voice" and models["espeak"].installed


def test_a_fetched_model_is_here_with_its_size_and_free_again_once_removed() -> None:
    fetch(REPO, FILES)
    model = library_model("tiny.en")
    assert model.installed and model.source == "hub"
    assert len(WEIGHTS) < model.disk_bytes < len(WEIGHTS) + 2000
    assert remove_model("tiny.en") == model.disk_bytes
    assert not library_model("tiny.en").installed
    assert not CachedRepository(REPO).folder.exists()


def test_removing_a_model_removes_every_repository_of_its_weights_and_no_other() -> None:
    fetch("openai/whisper-tiny", FILES)
    fetch("mlx-community/whisper-tiny-asr-fp16", FILES)
    fetch("openai/whisper-base", FILES)
    assert remove_model("tiny") > 2 * len(WEIGHTS)
    assert library_model("tiny").folder is None and library_model("base").installed


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("starter", "came with Earshot and stays"),
        ("espeak", "came with Earshot and stays"),
        ("tiny.en", "is not on this machine"),
        ("nonsense", "no model called 'nonsense'"),
    ],
)
def test_what_cannot_be_removed_is_said(name: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        remove_model(name)


def test_a_download_that_was_begun_is_known_and_can_be_given_up() -> None:
    with pytest.raises(DownloadError):
        fetch(REPO, FILES, Faults(times=9, cut_after=40_000))
    model = library_model("tiny.en")
    assert not model.installed and model.folder is None
    assert model.fetched_bytes == 40_000 + 2 and model.unfinished_bytes == len(WEIGHTS) + 2
    discard_download(REPO)
    assert library_model("tiny.en").unfinished_bytes == 0
    assert not CachedRepository(REPO).folder.exists()


def test_a_snapshot_without_weights_is_no_installed_model(empty_library: Path) -> None:
    fetch(REPO, FILES)
    folder = library_model("tiny.en").folder
    assert folder is not None
    (folder / "model.safetensors").unlink()
    assert library_model("tiny.en").problem == "no weights"
    (folder / "model.safetensors").symlink_to("nowhere")
    assert library_model("tiny.en").problem == "no weights"
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(b"")
    model = library_model("tiny.en")
    assert model.problem == "unread weights" and not model.installed


def test_a_folder_is_checked_named_and_forgotten_but_never_touched(tmp_path: Path) -> None:
    folder = write_random_model(tmp_path / "ours")
    added = add_folder(folder)
    assert (added.name, added.kind) == ("ours", "hearing")
    model = library_model("ours")
    assert model.installed and model.source == "folder" and model.memory_megabytes > 0
    assert find_model("ours") == ("ours", folder)
    assert add_folder(folder) == added and len(added_models()) == 1
    assert remove_model("ours") == 0
    assert (folder / "model.safetensors").is_file() and not added_models()


def test_a_file_of_whisper_cpps_is_a_model_of_the_library(tmp_path: Path) -> None:
    dims, weights = plain_weights(write_random_model(tmp_path / "random", TINY | {"n_audio_ctx": 100}))
    file = write_ggml(tmp_path / "ggml-base.en-q5_1.bin", weights, dims, "q5_1")
    added = add_folder(file)
    assert (added.name, added.kind, added.folder) == ("ggml-base.en-q5_1", "hearing", str(file))
    assert library_model(added.name).installed and library_model(added.name).memory_megabytes > 0
    assert find_model(added.name) == (added.name, file)
    file.unlink()
    assert library_model(added.name).problem == "gone"


def test_a_folder_of_faster_whispers_is_a_model_of_the_library(tmp_path: Path) -> None:
    dims, weights = plain_weights(write_random_model(tmp_path / "random", TINY | {"n_audio_ctx": 100}))
    added = add_folder(write_ctranslate2(tmp_path / "faster", weights, dims, "int8"))
    assert (added.name, added.kind) == ("faster", "hearing")
    assert library_model("faster").installed
    (tmp_path / "faster" / "model.bin").write_bytes(b"PK\x03\x04 pickles")
    assert library_model("faster").problem == "unread weights"


def test_a_folder_that_is_gone_stays_in_the_list_and_can_be_forgotten(tmp_path: Path) -> None:
    folder = write_random_model(tmp_path / "ours")
    add_folder(folder, "mine")
    (folder / "config.json").unlink()
    model = library_model("mine")
    assert model.problem == "gone" and not model.installed
    remove_model("mine")
    assert not added_models()


def test_a_name_is_given_once(tmp_path: Path) -> None:
    first, second = write_random_model(tmp_path / "a" / "ours"), write_random_model(tmp_path / "b" / "ours")
    add_folder(first)
    with pytest.raises(ModelError, match=r"called 'ours' already\. Give another name"):
        add_folder(second)
    with pytest.raises(ModelError, match="called 'starter' already"):
        add_folder(second, "starter")
    assert add_folder(second, "others").name == "others"


def test_a_fetched_repository_is_taken_in_after_a_check(whisper_files: dict[str, bytes]) -> None:
    fetch("town/council", whisper_files)
    assert add_repository("town/council").name == "council"
    model = library_model("council")
    assert (model.kind, model.source, model.repo) == ("hearing", "hub", "town/council")
    assert repository_of("council") == "town/council"
    assert remove_model("council") > 0 and not added_models()
    assert not CachedRepository("town/council").folder.exists()


def test_a_repository_of_the_catalogue_is_there_under_its_name(whisper_files: dict[str, bytes]) -> None:
    fetch("openai/whisper-tiny", whisper_files)
    assert add_repository("openai/whisper-tiny").name == "tiny"
    assert not added_models()


def test_a_fetched_repository_that_is_no_model_is_refused() -> None:
    fetch("town/council", {"config.json": b"{}", "model.safetensors": WEIGHTS})
    with pytest.raises(ModelError, match="names no model_type"):
        add_repository("town/council")
    with pytest.raises(ModelError, match=r"is not on this machine\. Fetch it with `earshot models get some/other`"):
        add_repository("some/other")


def test_a_list_that_cannot_be_saved_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")
    with pytest.raises(ModelError, match="list of added models cannot be saved in"):
        add_folder(write_random_model(tmp_path / "ours"))


@pytest.mark.parametrize(
    ("name", "words"),
    [("starter", "nothing to fetch"), ("nonsense", "Known are tiny.en, .*openai/whisper-small"), ("a/b/c", "no model")],
)
def test_what_cannot_be_fetched_is_said(name: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        repository_of(name)
    assert repository_of("tiny.en") == REPO and repository_of("some/model") == "some/model"


def test_models_fit_this_machines_memory_or_do_not() -> None:
    assert memory_megabytes() > 500
    model = replace(library_model("tiny.en"), memory_megabytes=4000)
    assert [fit(model, memory) for memory in (16_000, 6000, 4000)] == ["well", "barely", "not"]


def test_a_copy_of_a_published_whisper_has_its_languages_and_memory(tmp_path: Path) -> None:
    shape = {"n_text_state": 512, "n_text_layer": 6, "n_vocab": 51865, "model_type": "whisper"}
    folder = tmp_path / "whisper-base"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(shape))
    base = library_model("base")
    like = _whisper_like(folder)
    assert like is not None and (like.name, like.languages) == ("base", base.languages)
    (folder / "config.json").write_text(json.dumps(shape | {"n_vocab": 51864}))
    like = _whisper_like(folder)
    assert like is not None and (like.name, like.languages) == ("base.en", "English")
    (folder / "config.json").write_text(json.dumps(shape | {"n_text_state": 500}))
    assert _whisper_like(folder) is None
    (folder / "config.json").write_text("{")
    assert _whisper_like(folder) is None
