"""The weights that tell speakers apart, which come with Earshot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelError

Tensors = dict[str, NDArray[np.float32]]

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "speakers"


def load_tensors(name: str, path: Path | None = None) -> Tensors:
    """Return the tensors of one network as float32, from its file in assets or from `path`.

    Raises:
        ModelError: the file is missing or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = path or FOLDER / f"{name}.safetensors"
    try:
        return {key: values.astype(np.float32) for key, values in load_file(path).items()}
    except (OSError, SafetensorError) as error:
        raise ModelError(f"The weights for speakers, {path}, are missing or damaged. Install Earshot again.") from error
