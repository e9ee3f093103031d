"""Safetensors files, checked before they are read, so that a damaged one gives one clear sentence."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import ModelError

MAX_HEADER_BYTES = 100 * 1024 * 1024
ADVICE = "Copy or download the model again."
UNREAD_SUFFIXES = {".bin", ".ckpt", ".npz", ".pkl", ".pt", ".pth"}
"""Suffixes of files with weights in formats that can run code, or that nothing here reads."""


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor's entry in the header."""

    dtype: str
    shape: tuple[int, ...]


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Return the tensors of a file by name. Raises ModelError if the file is cut off."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(8)
            length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
            if not 2 <= length <= min(MAX_HEADER_BYTES, size - 8):
                raise ModelError(f"{path} is cut off or is not a safetensors file. {ADVICE}")
            header = json.loads(file.read(length))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is damaged: its list of tensors is not readable. {ADVICE}") from error
    try:
        return _checked(header, size - 8 - length, path)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is damaged: its list of tensors makes no sense. {ADVICE}") from error


def _checked(header: dict[str, Any], data_bytes: int, path: Path) -> dict[str, TensorInfo]:
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        _, end = entry["data_offsets"]
        if end > data_bytes:
            raise ModelError(f"{path} is cut off: {name} ends {end - data_bytes:,} bytes after the file does. {ADVICE}")
        tensors[name] = TensorInfo(entry["dtype"], tuple(int(size) for size in entry["shape"]))
    return tensors
