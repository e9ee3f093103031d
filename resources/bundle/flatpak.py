"""The manifest of a Flatpak: `python -m resources.bundle.flatpak dist/earshot-….whl dist/pylock.toml`.

Every package of the lock is a source with its digest, so that the build itself needs no network: flatpak-builder
fetches the sources first, and pip installs what it fetched. The lock is exported by uv (PEP 751).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.markers import Marker
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

from resources.bundle.desktop_files import APP_ID, DRAWING, build_date, menu_entry, metainfo

RUNTIME, RUNTIME_VERSION = "org.freedesktop", "25.08"
PYTHON = (3, 13)
"""Python of the runtime: its wheels are taken."""

NEWEST_GLIBC, OLDEST_GLIBC = 42, 5
ARCHITECTURES = ("x86_64", "aarch64")
PERMISSIONS = (
    *("--socket=wayland", "--socket=x11", "--share=ipc", "--device=dri"),  # XWayland keeps the overlay above
    "--socket=pulseaudio",
    "--share=network",  # downloads of models, and the page for others to read
    "--talk-name=org.kde.StatusNotifierWatcher",
    "--talk-name=org.freedesktop.Notifications",
    "--filesystem=xdg-config/autostart:ro",  # whether it starts with the session; the portal writes there
    "--env=QT_QPA_PLATFORMTHEME=xdgdesktopportal",  # files are chosen through the portal
)
PORTAUDIO = {
    "name": "portaudio",
    "buildsystem": "autotools",
    "config-opts": ["--disable-static"],
    "cleanup": ["/include", "/lib/pkgconfig", "*.la"],
    "sources": [
        {
            "type": "archive",
            "url": "https://files.portaudio.com/archives/pa_stable_v190700_20210406.tgz",
            "sha256": "47efbf42c77c19a05d22e627d42873e991ec0c1357219c0d74ce6a2948cb2def",
        }
    ],
}


class LockRefused(SystemExit):
    """A package of the lock has no wheel for the runtime."""


def manifest(wheel: Path, lock: Mapping[str, Any], number: str) -> dict[str, Any]:
    """Return the manifest for Earshot's own wheel and a lock in the format of pylock.toml."""
    own = {"type": "file", "path": str(wheel.resolve()), "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    files = {
        f"share/applications/{APP_ID}.desktop": menu_entry(APP_ID),
        f"share/metainfo/{APP_ID}.metainfo.xml": metainfo(number, build_date(), APP_ID),
        f"share/icons/hicolor/scalable/apps/{APP_ID}.svg": DRAWING.read_text(encoding="utf-8"),
    }
    earshot = {
        "name": "earshot",
        "buildsystem": "simple",
        "build-commands": [
            "pip3 install --no-index --no-deps --ignore-installed --prefix=${FLATPAK_DEST} *.whl",
            *(f"install -Dm644 {Path(place).name} ${{FLATPAK_DEST}}/{place}" for place in files),
        ],
        "sources": [
            own,
            *wheels(lock),
            *({"type": "inline", "dest-filename": Path(place).name, "contents": text} for place, text in files.items()),
        ],
    }
    return {
        "app-id": APP_ID,
        "runtime": f"{RUNTIME}.Platform",
        "runtime-version": RUNTIME_VERSION,
        "sdk": f"{RUNTIME}.Sdk",
        "command": "earshot",
        "finish-args": list(PERMISSIONS),
        "modules": [PORTAUDIO, earshot],
    }


def wheels(lock: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a source for each package of a lock, where it differs one for each architecture.

    Raises LockRefused if a package that is needed has no fitting wheel.
    """
    for package in lock["packages"]:
        found = {each: _wheel(package, each) for each in ARCHITECTURES if _is_needed(package, each)}
        addresses = {each["url"] for each in found.values()}
        for architecture, wheel in found.items():
            source = {"type": "file", "url": wheel["url"], "sha256": wheel["hashes"]["sha256"]}
            if len(addresses) == 1 and len(found) == len(ARCHITECTURES):
                yield source
                break
            yield {**source, "only-arches": [architecture]}


def _is_needed(package: Mapping[str, Any], architecture: str) -> bool:
    there = {
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": architecture,
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": ".".join(map(str, PYTHON)),
        "python_full_version": f"{'.'.join(map(str, PYTHON))}.0",
    }
    return "marker" not in package or Marker(package["marker"]).evaluate(there)


def _wheel(package: Mapping[str, Any], architecture: str) -> Mapping[str, Any]:
    """Return the wheel of a package that fits an architecture best."""
    ranks = {tag: rank for rank, tag in enumerate(_tags(architecture))}
    fitting = [
        (min(ranks[tag] for tag in tags), wheel)
        for wheel in package.get("wheels", ())
        if (tags := parse_wheel_filename(_file_name(wheel))[3] & ranks.keys())
    ]
    if not fitting:
        raise LockRefused(f"{package['name']} has no wheel for Python {PYTHON[0]}.{PYTHON[1]} on {architecture}.")
    best: Mapping[str, Any] = min(fitting, key=lambda each: each[0])[1]
    return best


def _file_name(wheel: Mapping[str, Any]) -> str:
    return unquote(urlsplit(wheel["url"]).path.rpartition("/")[2])


def _tags(architecture: str) -> Iterator[Tag]:
    """Yield the tags of wheels that the runtime can load, the best first."""
    platforms = [f"manylinux_2_{minor}_{architecture}" for minor in range(NEWEST_GLIBC, OLDEST_GLIBC - 1, -1)]
    platforms += [f"manylinux2014_{architecture}", f"manylinux2010_{architecture}", f"manylinux1_{architecture}"]
    yield from cpython_tags(PYTHON, platforms=platforms)
    yield from compatible_tags(PYTHON, interpreter=f"cp{PYTHON[0]}{PYTHON[1]}", platforms=platforms)


def write_manifest(wheel: Path, lock: Path, out: Path) -> Path:
    """Write the manifest into the folder `out`; return its path."""
    made = out / f"{APP_ID}.json"
    written = manifest(wheel, tomllib.loads(lock.read_text(encoding="utf-8")), version("earshot"))
    out.mkdir(parents=True, exist_ok=True)
    made.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m resources.bundle.flatpak", description="Write a manifest.")
    parser.add_argument("wheel", type=Path, help="Earshot's own, from `uv build --wheel`")
    parser.add_argument("lock", type=Path, help="from `uv export --no-dev --no-emit-project --format pylock.toml`")
    parser.add_argument("--out", type=Path, default=Path("dist"))
    options = parser.parse_args()
    print(write_manifest(options.wheel, options.lock, options.out))
