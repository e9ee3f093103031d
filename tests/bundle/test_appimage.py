"""The AppImage's folder starts by its AppRun, and a tool that is given makes one file of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from resources.bundle.appimage import pack, write_folder
from resources.bundle.desktop_files import APP_ID


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "earshot"
    (built / "_internal").mkdir(parents=True)
    program = built / "earshot"
    program.write_text('#!/bin/sh\necho "earshot $@"\nls "$(dirname "$(readlink -f "$0")")"\n')
    program.chmod(0o755)
    return write_folder(built, tmp_path / "out", "1.2.3")


def test_it_starts_wherever_it_is_mounted(folder: Path, tmp_path: Path) -> None:
    moved = folder.rename(tmp_path / "mounted here")
    run = subprocess.run([moved / "AppRun", "window", "--hidden"], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["earshot window --hidden", "_internal", "earshot"]


def test_what_an_app_image_asks_for_is_there(folder: Path) -> None:
    """Its specification: one menu entry and its icon at the top, the rest as in a system."""
    assert [each.name for each in folder.glob("*.desktop")] == ["earshot.desktop"]
    assert "Icon=earshot\n" in (folder / "earshot.desktop").read_text()
    assert "<svg" in (folder / "earshot.svg").read_text() and "<svg" in (folder / ".DirIcon").read_text()
    assert (folder / f"usr/share/metainfo/{APP_ID}.metainfo.xml").is_file()


def test_a_tool_packs_it_into_one_file_that_has_the_version(folder: Path, tmp_path: Path) -> None:
    tool = tmp_path / "appimagetool"
    tool.write_text('#!/bin/sh\n[ -x "$1/AppRun" ] && echo "$ARCH" > "$2"\n')
    tool.chmod(0o755)
    image = pack(folder, str(tool), "1.2.3")
    machine = image.read_text().strip()
    assert image.name == f"Earshot-1.2.3-{machine}.AppImage" and machine
