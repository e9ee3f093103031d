"""Averages models of one kind, weight by weight: the mean of several ends of one training knows more than each of them.

Wortsman et al., "Model soups: averaging weights of multiple fine-tuned models improves accuracy without increasing
inference time" (arXiv:2203.05482).
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError, OptionError

WEIGHTS = "model.safetensors"


def average(folders: Sequence[Path], out: Path) -> None:
    """Write the mean of the models in some folders to another; everything but the weights is the first one's.

    Raises:
        OptionError: fewer than two models, or `out` is one of them.
        ModelError: a model's weights are missing, or are not of the first one's names and shapes.
    """
    if len(folders) < 2:
        raise OptionError("models must be at least two folders: there is nothing to average.")
    if out.resolve() in [folder.resolve() for folder in folders]:
        raise OptionError(f"export must be another folder than the models', not {out}.")
    models = [_weights(folder) for folder in folders]
    shapes = {name: tensor.shape for name, tensor in models[0].items()}
    for folder, tensors in zip(folders, models, strict=True):
        if {name: tensor.shape for name, tensor in tensors.items()} != shapes:
            raise ModelError(f"{folder} and {folders[0]} are not of one shape: their mean would be no model.")
    from safetensors.numpy import save_file

    means = {name: _mean([tensors[name] for tensors in models]) for name in shapes}
    out.mkdir(parents=True, exist_ok=True)
    for path in folders[0].iterdir():
        if path.is_file() and path.name != WEIGHTS:
            shutil.copy(path, out / path.name)
    save_file(means, out / WEIGHTS, metadata={"format": "pt"})


def _weights(folder: Path) -> dict[str, NDArray[np.generic]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(folder / WEIGHTS)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{folder} holds no {WEIGHTS} that can be read ({error}).") from error


def _mean(tensors: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
    mean: NDArray[np.generic] = np.mean([t.astype(np.float32) for t in tensors], axis=0).astype(tensors[0].dtype)
    return mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    parser.add_argument("--models", type=Path, nargs="+", required=True, help="folders with model.safetensors")
    parser.add_argument("--export", type=Path, required=True, help="where their mean goes")


def run(args: argparse.Namespace) -> None:
    """Average as the command line asks."""
    average(args.models, args.export)
