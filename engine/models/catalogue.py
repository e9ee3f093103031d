"""The models that Earshot knows by name, and where they are on this machine. Nothing is downloaded here."""

from __future__ import annotations

import importlib.util
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from os.path import expanduser
from pathlib import Path
from typing import Any, Literal

from engine.errors import ModelError
from engine.models.added_models import added_models
from engine.models.hub_cache import cached_repository as cached_repository
from engine.models.published import PublishedFile
from engine.weights.storage import storage_of

Kind = Literal["hearing", "language", "voice"]
_DOES: dict[str, str] = {"hearing": "hears", "language": "translates and answers", "voice": "speaks"}
FIREFOX_MEGABYTES = 120
"""Approximate memory in use of one of Mozilla's translation models."""

ASSETS = Path(__file__).resolve().parents[2] / "assets"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A model that has a name.

    Attributes:
        name: the name that a user types.
        kind: its purpose.
        title: the name that a user reads.
        languages: "English", or a number of languages.
        licence: licence of the weights.
        download_megabytes: size of the download; 0 if it ships with the program.
        memory_megabytes: approximate memory in use.
        repo: the Hugging Face repository to download it from, or None.
        also: other repositories with the same weights, used if they are already on this machine.
        folder: its place under assets/, or None.
        package: the Python package that is the model, or None.
        note: an additional sentence, or empty.
        research: whether it is only meant for comparisons.
        errors_percent: word error rate on a published English test set; see catalogue.toml.
        files: what it is downloaded as, if it is not a repository on a hub: name, address, bytes and SHA-256 of each.
        pair: codes of the only languages that it translates from and into; None if it can do more or something else.
        codes: codes of the languages that a voice speaks; empty if `languages` says enough.
        sample: address of a page or a recording to hear a voice before it is downloaded; empty if there is none.
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
    files: tuple[PublishedFile, ...] = ()
    pair: tuple[str, str] | None = None
    codes: tuple[str, ...] = ()
    sample: str = ""

    @property
    def is_gguf(self) -> bool:
        """Return whether it is a GGUF file, which llama.cpp runs."""
        return any(file.name.endswith(".gguf") for file in self.files)

    @property
    def ships(self) -> bool:
        """Return whether it comes with Earshot, and so is neither downloaded nor deleted."""
        return self.folder is not None or self.package is not None

    @property
    def repositories(self) -> tuple[str, ...]:
        """Repositories that its weights may have come from; the first is the one to download."""
        return (self.repo, *self.also) if self.repo else self.also

    def local_folder(self) -> Path | None:
        """Return the model's folder on this machine: shipped, or in the Hugging Face cache; None if it is not here."""
        if self.folder is not None:
            folder = ASSETS / self.folder
            return folder if (folder / "config.json").is_file() or storage_of(folder) in ("marian", "onnx") else None
        if self.package is not None:
            return _package_folder(self.package)
        sign = max(self.files, key=lambda file: file.size_bytes).name if self.files else "config.json"
        return next((found for repo in self.repositories if (found := cached_repository(repo, sign)) is not None), None)


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """Return all entries by name, in the order of display."""
    return {
        name: CatalogueEntry(
            **{
                **fields,
                "name": name,
                "also": tuple(fields.get("also", ())),
                "codes": tuple(fields.get("codes", ())),
                "files": tuple(PublishedFile(*file) for file in fields.get("files", ())),
                "pair": tuple(fields["pair"]) if "pair" in fields else None,
            }
        )
        for name, fields in _table("catalogue.toml").items()
    } | {name: _of_firefox(name, fields) for name, fields in _table("firefox.toml").items()}


def published_files(repo: str) -> tuple[PublishedFile, ...]:
    """Return the files that a model of the catalogue is published as; none if its repository is on a hub."""
    return next((entry.files for entry in catalogue().values() if entry.repo == repo), ())


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("engine.models").joinpath(name).read_text(encoding="utf-8"))


def _of_firefox(name: str, fields: dict[str, Any]) -> CatalogueEntry:
    """Return the entry of one of Mozilla's models, named firefox-SOURCE-TARGET."""
    _, source, target = name.split("-")
    return CatalogueEntry(
        name,
        "language",
        f"Firefox {source} → {target}",
        fields["languages"],
        "MPL-2.0",
        fields["download_megabytes"],
        FIREFOX_MEGABYTES,
        repo=f"mozilla/{name}",
        files=tuple(PublishedFile(*file) for file in fields["files"]),
        pair=(source, target),
    )


def _package_folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return Path(next(iter(found.submodule_search_locations))) if found and found.submodule_search_locations else None


def find_model(name_or_folder: str | Path, kind: Kind = "hearing") -> tuple[str, Path]:
    """Return the name and the folder or file of a model.

    It is found by its name in the catalogue or the name it was added under, by folder, by file (a whisper.cpp model for
    recognition, a GGUF file for answers), or by cached Hugging Face repository.

    Raises ModelError if there is none, or if the name is that of a model of another kind.
    """
    path = Path(expanduser(name_or_folder))
    name = str(name_or_folder)
    entry = catalogue().get(name)
    known = ", ".join(entry.name for entry in catalogue().values() if entry.kind == kind and entry.pair is None)
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
        if storage_of(path) is None and not (path / "config.json").exists():
            raise no_model_in(path, kind)
        return path.resolve().name, path
    if path.is_file() and (kind == "hearing" or (kind == "language" and storage_of(path) == "gguf")):
        return path.stem, path  # a model of whisper.cpp's or llama.cpp's, or else a problem for those who read it
    if path.is_file():
        wanted = "the network and its settings" if kind == "voice" else "config.json and model.safetensors"
        raise ModelError(f"{path} is a file. Give the folder that holds {wanted}.")
    if name.count("/") == 1 and (folder := cached_repository(name)) is not None:
        return name, folder
    raise ModelError(f"There is no model called {name!r} and no such folder. Known models: {known}.")


def no_model_in(folder: Path, kind: Kind | None = None) -> ModelError:
    """Return the error that a folder holds no model of a kind, or a voice without what belongs beside its network."""
    if kind in (None, "voice") and any(folder.glob("*.onnx")):
        return ModelError(
            f"The voice in {folder} is not whole: beside the .onnx, Piper's have a file .onnx.json, and Kokoro has "
            "voices.safetensors or voices.bin. Copy or download it again."
        )
    return ModelError(f"There is no model in {folder}. Choose the folder that holds its weights and config.json.")


def _of_another_kind(name: str, is_kind: str, needed: Kind, known: str) -> str:
    return f"The model {name} {_DOES.get(is_kind, is_kind)}; here one is needed that {_DOES[needed]}: {known}."


def _absent(entry: CatalogueEntry) -> str:
    if entry.repo is None:
        return f"The model {entry.name} should be in {ASSETS / (entry.folder or '')}, but it is not. Reinstall Earshot."
    return (
        f"The model {entry.name} is not on this machine. Fetch it with `earshot models get {entry.name}` or under "
        f"Models in the window ({entry.download_megabytes} MB), or give a folder that holds it."
    )
