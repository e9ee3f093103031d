"""What a built Earshot leaves out: what nothing in it uses, and PyInstaller brings all the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

EXCLUDED = [
    *("torch", "torchvision", "scipy", "numba", "sympy", "matplotlib", "pandas", "PIL"),
    *("transformers", "datasets", "mlx_audio", "sacrebleu", "onnxruntime", "ctranslate2", "faster_whisper"),
    *("hf_xet", "tkinter", "IPython", "pytest", "_pytest", "hypothesis", "mypy", "setuptools", "pip", "wheel"),
]
"""Modules that an import somewhere names and that no path through Earshot reaches."""

_UNUSED_PARTS = (
    "PySide6/Qt/qml/",
    "PySide6/Qt/lib/libQt6Quick",
    "PySide6/Qt/lib/libQt6Qml",
    "PySide6/Qt/lib/libQt6VirtualKeyboard",
    "PySide6/Qt/lib/libQt6Pdf",
    "PySide6/Qt/plugins/platforminputcontexts/libqtvirtualkeyboard",
    "PySide6/Qt/plugins/imageformats/libqpdf",
    "PySide6/Qt/plugins/qmltooling/",
    "PySide6/Qt/plugins/sqldrivers/",
    "libcudart",  # of the machine that it was built on
)

Entry = TypeVar("Entry", bound=tuple[str, str, str])


def kept(entries: Iterable[Entry]) -> list[Entry]:
    """Leave out the files (name in the bundle, source, kind) that are parts of what is there and never loaded."""
    return [entry for entry in entries if not is_unused(entry[0])]


def is_unused(name: str) -> bool:
    """Tell whether nothing in Earshot loads a file of the bundle."""
    name = name.replace("\\", "/")
    return any(name.startswith(part) or name.rpartition("/")[2].startswith(part) for part in _UNUSED_PARTS)
