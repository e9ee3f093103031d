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

_KINDS = {"float16": "F16", "float32": "F32"}


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
