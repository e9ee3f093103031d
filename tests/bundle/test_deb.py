"""The package for Debian and Ubuntu: everything has its place, and the menu knows it."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from app.terminal.cli import make_parser
from resources.bundle.deb import write_package
from resources.bundle.desktop_files import APP_ID, MIME_TYPES, menu_entry, metainfo


def test_the_menu_entry_opens_recordings_with_earshot() -> None:
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string(menu_entry())
    entry = read["Desktop Entry"]
    assert (entry["Exec"], entry["Icon"], entry["Terminal"]) == ("earshot %f", "earshot", "false")
    assert entry["MimeType"].rstrip(";").split(";") == list(MIME_TYPES)


def test_the_actions_of_the_menu_entry_are_commands_that_there_are() -> None:
    read = configparser.ConfigParser(interpolation=None)
    read.read_string(menu_entry())
    for name in read["Desktop Entry"]["Actions"].rstrip(";").split(";"):
        program, *arguments = read[f"Desktop Action {name}"]["Exec"].split()
        assert program == "earshot"
        assert make_parser().parse_args(arguments).part == name


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="needs desktop-file-utils")
def test_the_menu_entry_is_valid(tmp_path: Path) -> None:
    (tmp_path / "earshot.desktop").write_text(menu_entry(), encoding="utf-8")
    done = subprocess.run(["desktop-file-validate", tmp_path / "earshot.desktop"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="needs appstream")
def test_the_metadata_are_valid(tmp_path: Path) -> None:
    path = tmp_path / f"{APP_ID}.metainfo.xml"
    path.write_text(metainfo("1.2.3", "2026-11-28"), encoding="utf-8")
    done = subprocess.run(["appstreamcli", "validate", "--no-net", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_a_package_holds_the_folder_the_entry_and_the_icon(tmp_path: Path) -> None:
    built = tmp_path / "earshot"
    (built / "_internal").mkdir(parents=True)
    program = built / "earshot"
    program.write_text("#!/bin/sh\necho earshot 1.2.3\n")
    program.chmod(0o755)
    package = write_package(built, tmp_path / "out", "1.2.3")
    assert package.name.startswith("earshot_1.2.3_")
    there = tmp_path / "there"
    subprocess.run(["dpkg-deb", "-x", str(package), str(there)], check=True)
    run = subprocess.run([there / "usr/bin/earshot"], capture_output=True, text=True, check=True)
    assert run.stdout == "earshot 1.2.3\n"
    assert (there / "usr/share/applications/earshot.desktop").read_text() == menu_entry()
    assert "<svg" in (there / "usr/share/icons/hicolor/scalable/apps/earshot.svg").read_text()
    assert 'version="1.2.3"' in (there / f"usr/share/metainfo/{APP_ID}.metainfo.xml").read_text()
    fields = subprocess.run(["dpkg-deb", "-f", str(package)], capture_output=True, text=True, check=True).stdout
    assert "Version: 1.2.3" in fields and "libportaudio2" in fields
