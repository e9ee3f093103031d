"""Storage formats of weights, recognized by file names and first bytes.

safetensors   a folder: MLX's, Hugging Face's
ctranslate2   a folder with model.bin, as for faster-whisper
ggml          a file of whisper.cpp's, or a folder of such files
gguf          a file of llama.cpp's, or a folder with one
marian        a folder with a binary file of Marian's, as of Firefox's translation models
onnx          a folder with a voice of Piper's, with Kokoro, or with Hibari
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from engine.errors import ModelError

Storage = Literal["safetensors", "ctranslate2", "ggml", "gguf", "marian", "onnx"]
CTRANSLATE2_FILE = "model.bin"
HIBARI_FILE = "hibari.onnx"
GGML_MAGIC = b"lmgg"  # "ggml" as a little-endian number
GGUF_MAGIC = b"GGUF"
MARIAN_VERSION = 1
MOST_MARIAN_TENSORS = 20_000


def storage_of(place: Path) -> Storage | None:
    """Return the format of the weights in a folder or file; None if it holds none that can be read."""
    if place.is_file():
        return "ggml" if is_ggml(place) else "gguf" if is_gguf(place) else None
    if voice_kind(place) is not None:
        return "onnx"
    if any(place.glob("*.safetensors")) or (place / "model.safetensors.index.json").is_file():
        return "safetensors"
    if is_ctranslate2(place / CTRANSLATE2_FILE):
        return "ctranslate2"
    if marian_files(place):
        return "marian"
    if gguf_in(place) is not None:
        return "gguf"
    return "ggml" if ggml_files(place) else None


def files_of(place: Path) -> list[Path]:
    """List the weight files of a folder, or the file itself; empty if there are none that can be read."""
    storage = storage_of(place)
    if storage == "safetensors":
        return sorted(place.glob("*.safetensors"))
    if storage == "ctranslate2":
        return [place / CTRANSLATE2_FILE]
    if storage == "marian":
        return marian_files(place)
    if storage == "onnx":
        return sorted(place.glob("*.onnx"))
    if storage == "gguf":
        return list(filter(None, [gguf_in(place)]))
    return ggml_files(place) if storage == "ggml" else []


def voice_kind(place: Path) -> Literal["piper", "kokoro", "hibari"] | None:
    """Return the kind of the voice in a folder, by its network's name and the files beside it; None if it holds none.

    Piper's have settings there, and Kokoro has voices.
    """
    if (place / HIBARI_FILE).is_file():
        return "hibari"
    networks = sorted(place.glob("*.onnx"))
    if any(path.with_name(f"{path.name}.json").is_file() for path in networks):
        return "piper"
    voices = (*place.glob("voices*.bin"), *place.glob("voices*.safetensors"))
    return "kokoro" if networks and voices else None


def ggml_files(place: Path) -> list[Path]:
    """List the whisper.cpp models in a folder, or the file itself if it is one."""
    found = [place] if place.is_file() else place.glob("*.bin")
    return sorted(path for path in found if is_ggml(path))


def gguf_in(place: Path) -> Path | None:
    """Return llama.cpp's file in a folder, or the file itself if it is one; None if there is none, or several."""
    found = [place] if place.is_file() else list(place.glob("*.gguf"))
    return found[0] if len(found) == 1 and is_gguf(found[0]) else None


def marian_files(place: Path) -> list[Path]:
    """List Marian's models in a folder."""
    return sorted(path for path in place.glob("*.bin") if is_marian(path))


def binary_in(folder: Path) -> Path | None:
    """Return Marian's binary file in a folder; None if there is none. Raises ModelError if there are several."""
    found = marian_files(folder)
    if len(found) > 1:
        raise ModelError(f"{folder} holds several models: {', '.join(path.name for path in found)}. Leave one there.")
    return found[0] if found else None


def is_marian(path: Path) -> bool:
    """Return whether a file starts as Marian's do: the version, and a number of tensors."""
    head = first_bytes(path, 16)
    version, count = int.from_bytes(head[:8], "little"), int.from_bytes(head[8:], "little")
    return len(head) == 16 and version == MARIAN_VERSION and 0 < count <= MOST_MARIAN_TENSORS


def is_ctranslate2(path: Path) -> bool:
    """Return whether a file starts as CTranslate2's do: a small version, then the length and letters of a name."""
    head = first_bytes(path, 7)
    return len(head) == 7 and 0 < int.from_bytes(head[:4], "little") < 100 and head[5] == 0 and head[6:].isalpha()


def is_ggml(path: Path) -> bool:
    """Return whether a file starts as whisper.cpp's do."""
    return first_bytes(path, len(GGML_MAGIC)) == GGML_MAGIC


def is_gguf(path: Path) -> bool:
    """Return whether a file starts as llama.cpp's do."""
    return first_bytes(path, len(GGUF_MAGIC)) == GGUF_MAGIC


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first `count` bytes of a file, fewer if it is shorter, none if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""
