"""The switch that starts Earshot with the session, in and outside of a Flatpak."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QCheckBox
from pytestqt.qtbot import QtBot

from app.preferences import autostart
from app.preferences.settings import Settings
from app.settings.session_start import SessionStartRow
from tests.app.displays import HAS_BUS, session_bus
from tests.app.scripted_portal import ScriptedPortal

NAME = "org.earshot.Earshot"
NEEDS_BUS = pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")


class Desktop(ScriptedPortal):
    """A desktop that writes and removes the entry, as its user says.

    Attributes:
        allows: the user says yes.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._entry = folder / f"{NAME}.desktop"
        self.allows = True

    def receive(self, member: str, values: tuple[Any, ...]) -> None:
        _, options = values
        on = self.allows and options["autostart"][1]
        if on and self._entry.parent.is_dir():
            command = " ".join(options["commandline"][1])
            self._entry.write_text(f"[Desktop Entry]\nType=Application\nExec=flatpak run {NAME} {command}\n")
        elif not on:
            self._entry.unlink(missing_ok=True)
        results = {"background": ("b", self.allows), "autostart": ("b", on)}
        self.answer(options["handle_token"][1], 0, results)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The desktop's autostart folder, seen from within a Flatpak."""
    made = tmp_path / "host" / "autostart"
    made.mkdir(parents=True)
    monkeypatch.setattr(autostart, "_place", lambda: made / f"{NAME}.desktop")
    monkeypatch.setenv("FLATPAK_ID", NAME)
    return made


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield


@pytest.fixture
def desktop(bus: None, folder: Path, qtbot: QtBot) -> Iterator[Desktop]:
    made = Desktop(folder)
    yield made
    made.close()


@pytest.fixture
def row(settings: Settings, qtbot: QtBot) -> SessionStartRow:
    made = SessionStartRow(settings)
    qtbot.addWidget(made)
    made.show()
    return made


def switch(row: SessionStartRow) -> QCheckBox:
    assert isinstance(row.control, QCheckBox)
    return row.control


def test_outside_of_a_flatpak_the_file_is_written_at_once(row: SessionStartRow) -> None:
    switch(row).click()
    assert switch(row).isChecked() and autostart.starts_with_session()
    autostart.start_with_session(False)  # by the desktop's own settings, for example
    row.hide()
    row.show()
    assert not switch(row).isChecked()


@NEEDS_BUS
def test_in_a_flatpak_the_desktop_is_asked_and_its_answer_is_shown(
    desktop: Desktop, row: SessionStartRow, folder: Path, qtbot: QtBot
) -> None:
    switch(row).click()
    assert not switch(row).isChecked()  # until the desktop has answered
    qtbot.waitUntil(switch(row).isChecked)
    method, (window, options) = desktop.asked[0]
    assert (method, window) == ("RequestBackground", "")
    assert options["autostart"] == ("b", True) and options["reason"][1]
    assert options["commandline"] == ("as", ["earshot", "window", "--hidden"])
    assert (folder / f"{NAME}.desktop").is_file() and not row.problem
    switch(row).click()
    qtbot.waitUntil(lambda: not switch(row).isChecked())
    assert list(folder.iterdir()) == [] and not row.problem


@NEEDS_BUS
def test_a_refusal_is_told_and_the_switch_stays_off(desktop: Desktop, row: SessionStartRow, qtbot: QtBot) -> None:
    desktop.allows = False
    switch(row).click()
    qtbot.waitUntil(lambda: "does not allow it" in row.problem)
    assert not switch(row).isChecked()


@NEEDS_BUS
def test_where_the_folder_cannot_be_seen_the_newest_answer_counts(
    desktop: Desktop, row: SessionStartRow, folder: Path, qtbot: QtBot
) -> None:
    folder.rmdir()
    switch(row).click()
    qtbot.waitUntil(switch(row).isChecked)
    switch(row).click()
    qtbot.waitUntil(lambda: not switch(row).isChecked())


@NEEDS_BUS
def test_a_desktop_without_the_portal_is_told(desktop: Desktop, row: SessionStartRow, qtbot: QtBot) -> None:
    desktop.lacks = True
    switch(row).click()
    qtbot.waitUntil(lambda: "no portal" in row.problem)
    assert not switch(row).isChecked()


@NEEDS_BUS
def test_nobody_at_the_portal_is_told(bus: None, folder: Path, row: SessionStartRow, qtbot: QtBot) -> None:
    switch(row).click()
    qtbot.waitUntil(lambda: "no portal" in row.problem)


def test_a_flatpak_without_a_bus_is_told(folder: Path, row: SessionStartRow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    switch(row).click()
    assert "session bus" in row.problem and not switch(row).isChecked()
