from __future__ import annotations

import configparser
import plistlib
import shlex
import sys
from pathlib import Path

import pytest

from app.preferences import autostart
from app.preferences.autostart import (
    _place,
    _quoted,
    is_known,
    session_command,
    start_with_session,
    starts_with_session,
)


@pytest.fixture(autouse=True)
def real_place(starts_with_no_session: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autostart, "_place", _place)


@pytest.fixture
def linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Place of the autostart entry, on a Linux with settings of the test's own."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "autostart" / "earshot.desktop"


def test_an_entry_starts_it_hidden_and_goes_again(linux: Path) -> None:
    assert not starts_with_session()
    start_with_session(True)
    assert starts_with_session()
    entry = configparser.RawConfigParser()
    entry.read(linux)
    command = shlex.split(entry["Desktop Entry"]["Exec"])
    assert command[0] == sys.executable and command[-2:] == ["window", "--hidden"]
    assert Path(entry["Desktop Entry"]["Path"], "app", "__main__.py").is_file()
    start_with_session(False)
    assert not linux.exists() and not starts_with_session()
    start_with_session(False)


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_what_the_desktop_turned_off_is_off(linux: Path, line: str) -> None:
    linux.parent.mkdir()
    linux.write_text(f"[Desktop Entry]\nExec=earshot\n{line}\n")
    assert not starts_with_session()
    linux.write_text("no entry at all")
    assert not starts_with_session()


def test_odd_paths_are_quoted_as_desktop_entries_ask_for() -> None:
    assert _quoted("/usr/bin/python3") == "/usr/bin/python3"
    assert _quoted("/home/a b/100%") == '"/home/a b/100%%"'
    assert _quoted('a"b$') == r'"a\\"b\\$"'


def test_a_mac_has_a_launch_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    start_with_session(True)
    place = tmp_path / "Library" / "LaunchAgents" / f"{autostart.LABEL}.plist"
    agent = plistlib.loads(place.read_bytes())
    assert agent["RunAtLoad"] is True and agent["ProgramArguments"][-2:] == ["window", "--hidden"]
    assert starts_with_session()
    place.write_bytes(plistlib.dumps({**agent, "Disabled": True}))
    assert not starts_with_session()
    place.write_bytes(b"damaged")
    assert not starts_with_session()


def test_in_a_flatpak_the_entry_is_the_one_that_the_portal_writes(
    linux: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLATPAK_ID", "org.earshot.Earshot")
    monkeypatch.setenv("HOST_XDG_CONFIG_HOME", str(tmp_path / "host"))
    assert not is_known()
    place = tmp_path / "host" / "autostart" / "org.earshot.Earshot.desktop"
    place.parent.mkdir(parents=True)
    assert is_known() and not starts_with_session()
    place.write_text("[Desktop Entry]\nExec=flatpak run org.earshot.Earshot window --hidden\n")
    assert starts_with_session()
    assert session_command() == ["earshot", "window", "--hidden"]


def test_an_app_image_is_started_by_its_file(linux: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("APPIMAGE", "/home/me/Earshot.AppImage")
    assert session_command() == ["/home/me/Earshot.AppImage", "window", "--hidden"]
