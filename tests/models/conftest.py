"""Fixture for tests of models: an empty Hugging Face folder, and no added models."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def empty_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty Hugging Face folder, for a client that may ask a hub; no models but those that ship."""
    folder = tmp_path / "hub"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(folder))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr("engine.models.added_models.added_path", lambda: tmp_path / "data" / "models.json")
    for name in ("HF_ENDPOINT", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return folder
