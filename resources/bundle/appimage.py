"""The folder that PyInstaller made as an AppImage: `python -m resources.bundle.appimage dist/earshot`.

It makes the folder that an AppImage holds, which starts by its AppRun. appimagetool packs it into one file, where it is
named or on the path. PortAudio stays the system's own, since it belongs to the system's sound.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

from resources.bundle.desktop_files import DRAWING, write_desktop_files


def write_folder(built: Path, out: Path, number: str | None = None) -> Path:
    """Write the AppDir of the folder `built` into the folder `out`; return its path."""
    made = out / "Earshot.AppDir"
    shutil.rmtree(made, ignore_errors=True)
    shutil.copytree(built, made / "usr/lib/earshot", symlinks=True)
    write_desktop_files(made / "usr", number or version("earshot"))
    (made / "earshot.desktop").symlink_to("usr/share/applications/earshot.desktop")
    shutil.copy(DRAWING, made / "earshot.svg")
    (made / ".DirIcon").symlink_to("earshot.svg")
    (made / "AppRun").symlink_to("usr/lib/earshot/earshot")
    return made


def pack(folder: Path, tool: str, number: str | None = None) -> Path:
    """Pack an AppDir into one file beside it by appimagetool; return its path."""
    machine = platform.machine()
    image = folder.parent / f"Earshot-{number or version('earshot')}-{machine}.AppImage"
    subprocess.run([tool, str(folder), str(image)], check=True, env=os.environ | {"ARCH": machine})
    return image


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m resources.bundle.appimage", description="Pack a built folder.")
    parser.add_argument("built", type=Path)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    parser.add_argument("--tool", default=shutil.which("appimagetool"), help="appimagetool, if it is not on the path")
    options = parser.parse_args()
    made = write_folder(options.built, options.out)
    print(pack(made, options.tool) if options.tool else f"{made} (appimagetool would make one file of it)")
