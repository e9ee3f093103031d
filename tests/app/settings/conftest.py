"""Fixtures for tests of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look.theme import Theme
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings import general_page
from app.settings.dialog import SettingsDialog


@pytest.fixture
def settings(tmp_path: Path, qapp: QApplication) -> Iterator[Settings]:
    made = Settings(PreferencesFile(tmp_path))
    yield made
    made.settle()


@pytest.fixture
def dialog(
    settings: Settings, qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SettingsDialog]:
    monkeypatch.setattr(general_page, "releases_address", lambda: "https://example.org/me/earshot/releases")
    settings.alter(lambda now: replace(now, appearance=replace(now.appearance, details=True)))  # so that all rows show
    theme = Theme(qapp)
    made = SettingsDialog(settings, theme, Surroundings(tmp_path))
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.close()
    made.shut_down()
    made.deleteLater()
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
