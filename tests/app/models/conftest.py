"""Fixtures for tests of the model page and command: a hub on this machine, and a library of the shipped models."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from tests.models.conftest import empty_library as empty_library
from tests.models.hub_server import HubServer
from tests.random_whisper import TINY, write_random_model

NARROW = {"n_audio_state": 8, "n_audio_head": 1, "n_text_state": 8, "n_text_head": 1}
TINY_EN, BASE_EN, QWEN = "openai/whisper-tiny.en", "openai/whisper-base.en", "mlx-community/Qwen3-0.6B-4bit"


@pytest.fixture(scope="session")
def whisper_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Whisper with random weights."""
    return write_random_model(tmp_path_factory.mktemp("models") / "our whisper", TINY | NARROW)


@pytest.fixture
def settings(qapp: QApplication, tmp_path: Path, hub: HubServer) -> Iterator[Settings]:
    """Usual preferences, with the hub on this machine as the mirror."""
    made = Settings(PreferencesFile(tmp_path / "settings"))
    made.alter(lambda now: replace(now, behaviour=replace(now.behaviour, mirror=hub.url)))
    made.alter(lambda now: replace(now, appearance=replace(now.appearance, details=True)))  # so that every model shows
    yield made
    delete(made)


def delete(*objects: QObject) -> None:
    """Delete at once, here: Python might do it later on the thread of a download, which Qt's objects don't survive."""
    for each in objects:
        shiboken6.delete(each)


@pytest.fixture
def hub(empty_library: Path, whisper_folder: Path) -> Iterator[HubServer]:
    """A hub with some models of the catalogue, one of which is whole, and one that is not in the catalogue."""
    whole = {path.name: path.read_bytes() for path in whisper_folder.iterdir()}
    weights = random.Random(2).randbytes(400_000)
    plain = {"config.json": b"{}", "model.safetensors": weights}
    with HubServer({TINY_EN: whole, BASE_EN: plain, QWEN: plain, "town/council": whole}) as server:
        yield server
