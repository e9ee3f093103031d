"""The models that Earshot knows by name, and where they are on this machine. Nothing is downloaded here."""

from __future__ import annotations

import importlib.util
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from engine.errors import ModelError
from engine.models.added_models import added_models
from engine.models.hub_cache import cached_repository as cached_repository

Kind = Literal["hearing", "language", "voice"]
_DOES: dict[str, str] = {"hearing": "hears", "language": "translates and answers", "voice": "speaks"}
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
        package: the Python package that is the model, or None.
        note: one sentence more, or empty.
        research: whether it is there to be compared with others, and no choice for anybody else.
        errors_percent: of the words of a published set of English; see catalogue.toml.
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
    package: str | None = None
    note: str = ""
    research: bool = False
    errors_percent: float | None = None

    @property
    def ships(self) -> bool:
        """Tell whether it comes with Earshot, and so is neither fetched nor deleted."""
        return self.folder is not None or self.package is not None

    @property
    def repositories(self) -> tuple[str, ...]:
        """Where its weights may have come from, the one to fetch first."""
        return (self.repo, *self.also) if self.repo else self.also

    def local_folder(self) -> Path | None:
        """Where the model is on this machine: shipped, or in the Hugging Face cache; None where it is not."""
        if self.folder is not None:
            folder = ASSETS / self.folder
            return folder if (folder / "config.json").is_file() else None
        if self.package is not None:
            return _package_folder(self.package)
        return next((found for repo in self.repositories if (found := cached_repository(repo)) is not None), None)


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """All entries by name, in the order people should see them."""
    text = resources.files("engine.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {
        name: CatalogueEntry(**{**fields, "name": name, "also": tuple(fields.get("also", ()))})
        for name, fields in tomllib.loads(text).items()
    }


def _package_folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return Path(next(iter(found.submodule_search_locations))) if found and found.submodule_search_locations else None


def find_model(name_or_folder: str | Path, kind: Kind = "hearing") -> tuple[str, Path]:
    """Find a model by the name of the catalogue or that it was added under, by folder, by file where it is one of
    whisper.cpp's that hears, or by cached Hugging Face repository: its name, and its folder or file.

    ModelError where there is none, or where the name is that of a model of another kind.
    """
    path = Path(name_or_folder).expanduser()
    name = str(name_or_folder)
    entry = catalogue().get(name)
    known = ", ".join(entry.name for entry in catalogue().values() if entry.kind == kind)
    if entry is not None:
        if entry.kind != kind:
            raise ModelError(_of_another_kind(name, entry.kind, kind, known))
        folder = entry.local_folder()
        if folder is None:
            raise ModelError(_absent(entry))
        return name, folder
    added = next((model for model in added_models() if model.name == name), None)
    if added is not None:
        if added.kind != kind:
            raise ModelError(_of_another_kind(name, added.kind, kind, known))
        folder = added.local_folder()
        if folder is None:
            raise ModelError(f"The model {name} is no longer in {added.folder or added.repo}. Add it again.")
        return name, folder
    if name and path.is_dir():
        return path.resolve().name, path
    if path.is_file() and kind == "hearing":
        return path.stem, path  # a model of whisper.cpp's, or else a problem for those who read it
    if path.is_file():
        raise ModelError(f"{path} is a file. Give the folder that holds config.json and model.safetensors.")
    if name.count("/") == 1 and (folder := cached_repository(name)) is not None:
        return name, folder
    raise ModelError(f"There is no model called {name!r} and no such folder. Known models: {known}.")


def _of_another_kind(name: str, is_kind: str, needed: Kind, known: str) -> str:
    return f"The model {name} {_DOES.get(is_kind, is_kind)}; here one is needed that {_DOES[needed]}: {known}."


def _absent(entry: CatalogueEntry) -> str:
    if entry.repo is None:
        return f"The model {entry.name} should be in {ASSETS / (entry.folder or '')}, but it is not. Reinstall Earshot."
    return (
        f"The model {entry.name} is not on this machine. Fetch it with `earshot models get {entry.name}` or under "
        f"Models in the window ({entry.download_megabytes} MB), or give a folder that holds it."
    )
