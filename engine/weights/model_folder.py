"""Files of a model folder of any kind: its JSON, and the location of its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import ModelError
from engine.weights.safetensors import ADVICE, UNREAD_SUFFIXES

WHISPERS_ELSEWHERE = "every openai/whisper-… repository on Hugging Face has the model in that format"


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object. Raises ModelError if it is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is not valid JSON ({error}). {ADVICE}") from error
    if not isinstance(content, dict):
        raise ModelError(f"{path} holds no JSON object. {ADVICE}")
    return content


def weight_files(folder: Path, elsewhere: str = WHISPERS_ELSEWHERE) -> list[Path]:
    """Return the safetensors files of a model folder: one, or the shards that an index lists.

    `elsewhere` says where models are available in this format, if the folder has weights in another format only.
    """
    for name in ("model.safetensors", "weights.safetensors"):
        if (folder / name).is_file():
            return [folder / name]
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        shards = read_json(index).get("weight_map")
        if not isinstance(shards, dict) or not shards:
            raise ModelError(f"{index} lists no files. {ADVICE}")
        paths = [folder / Path(str(name)).name for name in sorted(set(shards.values()))]
        missing = [path.name for path in paths if not path.is_file()]
        if missing:
            raise ModelError(f"{folder} lacks {', '.join(missing)}, which its index lists. {ADVICE}")
        return paths
    raise ModelError(_no_weights(folder, elsewhere))


def _no_weights(folder: Path, elsewhere: str) -> str:
    others = sorted(path.name for path in folder.iterdir() if path.suffix in UNREAD_SUFFIXES)
    if others:
        return (
            f"{folder} holds its weights as {others[0]}. Earshot reads safetensors instead, since such files can run "
            f"code; {elsewhere}."
        )
    return f"{folder} has no model.safetensors. {ADVICE}"
