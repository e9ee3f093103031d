"""Models that the user added to those of the catalogue: folders and files of their own, and other repositories.

Only the location is stored: weights are gigabytes, and stay where the user put them.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_data_path

from engine.errors import ModelError
from engine.models.hub_cache import cached_repository
from engine.weights.storage import storage_of


@dataclass(frozen=True, slots=True)
class AddedModel:
    """A model that was added.

    Attributes:
        name: its unique name.
        kind: its purpose, as in the catalogue.
        folder: its folder, or the file of a whisper.cpp or GGUF model; empty if it comes from a hub.
        repo: the repository it came from, or empty.
    """

    name: str
    kind: str
    folder: str = ""
    repo: str = ""

    def local_folder(self) -> Path | None:
        """Return where it is now; None if it is gone."""
        if self.repo:
            return cached_repository(self.repo)
        place = Path(self.folder)
        if (place / "config.json").is_file() or storage_of(place) in ("ggml", "gguf", "marian", "onnx"):
            return place
        return None


def added_path() -> Path:
    """Return the path of the file that lists them."""
    return user_data_path("earshot", appauthor=False) / "models.json"


def added_models() -> tuple[AddedModel, ...]:
    """Return all of them, in the order they were added; empty if the file is missing or damaged."""
    try:
        kept = json.loads(added_path().read_text(encoding="utf-8"))["models"]
        models = tuple(
            AddedModel(each["name"], each["kind"], each.get("folder", ""), each.get("repo", "")) for each in kept
        )
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return ()
    return tuple(model for model in models if all(isinstance(value, str) for value in asdict(model).values()))


def keep_added(models: tuple[AddedModel, ...]) -> None:
    """Replace the stored list.

    Raises:
        ModelError: it cannot be written.
    """
    path = added_path()
    partial = path.with_suffix(".partial")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.write_text(json.dumps({"models": [asdict(model) for model in models]}, indent=1), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise ModelError(f"The list of added models cannot be saved in {path}: {error.strerror}.") from error
