"""The models that Earshot knows by name, and where they are on this machine. Nothing is downloaded here."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from engine.errors import ModelError

Kind = Literal["hearing", "language"]
_DOES: dict[Kind, str] = {"hearing": "hears", "language": "translates and answers"}
ASSETS = Path(__file__).resolve().parents[2] / "assets"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model that can be asked for by name.

    Attributes:
        name: what a person types.
        kind: what it does.
        title: what a person reads.
        languages: "English", or how many.
        licence: of the weights.
        download_megabytes: 0 for what ships with the program.
        memory_megabytes: roughly, while in use.
        repo: the Hugging Face repository to fetch it from, or None.
        also: other repositories with the same weights, used where they are already here.
        folder: its place under assets/, or None.
        note: one sentence more, or empty.
    """

    name: str
    kind: Kind
    title: str
    languages: str
    licence: str
    download_megabytes: int
    memory_megabytes: int
    repo: str | None = None
    also: tuple[str, ...] = ()
    folder: str | None = None
    note: str = ""

    def local_folder(self) -> Path | None:
        """Where the model is on this machine: shipped, or in the Hugging Face cache; None where it is not."""
        if self.folder is not None:
            folder = ASSETS / self.folder
            return folder if (folder / "config.json").is_file() else None
        repositories = (self.repo, *self.also) if self.repo else self.also
        return next((found for repo in repositories if (found := cached_repository(repo)) is not None), None)


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """All entries by name, in the order people should see them."""
    text = resources.files("engine.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {
        name: CatalogueEntry(**{**fields, "name": name, "also": tuple(fields.get("also", ()))})
        for name, fields in tomllib.loads(text).items()
    }


def cached_repository(repo: str) -> Path | None:
    """The newest local snapshot of a Hugging Face repository, or None; asks no network."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(repo, "config.json")
    except HFValidationError:
        return None
    return Path(found).parent if isinstance(found, str) else None


def find_model(name_or_folder: str | Path, kind: Kind = "hearing") -> tuple[str, Path]:
    """Find a model by catalogue name, folder, or cached Hugging Face repository: its name and folder.

    ModelError where there is none, or where the name is that of a model of another kind.
    """
    path = Path(name_or_folder).expanduser()
    name = str(name_or_folder)
    entry = catalogue().get(name)
    known = ", ".join(entry.name for entry in catalogue().values() if entry.kind == kind)
    if entry is not None:
        if entry.kind != kind:
            raise ModelError(f"The model {name} {_DOES[entry.kind]}; here one is needed that {_DOES[kind]}: {known}.")
        folder = entry.local_folder()
        if folder is None:
            raise ModelError(_absent(entry))
        return name, folder
    if name and path.is_dir():
        return path.resolve().name, path
    if path.is_file():
        raise ModelError(f"{path} is a file. Give the folder that holds config.json and model.safetensors.")
    if name.count("/") == 1 and (folder := cached_repository(name)) is not None:
        return name, folder
    raise ModelError(f"There is no model called {name!r} and no such folder. Known models: {known}.")


def _absent(entry: CatalogueEntry) -> str:
    if entry.repo is None:
        return f"The model {entry.name} should be in {ASSETS / (entry.folder or '')}, but it is not. Reinstall Earshot."
    return (
        f"The model {entry.name} is not on this machine. Fetch it with `hf download {entry.repo}` "
        f"({entry.download_megabytes} MB), or give a folder that holds it."
    )
