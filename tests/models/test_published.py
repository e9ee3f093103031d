"""Files that a publisher lists by digest are downloaded as a hub's are: resumed, checked, and with no token."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.models import download as module
from engine.models import published
from engine.models.catalogue import cached_repository, catalogue
from engine.models.download import Download
from engine.models.hub import DownloadError, Reason
from engine.models.hub_cache import is_digest, is_plain
from engine.models.published import PublishedFile, address_of
from tests.models.hub_server import COMMIT, Faults, HubServer

REPO = "some/model"
WEIGHTS, PIECES = random.Random(2).randbytes(300_000), random.Random(3).randbytes(9_000)


def listed(name: str, place: str, data: bytes) -> PublishedFile:
    return PublishedFile(name, place, len(data), hashlib.sha256(data).hexdigest())


FILES = (listed("model.ende.bin", "a1", WEIGHTS), listed("vocab.ende.spm", "b2", PIECES))


@pytest.fixture
def host(empty_library: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A host with two files under the names of a publisher; the user has a token for the hub."""
    with HubServer({REPO: {"a1": WEIGHTS, "b2": PIECES}}) as server:
        monkeypatch.setattr(published, "ATTACHMENTS", server.url)
        monkeypatch.setattr(published, "PLACE", f"{REPO}/resolve/{COMMIT}")
        monkeypatch.setattr(module, "published_files", lambda repo: FILES if repo == REPO else ())
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        yield server


def fetch() -> Path:
    return Download(REPO, "https://a.mirror.example", patience_seconds=(0.0,) * 3, silent_seconds=0.3).run()


def test_the_files_come_from_their_publisher_under_their_own_names(host: HubServer) -> None:
    folder = fetch()
    assert (folder / "model.ende.bin").read_bytes() == WEIGHTS
    assert (folder / "vocab.ende.spm").read_bytes() == PIECES
    assert cached_repository(REPO, "model.ende.bin") == folder and cached_repository(REPO) is None
    assert [asked.token for asked in host.asked] == [None, None]


def test_a_connection_that_is_cut_is_resumed(host: HubServer) -> None:
    host.faults["a1"] = Faults(times=2, cut_after=100_000)
    assert (fetch() / "model.ende.bin").read_bytes() == WEIGHTS
    assert [asked.range for asked in host.asked if asked.path.endswith("a1")] == [
        None,
        "bytes=100000-",
        "bytes=200000-",
    ]


def test_other_bytes_than_the_list_says_are_refused(host: HubServer) -> None:
    host.faults["a1"] = Faults(times=9, spoil=True)
    with pytest.raises(DownloadError, match="twice with a wrong checksum") as refused:
        fetch()
    assert refused.value.reason is Reason.DAMAGED
    assert cached_repository(REPO, "model.ende.bin") is None


def test_every_model_of_the_list_is_whole_and_plain() -> None:
    models = [entry for entry in catalogue().values() if entry.files and entry.kind == "language" and entry.pair]
    assert len(models) >= 10
    for entry in models:
        assert entry.pair is not None and entry.name == f"firefox-{'-'.join(entry.pair)}"
        assert entry.repo == f"mozilla/{entry.name}" and entry.licence == "MPL-2.0"
        names = [file.name for file in entry.files]
        assert names[0] == f"model.{''.join(entry.pair)}.intgemm.alphas.bin"
        assert [name.split(".")[0] for name in names[1:]] in (["vocab"], ["srcvocab", "trgvocab"])
        size = sum(file.size_bytes for file in entry.files)
        assert entry.download_megabytes - 1 < size / 1e6 <= entry.download_megabytes
        for file in entry.files:
            assert len(file.digest) == 64 and is_digest(file.digest) and is_plain(file.name)
            assert address_of(file).startswith("https://firefox-settings-attachments.cdn.mozilla.net/main-workspace/")


def test_every_voice_of_the_list_is_whole_and_plain() -> None:
    voices = [entry for entry in catalogue().values() if entry.files and entry.kind == "voice"]
    assert {code for entry in voices for code in entry.codes} >= {"en", "de", "fr", "es"}
    for entry in voices:
        size = sum(file.size_bytes for file in entry.files)
        assert abs(entry.download_megabytes - size / 1e6) < 1
        assert entry.sample.startswith("https://")
        for file in entry.files:
            assert len(file.digest) == 64 and is_digest(file.digest) and is_plain(file.name)
            assert address_of(file) == file.place and file.place.endswith(f"/{file.name}")


def test_a_file_with_an_address_of_its_own_comes_from_there(
    empty_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HubServer({REPO: {"voice.onnx": WEIGHTS}}) as server:
        place = f"{server.url}/{REPO}/resolve/{COMMIT}/voice.onnx"
        files = (listed("voice.onnx", place, WEIGHTS),)
        monkeypatch.setattr(module, "published_files", lambda repo: files)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        assert (fetch() / "voice.onnx").read_bytes() == WEIGHTS
        assert [asked.token for asked in server.asked] == [None]


def test_the_answering_model_of_the_list_is_whole_and_plain() -> None:
    entry = catalogue()["qwen2.5-1.5b-gguf"]
    (file,) = entry.files
    assert entry.is_gguf and round(file.size_bytes / 1e6) in (entry.download_megabytes - 1, entry.download_megabytes)
    assert len(file.digest) == 64 and is_digest(file.digest) and is_plain(file.name)
    assert address_of(file).startswith(f"https://huggingface.co/{entry.repo}/resolve/")
