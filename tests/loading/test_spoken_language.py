"""The language of speech is identified with the smallest Whisper of several languages that is on the machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.loading import spoken_language
from engine.loading.library import LibraryModel
from engine.loading.spoken_language import identify_language, smallest_of_several_languages
from tests.random_whisper import TINY, write_random_model

SPEECH = np.random.default_rng(0).normal(0, 0.1, 16_000).astype(np.float32)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> list[LibraryModel]:
    """The models of the library, none at first."""
    found: list[LibraryModel] = []
    monkeypatch.setattr(spoken_language, "library", lambda: found)
    return found


def add(models: list[LibraryModel], folder: Path, **dims: int) -> Path:
    write_random_model(folder, TINY | dims)
    models.append(LibraryModel(folder.name, "hearing", "folder", folder.name, folder=folder))
    return folder


def test_without_such_a_model_nothing_is_identified(models: list[LibraryModel], tmp_path: Path) -> None:
    add(models, tmp_path / "english", n_vocab=51864)
    models.append(LibraryModel("absent", "hearing", "hub", "Absent"))
    assert smallest_of_several_languages() is None
    assert identify_language(SPEECH) is None


def test_the_smallest_one_is_taken(models: list[LibraryModel], tmp_path: Path) -> None:
    add(models, tmp_path / "larger", n_audio_layer=3)
    small = add(models, tmp_path / "small")
    assert smallest_of_several_languages() == small


def test_a_language_counts_if_it_is_likely_enough(
    models: list[LibraryModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(models, tmp_path / "small")
    monkeypatch.setattr(spoken_language, "LEAST_PROBABILITY", 0.0)
    assert identify_language(SPEECH) is not None
    monkeypatch.setattr(spoken_language, "LEAST_PROBABILITY", 1.1)
    assert identify_language(SPEECH) is None


def test_a_damaged_model_is_passed_over(models: list[LibraryModel], tmp_path: Path) -> None:
    weights = add(models, tmp_path / "small") / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    assert identify_language(SPEECH) is None
