"""The app's files that a Mac reads before it starts it, and builds that are refused."""

from __future__ import annotations

import plistlib
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from resources.bundle.contents import EXCLUDED, is_unused, kept
from resources.bundle.macos import (
    ENTITLEMENTS,
    IDENTIFIER,
    BuildRefused,
    property_list,
    refuse_newer_wheels,
    wheels_for_newer_systems,
    write_entitlements,
    write_german,
)

ROOT = Path(__file__).resolve().parents[2]


def test_the_property_list_can_be_written_and_asks_for_what_is_used() -> None:
    read = plistlib.loads(plistlib.dumps(property_list("1.2.3")))
    assert read["CFBundleIdentifier"] == IDENTIFIER
    assert read["CFBundleShortVersionString"] == read["CFBundleVersion"] == "1.2.3"
    assert read["LSMinimumSystemVersion"] == "14.0"
    for use in ("NSMicrophoneUsageDescription", "NSAudioCaptureUsageDescription"):
        assert read[use].startswith("Earshot ") and read[use].endswith("Nothing leaves this Mac.")
    assert set(read["CFBundleLocalizations"]) == {"en", "de"}
    (documents,) = read["CFBundleDocumentTypes"]
    assert "public.audio" in documents["LSItemContentTypes"] and documents["LSHandlerRank"] == "Alternate"


def test_a_film_can_be_opened_and_a_german_system_reads_german(tmp_path: Path) -> None:
    """Mac review L11."""
    english = property_list("1")
    (documents,) = english["CFBundleDocumentTypes"]
    assert "public.movie" in documents["LSItemContentTypes"]
    path = write_german(tmp_path)
    assert path.relative_to(tmp_path) == Path("de.lproj/InfoPlist.strings")
    german = plistlib.loads(path.read_bytes())
    shown = {key for key in english if key.endswith("UsageDescription")} | {documents["CFBundleTypeName"]}
    assert set(german) == shown
    assert all("verlässt diesen Mac" in german[key] for key in shown if key in english)


def test_the_entitlements_are_those_that_sound_and_python_need(tmp_path: Path) -> None:
    read = plistlib.loads(write_entitlements(tmp_path / "new" / "entitlements.plist").read_bytes())
    assert read == ENTITLEMENTS
    assert all(read.values())
    assert set(read) == {
        "com.apple.security.device.audio-input",
        "com.apple.security.cs.disable-library-validation",
    }


def test_the_oldest_macos_is_the_one_that_the_readme_names() -> None:
    assert "macOS 14" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert property_list("1")["LSMinimumSystemVersion"].startswith("14.")


def wheel(name: str, *tags: str) -> Any:
    text = "".join(f"Tag: {tag}\n" for tag in tags)
    return SimpleNamespace(metadata={"Name": name}, read_text=lambda file: text or None)


def test_wheels_of_a_newer_macos_than_the_oldest_are_named() -> None:
    installed = [
        wheel("mlx-metal", "py3-none-macosx_26_0_arm64"),
        wheel("mlx", "cp312-cp312-macosx_14_0_arm64"),
        wheel("pyside6", "cp39-abi3-macosx_13_0_universal2"),
        wheel("numpy", "cp312-cp312-macosx_11_0_arm64", "cp312-cp312-macosx_15_0_arm64"),
        wheel("earshot", "py3-none-any"),
        wheel("odd"),
    ]
    assert wheels_for_newer_systems(installed) == ["mlx-metal (macOS 26)"]


def test_a_build_with_such_wheels_is_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_newer_wheels()  # no wheels for Macs are installed here, or fitting ones
    monkeypatch.setattr(
        "resources.bundle.macos.distributions", lambda: [wheel("mlx-metal", "py3-none-macosx_15_0_arm64")]
    )
    with pytest.raises(BuildRefused, match=r"mlx-metal \(macOS 15\).*MACOSX_DEPLOYMENT_TARGET=14\.0"):
        refuse_newer_wheels()


def test_what_nothing_loads_is_left_out_and_the_rest_is_kept() -> None:
    assert is_unused("PySide6/Qt/qml/QtQuick/qmldir") and is_unused("PySide6/Qt/lib/libQt6Quick.so.6")
    assert is_unused("libcudart.so.12")
    assert is_unused("mlx/include/mlx/array.h") and is_unused("mlx/share/cmake/MLX.cmake"), "Mac review L10"
    stays = ("PySide6/Qt/lib/libQt6Svg.so.6", "PySide6/Qt/plugins/platforms/libqxcb.so", "mlx/lib/libmlx.so")
    entries = [(name, "/there", "BINARY") for name in (*stays, "libcudart.so.12")]
    assert [name for name, _, _ in kept(entries)] == list(stays)


def test_no_module_that_is_left_out_is_needed_to_run() -> None:
    """Excluded modules that Earshot imports belong to training, plots or voices that do not ship."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[\[<>=;~! ]", each)[0].lower().replace("-", "_") for each in needed}
    assert names & {each.lower() for each in EXCLUDED} == {"transformers"}, "mlx-lm asks for it; its models do not"
