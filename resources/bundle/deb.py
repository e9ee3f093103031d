"""The folder that PyInstaller made as a package of Debian and Ubuntu: `python -m resources.bundle.deb dist/earshot`.

It holds a menu entry, the icon, metadata for software centres and the kinds of files that Earshot opens, and names the
libraries that a desktop may lack. Needs dpkg-deb.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

from resources.bundle.desktop_files import write_desktop_files

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
NEEDS = (
    *("libportaudio2", "libegl1", "libgl1", "libxkbcommon0", "libxkbcommon-x11-0", "libfontconfig1", "libdbus-1-3"),
    *("libxcb-cursor0", "libxcb-icccm4", "libxcb-keysyms1", "libxcb-shape0", "libc6 (>= 2.35)"),
)


def write_package(built: Path, out: Path, number: str | None = None) -> Path:
    """Write a package of the folder `built` into the folder `out`; return its path."""
    number = number or version("earshot")
    architecture = ARCHITECTURES[platform.machine()]
    out.mkdir(parents=True, exist_ok=True)
    package = out / f"earshot_{number}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        shutil.copytree(built, root / "usr/lib/earshot", symlinks=True)
        write_desktop_files(root / "usr", number)
        control = root / "DEBIAN/control"
        control.parent.mkdir()
        control.write_text(_control(number, architecture, root), encoding="utf-8")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(root), str(package)], check=True)
    return package


def _control(number: str, architecture: str, root: Path) -> str:
    kilobytes = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    return (
        f"Package: earshot\nVersion: {number}\nArchitecture: {architecture}\nInstalled-Size: {kilobytes}\n"
        f"Depends: {', '.join(NEEDS)}\nSection: sound\nPriority: optional\n"
        "Maintainer: The Earshot project <earshot@localhost>\n"
        "Description: live captions, live translation and a voice assistant\n"
        " Everything runs on your own computer; nothing you say leaves it.\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m resources.bundle.deb", description="Package a built folder.")
    parser.add_argument("built", type=Path)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    options = parser.parse_args()
    print(write_package(options.built, options.out))
