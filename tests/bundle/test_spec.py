"""build.spec, run with stand-ins for what PyInstaller makes: an app on macOS, a folder on Linux."""

from __future__ import annotations

import ctypes
import os
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import regex._regex
from PySide6.QtGui import QGuiApplication

from resources.bundle.contents import hollowed, is_unused, stripped
from resources.bundle.macos import ENTITLEMENTS, IDENTIFIER, BuildRefused, property_list
from tests.bundle.test_mach_o import library

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ("mlx/lib/libmlx.dylib", "PySide6/Qt/lib/libQt6Quick.so.6", "libcudart.so.12")

Made = dict[str, Any]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qapp: QGuiApplication) -> Callable[[str], Made]:
    """Run the spec on a system, and give what each of PyInstaller's steps was told."""

    def run(system: str) -> Made:
        made: Made = {"collected": []}

        def analyse(scripts: list[str], **told: Any) -> Any:
            made["Analysis"] = {"scripts": scripts, **told}
            found = SimpleNamespace(pure=[], scripts=[], datas=[("assets/demo/talk.ogg", "/there", "DATA")])
            found.binaries = [(name, "/there", "BINARY") for name in LIBRARIES]
            return found

        def collect(package: str) -> tuple[list[Any], list[Any], list[str]]:
            made["collected"].append(package)
            return [], [], [package]

        def step(name: str) -> Callable[..., str]:
            def take(*parts: Any, **told: Any) -> str:
                made[name] = {"parts": parts, **told}
                return name

            return take

        hooks = ModuleType("PyInstaller.utils.hooks")
        hooks.__dict__.update(
            collect_all=collect,
            collect_data_files=lambda *_, **__: [],
            collect_dynamic_libs=lambda *_: [],
            collect_submodules=lambda name, *_: [name],
            copy_metadata=lambda name: [(f"{name}.dist-info", ".")],
        )
        for name in ("PyInstaller", "PyInstaller.utils"):
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
        monkeypatch.setattr("importlib.metadata.version", lambda name: "1.2.3")
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr(sys, "path", [*sys.path])
        names = {name: step(name) for name in ("PYZ", "EXE", "COLLECT", "BUNDLE")}
        spec = (ROOT / "build.spec").read_text(encoding="utf-8")
        places = {"SPECPATH": str(tmp_path), "DISTPATH": str(tmp_path / "dist")}
        exec(compile(spec, "build.spec", "exec"), {**places, "Analysis": analyse, **names})
        return made

    return run


def test_on_a_mac_the_folder_becomes_an_app_with_all_that_macos_reads(built: Callable[[str], Made]) -> None:
    made = built("darwin")
    app = made["BUNDLE"]
    assert (app["parts"], app["name"], app["bundle_identifier"]) == (("COLLECT",), "Earshot.app", IDENTIFIER)
    assert app["version"] == "1.2.3" and app["info_plist"] == property_list("1.2.3")
    assert Path(app["icon"]).read_bytes()[:4] == b"icns"
    program = made["EXE"]
    assert plistlib.loads(Path(program["entitlements_file"]).read_bytes()) == ENTITLEMENTS
    assert (program["console"], program["target_arch"], program["codesign_identity"]) == (False, "arm64", None)
    assert made["collected"] == ["mlx", "catap"]
    _, _, datas = made["COLLECT"]["parts"]
    assert "de.lproj/InfoPlist.strings" in [name for name, _, _ in datas]  # Mac review L11


def test_an_app_that_the_oldest_mac_would_not_load_is_refused(built: Callable[[str], Made], tmp_path: Path) -> None:
    """Mac review M11."""
    app = tmp_path / "dist" / "Earshot.app"
    app.mkdir(parents=True)
    (app / "newer.dylib").write_bytes(library((15, 0)))
    built("linux")
    with pytest.raises(BuildRefused, match=r"newer\.dylib needs macOS 15\.0"):
        built("darwin")


def test_metal_s_library_is_found_beside_libmlx_however_that_is_opened(built: Callable[[str], Made]) -> None:
    _, binaries, datas = built("darwin")["COLLECT"]["parts"]
    assert "mlx/lib/libmlx.dylib" in [name for name, _, _ in binaries]
    assert ("mlx.metallib", "mlx/lib/mlx.metallib", "SYMLINK") in datas


def test_on_linux_there_is_a_folder_with_a_terminal_s_program(built: Callable[[str], Made]) -> None:
    made = built("linux")
    assert "BUNDLE" not in made
    assert made["EXE"]["console"] and made["EXE"]["entitlements_file"] is None
    assert made["collected"] == ["mlx", "scipy_openblas32"]


@pytest.mark.parametrize("system", ["darwin", "linux"])
def test_what_nothing_loads_is_left_out_and_versions_are_kept(built: Callable[[str], Made], system: str) -> None:
    made = built(system)
    _, binaries, _ = made["COLLECT"]["parts"]
    assert [name for name, _, _ in binaries] == ["mlx/lib/libmlx.dylib"]
    left_out = ("libmlx.so", "PySide6/Qt/translations/qt_help_de.qm", "scipy_openblas32/include/lapacke.h")
    assert all(map(is_unused, left_out))
    assert not any(map(is_unused, ("mlx/lib/libmlx.so", "PySide6/Qt/translations/qtbase_de.qm")))
    assert {"torch", "transformers"} <= set(made["Analysis"]["excludes"])
    assert {"earshot.dist-info", "mlx.dist-info"} <= {name for name, _ in made["Analysis"]["datas"]}
    assert made["Analysis"]["scripts"] == ["app/__main__.py"]


@pytest.mark.skipif(not (shutil.which("strip") and sys.platform == "linux"), reason="binutils are not installed")
def test_extension_modules_lose_what_only_a_debugger_reads(tmp_path: Path) -> None:
    module = Path(str(regex._regex.__file__))
    entries = [(module.name, str(module), "EXTENSION"), ("libscipy_openblas.so", "/there", "BINARY")]
    (name, made, kind), other = stripped(entries, tmp_path)
    assert (name, kind) == (module.name, "EXTENSION") and Path(made).parent == tmp_path
    assert b".debug_info" not in Path(made).read_bytes() and other == entries[1]


def test_a_binary_that_strip_cannot_read_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "odd.abi3.so").write_bytes(b"no library")
    entry = ("odd.abi3.so", str(tmp_path / "odd.abi3.so"), "EXTENSION")
    assert stripped([entry], tmp_path / "stripped") == [entry]


@pytest.mark.skipif(not (shutil.which("cc") and shutil.which("nm")), reason="no C compiler, or no binutils")
def test_an_encoder_of_video_becomes_empty_and_what_links_to_it_still_loads(tmp_path: Path) -> None:
    def compile_library(name: str, code: str, *options: str) -> Path:
        (tmp_path / f"{name}.c").write_text(code)
        made = tmp_path / name
        command = ["cc", "-shared", "-fPIC", "-o", str(made), str(tmp_path / f"{name}.c"), *options]
        subprocess.run(command, check=True)
        return made

    encoder = "libx265-1.so.216"
    large = "static const char table[100000] = {1}; const char *x265_get(void) { return table; }"
    source = compile_library(encoder, large, f"-Wl,-soname,{encoder}")
    caller = "extern void x265_get(void); void *encoder = x265_get; int decode(void) { return 7; }"
    reader = compile_library("libreader.so", caller, str(source), "-Wl,-rpath,$ORIGIN")
    entries = [(encoder, str(source), "BINARY"), ("libmp3.so", "/there", "BINARY")]
    (name, made, kind), other = hollowed(entries, tmp_path / "made")
    assert (name, kind) == (encoder, "BINARY") and other == ("libmp3.so", "/there", "BINARY")
    assert Path(made).stat().st_size < 0.5 * source.stat().st_size
    shutil.copy(made, source)
    assert ctypes.CDLL(str(reader), mode=os.RTLD_NOW).decode() == 7
