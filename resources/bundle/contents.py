"""Files that a built Earshot leaves out: PyInstaller collects them, and nothing uses them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

EXCLUDED = [
    *("torch", "torchvision", "scipy", "numba", "sympy", "matplotlib", "pandas", "PIL"),
    *("transformers", "datasets", "sacrebleu", "ctranslate2", "faster_whisper"),
    *("hf_xet", "tkinter", "IPython", "pytest", "_pytest", "hypothesis", "mypy", "setuptools", "pip", "wheel"),
    *("pydantic", "pydantic_core", "pygments", "rich", "markdown_it", "pydoc_data", "_dbm"),
]
"""Modules that some import names and that Earshot never reaches."""

_UNUSED_PARTS = (
    "PySide6/Qt/qml/",
    "PySide6/Qt/lib/libQt6Quick",
    "PySide6/Qt/lib/libQt6Qml",
    "PySide6/Qt/lib/libQt6VirtualKeyboard",
    "PySide6/Qt/lib/libQt6Pdf",
    "PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboard",
    "PySide6/Qt/plugins/imageformats/libqpdf",
    "PySide6/Qt/plugins/qmltooling/",
    "PySide6/Qt/plugins/egldeviceintegrations/",
    "PySide6/Qt/plugins/generic/",  # keyboards and pens without a desktop
    "PySide6/Qt/plugins/networkinformation/",
    "PySide6/Qt/plugins/platforms/libqeglfs",
    "PySide6/Qt/plugins/platforms/libqlinuxfb",
    "PySide6/Qt/plugins/platforms/libqminimalegl",
    "PySide6/Qt/plugins/platforms/libqvkkhrdisplay",
    "PySide6/Qt/plugins/platforms/libqvnc",
    "PySide6/Qt/plugins/imageformats/libqtiff",
    "PySide6/Qt/plugins/imageformats/libqwebp",
    "PySide6/Qt/lib/libQt6Egl",
    "PySide6/Qt/plugins/sqldrivers/",
    "scipy_openblas32/include/",
    "mlx/include/",  # for those who compile against MLX
    "mlx/share/",
    "libcudart",  # of the machine that it was built on
)
_UNUSED = re.compile(
    r"libmlx\.so"  # a second copy, beside the one in mlx/lib that is loaded
    r"|PySide6/Qt/translations/(?!qtbase_).*"
)
_STRIPPED = re.compile(r".*\.(cpython-[\w-]+|abi3)\.so|libpython[\d.]+\.so[\d.]*")
"""Extension modules and Python itself. Other libraries of wheels were edited after linking: strip would break them."""

_ENCODER = re.compile(r"lib(x264|x265|SvtAv1Enc)-.*\.so[\d.]*")
"""Encoders of video that FFmpeg's library links to and that nothing calls: Earshot reads sound."""

_C_NAME = re.compile(r"[A-Za-z_]\w*")

Entry = TypeVar("Entry", bound=tuple[str, str, str])


def kept(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries (name in the bundle, source, kind) without files that nothing loads."""
    return [entry for entry in entries if not is_unused(entry[0])]


def is_unused(name: str) -> bool:
    """Return whether nothing in Earshot loads a file of the bundle."""
    name = name.replace("\\", "/")
    starts = (name, name.rpartition("/")[2])
    return bool(_UNUSED.fullmatch(name)) or any(start.startswith(_UNUSED_PARTS) for start in starts)


def stripped(entries: Iterable[Entry], folder: Path) -> list[tuple[str, str, str]]:
    """Return binaries stripped of debugging symbols, written to `folder`; unchanged ones where binutils are missing."""
    strip = shutil.which("strip")
    return [_stripped(entry, folder, strip) if strip and _STRIPPED.fullmatch(entry[0]) else entry for entry in entries]


def hollowed(entries: Iterable[Entry], folder: Path) -> list[tuple[str, str, str]]:
    """Return binaries with video encoders replaced by empty libraries of the same names, made in `folder`.

    FFmpeg's library does not load without them. All stay unchanged where there is no C compiler or no binutils.
    """
    able = shutil.which("cc") and shutil.which("nm")
    return [_hollowed(entry, folder) if able and _ENCODER.fullmatch(entry[0]) else entry for entry in entries]


def _hollowed(entry: tuple[str, str, str], folder: Path) -> tuple[str, str, str]:
    name, source, kind = entry
    listed = subprocess.run(["nm", "-D", "--defined-only", "--just-symbols", source], capture_output=True, text=True)
    symbols = {line.partition("@")[0] for line in listed.stdout.splitlines()}
    made, code = folder / name, folder / f"{name}.c"
    folder.mkdir(parents=True, exist_ok=True)
    code.write_text("".join(f"void {each}(void) {{}}\n" for each in sorted(symbols) if _C_NAME.fullmatch(each)))
    options = ["-shared", "-fPIC", "-nostdlib", "-fno-builtin", "-w", f"-Wl,-soname,{name}"]
    done = subprocess.run(["cc", *options, "-o", str(made), str(code)], capture_output=True)
    return (name, str(made), kind) if symbols and done.returncode == 0 else entry


def _stripped(entry: tuple[str, str, str], folder: Path, strip: str) -> tuple[str, str, str]:
    name, source, kind = entry
    made = folder / name
    made.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([strip, "--strip-unneeded", "-o", str(made), source], capture_output=True)
    return (name, str(made), kind) if done.returncode == 0 else entry
