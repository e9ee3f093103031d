"""Files that macOS reads before it starts Earshot.app: the property list, its German, the entitlements.

A build also checks here that its wheels fit the oldest supported macOS.
"""

from __future__ import annotations

import plistlib
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

IDENTIFIER = "org.earshot.Earshot"
OLDEST_MACOS = (14, 0)
"""The first that MLX has wheels for."""

RECORDING_TYPES = (
    *("public.audio", "org.xiph.flac", "com.microsoft.waveform-audio", "public.mp3", "public.aiff-audio"),
    "public.movie",  # its sound is captioned
)
"""Kinds of files that Earshot opens, by Apple's names for them."""

_TYPE_NAME = "Recording"
GERMAN = {
    "NSMicrophoneUsageDescription": (
        "Earshot zeigt Untertitel zu dem, was das Mikrofon hört, und beantwortet Fragen. "
        "Nichts davon verlässt diesen Mac."
    ),
    "NSAudioCaptureUsageDescription": (
        "Earshot zeigt Untertitel zu dem, was dieser Mac wiedergibt. Nichts davon verlässt diesen Mac."
    ),
    _TYPE_NAME: "Aufnahme",
}
"""German for what macOS shows of the property list, by key or by English text."""

ENTITLEMENTS = {
    "com.apple.security.device.audio-input": True,  # the hardened runtime refuses microphones without
    "com.apple.security.cs.disable-library-validation": True,  # Python's extensions are signed by others than the app
}

_TAG = re.compile(r"^Tag: .*-macosx_(\d+)_(\d+)_\w+$", re.MULTILINE)


class BuildRefused(SystemExit):
    """The app would not run where it claims to."""


def property_list(version: str) -> dict[str, Any]:
    """Return the Info.plist of the app, without what PyInstaller writes by itself."""
    return {
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundleName": "Earshot",
        "CFBundleDisplayName": "Earshot",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDevelopmentRegion": "en",
        "CFBundleLocalizations": ["en", "de"],
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": _TYPE_NAME,
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",  # to be chosen for a recording, never instead of a player
                "LSItemContentTypes": list(RECORDING_TYPES),
            }
        ],
        "LSApplicationCategoryType": "public.app-category.productivity",
        "LSMinimumSystemVersion": ".".join(map(str, OLDEST_MACOS)),
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": "GPL-3.0-or-later",
        "NSMicrophoneUsageDescription": (
            "Earshot captions what the microphone hears, and answers what you ask. Nothing leaves this Mac."
        ),
        "NSAudioCaptureUsageDescription": "Earshot captions what this Mac plays. Nothing leaves this Mac.",
        "NSSupportsAutomaticTermination": False,  # a recording may go on with no window open
        "NSSupportsSuddenTermination": False,
    }


def write_entitlements(path: Path) -> Path:
    """Write the entitlements where codesign can read them; return the path."""
    return _write(path, ENTITLEMENTS)


def write_german(folder: Path) -> Path:
    """Write the German of the property list as a Mac reads it, into `folder`/de.lproj; return the path of the file."""
    return _write(folder / "de.lproj" / "InfoPlist.strings", GERMAN)


def _write(path: Path, content: Mapping[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(plistlib.dumps(content))
    return path


def wheels_for_newer_systems(installed: Iterable[Distribution] | None = None) -> list[str]:
    """Return the installed packages whose wheels need a newer macOS than the oldest that Earshot runs on."""
    newer = []
    for package in distributions() if installed is None else installed:
        least = [(int(major), int(minor)) for major, minor in _TAG.findall(package.read_text("WHEEL") or "")]
        if least and min(least) > OLDEST_MACOS:
            newer.append(f"{package.metadata['Name']} (macOS {min(least)[0]})")
    return sorted(newer)


def refuse_newer_wheels() -> None:
    """Stop a build whose wheels need too new a macOS: MLX comes in a wheel for each version of it."""
    if newer := wheels_for_newer_systems():
        raise BuildRefused(
            f"These wheels need a newer macOS than {OLDEST_MACOS[0]}: {', '.join(newer)}. Install the packages with "
            "MACOSX_DEPLOYMENT_TARGET=14.0, as docs/packaging.md says."
        )
