"""Formats that weights are stored in, told by the names of files and their first bytes.

safetensors   a folder: MLX's, Hugging Face's
ctranslate2   a folder with model.bin, as faster-whisper has it
ggml          a file of whisper.cpp's, or a folder that holds some
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

Storage = Literal["safetensors", "ctranslate2", "ggml"]
CTRANSLATE2_FILE = "model.bin"
GGML_MAGIC = b"lmgg"  # "ggml" as a little-endian number


def storage_of(place: Path) -> Storage | None:
    """Tell in which format a folder or a file holds weights; None where it holds none that is read."""
    if place.is_file():
        return "ggml" if is_ggml(place) else None
    if any(place.glob("*.safetensors")) or (place / "model.safetensors.index.json").is_file():
        return "safetensors"
    if is_ctranslate2(place / CTRANSLATE2_FILE):
        return "ctranslate2"
    return "ggml" if ggml_files(place) else None


def files_of(place: Path) -> list[Path]:
    """List the files that hold the weights of a folder, or the file itself; none where there are none that are read."""
    storage = storage_of(place)
    if storage == "safetensors":
        return sorted(place.glob("*.safetensors"))
    if storage == "ctranslate2":
        return [place / CTRANSLATE2_FILE]
    return ggml_files(place) if storage == "ggml" else []


def ggml_files(place: Path) -> list[Path]:
    """List the models of whisper.cpp's in a folder, or the file itself where it is one."""
    found = [place] if place.is_file() else place.glob("*.bin")
    return sorted(path for path in found if is_ggml(path))


def is_ctranslate2(path: Path) -> bool:
    """Tell whether a file begins as CTranslate2's do: a small version, then the length and letters of a name."""
    head = first_bytes(path, 7)
    return len(head) == 7 and 0 < int.from_bytes(head[:4], "little") < 100 and head[5] == 0 and head[6:].isalpha()


def is_ggml(path: Path) -> bool:
    """Tell whether a file begins as whisper.cpp's do."""
    return first_bytes(path, len(GGML_MAGIC)) == GGML_MAGIC


def first_bytes(path: Path, count: int) -> bytes:
    """Give the first `count` bytes of a file, fewer where it is shorter, none where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""
