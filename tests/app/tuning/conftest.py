"""Fixtures for tests of the tuning panel."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine_link import command_run
from app.look.theme import Theme
from app.preferences.preferences_file import PreferencesFile
from app.preferences.settings import Settings
from app.tuning.panel import TuningPanel

Script = Callable[[str], None]


@pytest.fixture
def settings(qapp: QApplication, tmp_path: Path) -> Iterator[Settings]:
    made = Settings(PreferencesFile(tmp_path / "data"))
    yield made
    made.settle()


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    """One theme for all tests: a new one would restyle every widget."""
    return Theme(qapp)


@pytest.fixture
def panel(settings: Settings, theme: Theme, qtbot: QtBot) -> Iterator[TuningPanel]:
    """The panel, shown."""
    made = TuningPanel(settings, theme)
    made.resize(370, 900)
    made.show()
    qtbot.waitExposed(made)
    yield made
    made.shut_down()
    made.hide()
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Script:
    """Run a Python text in place of Earshot's own command, with the same arguments, in a real process: script(text)."""

    def write(text: str) -> None:
        path = tmp_path / "command.py"
        path.write_text(f"import json, sys, time\n{text}", encoding="utf-8")
        monkeypatch.setattr(command_run, "own_command", lambda: [sys.executable, str(path)])

    return write
