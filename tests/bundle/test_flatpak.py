"""The Flatpak: every package of the lock is a source with its digest, and flatpak-builder reads the manifest."""

from __future__ import annotations

import configparser
import hashlib
import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from resources.bundle.desktop_files import APP_ID
from resources.bundle.flatpak import ARCHITECTURES, LockRefused, manifest, wheels, write_manifest

ROOT = Path(__file__).resolve().parents[2]
HOST = "https://files.example"


def wheel(name: str, digest: str = "ab") -> dict[str, Any]:
    return {"url": f"{HOST}/{name}", "hashes": {"sha256": digest * 32}}


def lock(*packages: dict[str, Any]) -> dict[str, Any]:
    return {"packages": list(packages)}


def file_names(locked: dict[str, Any]) -> list[tuple[str, list[str]]]:
    return [(each["url"].removeprefix(f"{HOST}/"), each.get("only-arches", [])) for each in wheels(locked)]


def test_the_best_wheel_of_each_architecture_is_taken() -> None:
    fitting = ("x86_64", "aarch64")
    packages = lock(
        {"name": "plain", "wheels": [wheel("plain-1-py3-none-any.whl")]},
        {
            "name": "native",
            "wheels": [
                wheel("native-1-cp312-cp312-manylinux_2_28_x86_64.whl"),
                wheel("native-1-cp313-cp313-musllinux_1_2_x86_64.whl"),
                wheel("native-1-cp313-cp313-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"),
                wheel("native-1-cp313-cp313-manylinux_2_28_x86_64.whl"),
                wheel("native-1-cp39-abi3-manylinux_2_34_aarch64.whl"),
                wheel("native-1-cp313-cp313-macosx_11_0_arm64.whl"),
            ],
        },
        {"name": "for-macs", "marker": "sys_platform == 'darwin'", "wheels": []},
        {"name": "old", "marker": "python_full_version < '3.12'", "wheels": []},
        {
            "name": "one",
            "marker": "sys_platform == 'linux' and platform_machine == 'x86_64'",
            "wheels": [wheel("one-1-py3-none-any.whl")],
        },
    )
    assert file_names(packages) == [
        ("plain-1-py3-none-any.whl", []),
        ("native-1-cp313-cp313-manylinux_2_28_x86_64.whl", [fitting[0]]),
        ("native-1-cp39-abi3-manylinux_2_34_aarch64.whl", [fitting[1]]),
        ("one-1-py3-none-any.whl", [fitting[0]]),
    ]


def test_a_package_without_a_wheel_is_told() -> None:
    with pytest.raises(LockRefused, match=r"native has no wheel for Python 3\.13 on x86_64"):
        list(wheels(lock({"name": "native", "wheels": [wheel("native-1-cp312-cp312-manylinux_2_28_x86_64.whl")]})))


@pytest.fixture
def own_wheel(tmp_path: Path) -> Path:
    made = tmp_path / "earshot-1.2.3-py3-none-any.whl"
    made.write_bytes(b"a wheel")
    return made


def test_the_manifest_holds_the_digest_of_the_own_wheel_and_files_named_as_the_app(own_wheel: Path) -> None:
    written = manifest(own_wheel, lock(), "1.2.3")
    sources = written["modules"][-1]["sources"]
    assert sources[0] == {
        "type": "file",
        "path": str(own_wheel),
        "sha256": hashlib.sha256(b"a wheel").hexdigest(),
    }
    inline = {each["dest-filename"]: each["contents"] for each in sources if each["type"] == "inline"}
    entry = configparser.ConfigParser(interpolation=None)
    entry.read_string(inline[f"{APP_ID}.desktop"])
    assert entry["Desktop Entry"]["Icon"] == APP_ID
    assert f'desktop-id">{APP_ID}.desktop<' in inline[f"{APP_ID}.metainfo.xml"]
    assert 'version="1.2.3"' in inline[f"{APP_ID}.metainfo.xml"]
    assert "--filesystem=xdg-config/autostart:ro" in written["finish-args"]
    assert not any(each.startswith("--filesystem=h") for each in written["finish-args"]), "nothing of home is open"


@pytest.mark.skipif(shutil.which("uv") is None or not (ROOT / "uv.lock").is_file(), reason="needs uv and its lock")
def test_all_that_the_lock_has_is_a_source_on_both_architectures(own_wheel: Path, tmp_path: Path) -> None:
    exported = tmp_path / "pylock.toml"
    command = ["uv", "export", "--frozen", "--no-dev", "--no-emit-project", "--format", "pylock.toml", "-q"]
    subprocess.run([*command, "-o", exported], cwd=ROOT, check=True)
    sources = json.loads(write_manifest(own_wheel, exported, tmp_path).read_text())["modules"][-1]["sources"]
    fetched = [each for each in sources if "url" in each]
    assert all(len(each["sha256"]) == 64 and each["url"].endswith(".whl") for each in fetched)
    for architecture in ARCHITECTURES:
        names = [
            each["url"].rpartition("/")[2].split("-")[0].lower()
            for each in fetched
            if architecture in each.get("only-arches", ARCHITECTURES)
        ]
        assert len(names) == len(set(names))
        assert {"mlx_cpu", "pyside6_essentials", "numpy", "sounddevice", "espeakng_loader"} <= set(names)
    assert not any("macosx" in each["url"] or "catap" in each["url"] for each in fetched)


@pytest.mark.skipif(shutil.which("flatpak-builder") is None, reason="needs flatpak-builder")
def test_flatpak_builder_reads_the_manifest(own_wheel: Path, tmp_path: Path) -> None:
    exported = tmp_path / "pylock.toml"
    exported.write_text(
        '[[packages]]\nname = "plain"\n'
        f'wheels = [{{url = "{HOST}/plain-1-py3-none-any.whl", hashes = {{sha256 = "{"ab" * 32}"}}}}]\n'
    )
    assert tomllib.loads(exported.read_text())
    path = write_manifest(own_wheel, exported, tmp_path)
    done = subprocess.run(["flatpak-builder", "--show-manifest", path], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert [each["name"] for each in shown["modules"]] == ["portaudio", "earshot"]
    assert {each["type"] for each in shown["modules"][-1]["sources"]} == {"file", "inline"}
    assert (shown.get("id") or shown["app-id"]) == APP_ID
