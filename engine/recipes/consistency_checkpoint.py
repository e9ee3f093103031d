"""Where a consistency training stands, kept in one file that is replaced whole."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

from engine.errors import ModelError

FILE = "checkpoint.safetensors"
ADAPTER, OPTIMIZER = "adapter.", "optimizer."
Tree = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """How the model decodes held-out questions at a step.

    Attributes:
        loss: the mean of what was learnt from since the last measurement: the standing blocks' cross-entropy.
        consistency: the other part of it.
        forwards_per_block: of Jacobi decoding.
        tokens_per_forward: of whole replies, the forward that reads the prompt among them.
        unchanged: share of the replies that are the untrained model's, token by token.
    """

    step: int
    minutes: float
    loss: float | None
    consistency: float | None
    forwards_per_block: float
    tokens_per_forward: float
    unchanged: float


@dataclass(slots=True)
class Progress:
    """How far a run is."""

    step: int = 0
    minutes: float = 0.0
    curve: list[Measured] = field(default_factory=list)


def save_progress(progress: Progress, adapter: Tree, optimizer: Tree, folder: Path, about: str) -> None:
    """Write the checkpoint of a run; the last one stays until the new one is whole. `about` says what it is of."""
    arrays = _named(ADAPTER, adapter) | _named(OPTIMIZER, optimizer)
    partial = folder / "checkpoint.partial.safetensors"
    mx.save_safetensors(str(partial), arrays, {"about": about, "progress": json.dumps(asdict(progress))})
    partial.replace(folder / FILE)


def load_progress(folder: Path, about: str) -> tuple[Progress, Tree, Tree] | None:
    """Read a run's checkpoint, if there is one: progress, adapter, and the optimizer's state.

    ModelError where it is damaged or of something else.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        loaded: Any = mx.load(str(path), return_metadata=True)
        arrays, metadata = loaded
        mx.eval(arrays)  # read now: the file is going to be replaced
        said = json.loads(metadata["progress"])
        progress = Progress(said["step"], said["minutes"], [Measured(**entry) for entry in said["curve"]])
    except (RuntimeError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"The checkpoint {path} is damaged ({error}). Train without --resume.") from error
    if metadata.get("about") != about:
        raise ModelError(
            f"The checkpoint {path} is of another model or other options. Train without --resume, or in another folder."
        )
    return progress, _tree(arrays, ADAPTER), _tree(arrays, OPTIMIZER)


def _named(prefix: str, tree: Tree) -> dict[str, mx.array]:
    flat: Any = tree_flatten(tree)
    return {prefix + name: array for name, array in flat}


def _tree(arrays: dict[str, mx.array], prefix: str) -> Tree:
    found = [(name.removeprefix(prefix), array) for name, array in arrays.items() if name.startswith(prefix)]
    tree: Tree = tree_unflatten(found)
    return tree
