"""A history of a test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.history.archive import Archive
from app.history.schema import FILE_NAME
from app.history.store import HistoryStore
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings


@pytest.fixture
def history_path(tmp_path: Path) -> Path:
    return tmp_path / "history" / FILE_NAME


@pytest.fixture
def store(history_path: Path) -> Iterator[HistoryStore]:
    opened = HistoryStore(history_path)
    yield opened
    opened.close()


@pytest.fixture
def archive(history_path: Path, qtbot: QtBot) -> Iterator[Archive]:
    made = Archive(history_path)
    made.start()
    yield made
    made.close()


@pytest.fixture
def settings(qtbot: QtBot, tmp_path: Path) -> Iterator[Settings]:
    parent = QObject()
    yield Settings(PreferencesFile(tmp_path), parent)
    parent.deleteLater()
