"""The folder that a packed training reads: arrays in one file, and the files of the model but for its weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError

ARRAYS = "arrays.npz"
MODEL = "model"
ABOUT = "about.json"
WEIGHTS = "model.safetensors"
MOST_MEGABYTES = 50.0

_KINDS = {"float16": "F16", "float32": "F32", "uint32": "U32"}
_QUANTISED = (".scales", ".biases")


def write_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write what is learnt from. EngineError where the folder gets too large to be carried."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"partial.{ARRAYS}"
    np.savez_compressed(partial, allow_pickle=False, **arrays)
    partial.replace(folder / ARRAYS)
    megabytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    if megabytes > MOST_MEGABYTES:
        raise EngineError(f"{folder} has {megabytes:.0f} MB. Pack less: {MOST_MEGABYTES:.0f} MB can be carried.")


def read_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Read what is learnt from. EngineError where nothing was packed."""
    path = folder / ARRAYS
    if not path.is_file():
        raise EngineError(f"{path} is missing: pack it first, on a machine that has the data.")
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def read_about(folder: Path) -> dict[str, str]:
    """Read what is said about the model that is to be trained."""
    about: dict[str, str] = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    return about


def read_config(folder: Path) -> dict[str, Any]:
    """Read the description of the model that is to be trained."""
    config: dict[str, Any] = json.loads((folder / MODEL / "config.json").read_text(encoding="utf-8"))
    return config


def export(pack: Path, weights: Mapping[str, NDArray[Any]], out: Path) -> None:
    """Write a model: the files of the pack, and the weights beside them."""
    shutil.copytree(pack / MODEL, out, dirs_exist_ok=True)
    save_safetensors(weights, out / WEIGHTS)


def save_safetensors(arrays: Mapping[str, NDArray[Any]], path: Path, about: Mapping[str, str] | None = None) -> None:
    """Write arrays of float16 or float32 as the library safetensors does, which may not be there."""
    head: dict[str, object] = {"__metadata__": dict(about or {"format": "pt"})}
    at = 0
    for name, array in arrays.items():
        head[name] = {"dtype": _KINDS[array.dtype.name], "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    described = json.dumps(head).encode()
    described += b" " * (-len(described) % 8)
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(len(described).to_bytes(8, "little") + described)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).tobytes())
    partial.replace(path)


def read_safetensors(path: Path, only: str | None = None) -> dict[str, NDArray[Any]]:
    """Read the arrays of such a file, or one of them: matrices that MLX has rounded to bytes become float32 again."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    head: dict[str, Any] = json.loads(content[8 : 8 + size])
    kinds, stored = {kind: name for name, kind in _KINDS.items()}, {}
    for name, each in head.items():
        if name != "__metadata__" and (only is None or name.rpartition(".")[0] == only.rpartition(".")[0]):
            begin, end = (8 + size + place for place in each["data_offsets"])
            stored[name] = np.frombuffer(content[begin:end], kinds[each["dtype"]]).reshape(each["shape"])
    return {name: _plain(stored, name) for name in stored if not name.endswith(_QUANTISED)}


def _plain(stored: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    array, (scales, biases) = stored[name], (stored.get(name.removesuffix(".weight") + end) for end in _QUANTISED)
    if scales is None or biases is None:
        return array if array.dtype.kind == "u" else array.astype(np.float32)
    levels = array.view(np.uint8).reshape(*scales.shape, -1).astype(np.float32)
    plain = levels * scales[..., None].astype(np.float32) + biases[..., None].astype(np.float32)
    return plain.reshape(len(array), -1)
