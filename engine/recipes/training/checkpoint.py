"""Where a training in MLX stands: arrays and what is said of them, kept in one file that is replaced whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

from engine.errors import ModelError

FILE = "checkpoint.safetensors"
Tree = dict[str, Any]
"""Arrays in nested dictionaries and lists, as modules and optimizers have them."""


@dataclass(frozen=True, slots=True)
class Saved:
    """The contents of a checkpoint: plain values, and arrays by "NAME.path.in.tree"."""

    said: dict[str, Any]
    arrays: dict[str, mx.array]

    def tree(self, name: str) -> Tree:
        """One of the trees that were saved."""
        prefix = f"{name}."
        found = [(key.removeprefix(prefix), array) for key, array in self.arrays.items() if key.startswith(prefix)]
        tree: Tree = tree_unflatten(found)
        return tree


def save_checkpoint(folder: Path, about: str, said: Mapping[str, Any], **trees: Tree) -> None:
    """Write the checkpoint of a run; the last one stays until the new one is whole.

    `about` says what it is of: the model and what else must be the same for a run to go on.
    """
    arrays: dict[str, mx.array] = {}
    for name, tree in trees.items():
        flat: Any = tree_flatten(tree)
        arrays |= {f"{name}.{key}": array for key, array in flat}
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / "checkpoint.partial.safetensors"
    mx.save_safetensors(str(partial), arrays, {"about": about, "progress": json.dumps(said)})
    partial.replace(folder / FILE)


def load_checkpoint(folder: Path, about: str) -> Saved | None:
    """Read a run's checkpoint, if there is one. ModelError where it is damaged or of something else."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        loaded: Any = mx.load(str(path), return_metadata=True)
        arrays, metadata = loaded
        mx.eval(arrays)  # read now: the file is going to be replaced
        said = json.loads(metadata["progress"])
    except (RuntimeError, ValueError, KeyError, TypeError) as error:
        raise damaged(folder, error) from error
    if metadata.get("about") != about:
        raise ModelError(
            f"The checkpoint {path} is of another model or other options. Train without --resume, or in another folder."
        )
    return Saved(said, arrays)


def damaged(folder: Path, error: Exception) -> ModelError:
    """Say that a checkpoint cannot be read."""
    return ModelError(f"The checkpoint {folder / FILE} is damaged ({error}). Train without --resume.")
