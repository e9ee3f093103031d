"""The models on this machine: their state, their size, and how to add or remove them."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from os.path import expanduser
from pathlib import Path
from typing import Literal

from engine.errors import ModelError
from engine.language.marian.folder import is_translation_folder, languages_of
from engine.models.added_models import AddedModel, added_models, keep_added
from engine.models.catalogue import CatalogueEntry, catalogue
from engine.models.hub_cache import CachedRepository, cached_repository
from engine.weights.safetensors import UNREAD_SUFFIXES
from engine.weights.storage import files_of, gguf_in

Source = Literal["ships", "hub", "folder"]
Fit = Literal["well", "barely", "not"]
Problem = Literal["", "no weights", "unread weights", "gone"]

_REPO = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
MEGABYTE = 1_000_000
MOST_OF_MEMORY, ALL_OF_MEMORY = 0.5, 0.85
"""Shares of a machine's memory up to which a model fits well, and up to which it fits at all."""

_ON_A_MAC = {"hearing": 0.5, "language": 0.3, "voice": 1.0}
"""Share of the float32 memory that a model needs where its weights stay in their stored type."""


@dataclass(frozen=True, slots=True)
class LibraryModel:
    """A model and its present state on this machine.

    Attributes:
        name: its name in commands and settings.
        kind: its purpose, as in the catalogue.
        source: ships with Earshot, comes from a hub, or is the user's own folder.
        download_megabytes: size of the download; 0 if there is none.
        memory_megabytes: approximate memory in use on this machine; 0 if unknown.
        repo: the repository it is downloaded from, or empty.
        folder: its folder; None if it is not on this machine.
        disk_bytes: disk space that deleting it would free.
        fetched_bytes: size of the downloaded part of an unfinished download.
        unfinished_bytes: full size of that download; 0 if there is none.
        problem: what is wrong with the local files, or empty.
        research: whether it is only meant for comparisons.
        errors_percent: word error rate on a published English test set; None if none was published.
        pair: codes of the only languages that it translates from and into; None if it can do more or something else.
        codes, sample: as in the catalogue.
        is_gguf: it is a GGUF file, which llama.cpp runs.
    """

    name: str
    kind: str
    source: Source
    title: str
    languages: str = ""
    licence: str = ""
    note: str = ""
    download_megabytes: int = 0
    memory_megabytes: int = 0
    repo: str = ""
    folder: Path | None = None
    disk_bytes: int = 0
    fetched_bytes: int = 0
    unfinished_bytes: int = 0
    problem: Problem = ""
    research: bool = False
    errors_percent: float | None = None
    pair: tuple[str, str] | None = None
    codes: tuple[str, ...] = ()
    sample: str = ""
    is_gguf: bool = False

    @property
    def installed(self) -> bool:
        return self.folder is not None and not self.problem


def library() -> list[LibraryModel]:
    """Return all models of the catalogue, then those that were added. Reads the disk, uses no network."""
    return [_of_catalogue(entry) for entry in catalogue().values()] + [_of_added(model) for model in added_models()]


def library_model(name: str) -> LibraryModel:
    """Return a model of the library. Raises ModelError if there is none of that name."""
    if name in catalogue():
        return _of_catalogue(catalogue()[name])
    found = next((model for model in added_models() if model.name == name), None)
    if found is None:
        raise ModelError(f"There is no model called {name!r}. `earshot models` lists those there are.")
    return _of_added(found)


def memory_megabytes() -> int:
    """Return this machine's memory in megabytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MEGABYTE


def fit(model: LibraryModel, machine_megabytes: int) -> Fit:
    """Return how a model fits into a machine's memory beside other programs."""
    if model.memory_megabytes <= MOST_OF_MEMORY * machine_megabytes:
        return "well"
    return "barely" if model.memory_megabytes <= ALL_OF_MEMORY * machine_megabytes else "not"


def repository_of(name: str) -> str:
    """Return the repository that a model of the library is downloaded from, or the name if it is a repository
    itself.

    Raises:
        ModelError: it is neither, or there is nothing to download.
    """
    entry = catalogue().get(name)
    if entry is not None:
        if entry.repo is None:
            raise ModelError(f"The model {name} came with Earshot; there is nothing to fetch.")
        return entry.repo
    added = next((model for model in added_models() if model.name == name), None)
    if added is not None:
        if not added.repo:
            raise ModelError(f"The model {name} is in {added.folder}; there is nothing to fetch.")
        return added.repo
    if not _REPO.fullmatch(name):
        known = ", ".join(entry.name for entry in catalogue().values() if entry.repo)
        raise ModelError(
            f"There is no model called {name!r} to fetch. Known are {known}; any other is given as its repository on "
            "Hugging Face, such as openai/whisper-small."
        )
    return name


def add_folder(folder: Path, name: str = "") -> AddedModel:
    """Add a model's folder, or a file of whisper.cpp's or llama.cpp's, to the library; it stays in its place.

    `name` defaults to the folder's name, or the file's without its suffix.

    Raises:
        ModelError: it holds no model that Earshot runs, or the name is taken.
    """
    from engine.loading.check import check_model

    whole = Path(expanduser(folder)).resolve()
    kind = check_model(whole)
    own = whole.stem if whole.is_file() else whole.name
    return _added(AddedModel(_free_name(name or own, str(whole)), kind, folder=str(whole)))


def is_repository(text: str) -> bool:
    """Return whether a text names a repository rather than a folder."""
    return _REPO.fullmatch(text) is not None and not Path(expanduser(text)).exists()


def add_repository(repo: str) -> AddedModel:
    """Add a downloaded repository to the library; one of the catalogue is there under its name already.

    Raises:
        ModelError: it holds no model that Earshot runs, or the name is taken.
    """
    from engine.loading.check import check_model

    known = next((entry for entry in catalogue().values() if repo in entry.repositories), None)
    folder = cached_repository(repo) if known is None else known.local_folder()
    if folder is None:
        raise ModelError(f"{repo} is not on this machine. Fetch it with `earshot models get {repo}`.")
    kind = check_model(folder)
    if known is not None:
        return AddedModel(known.name, kind, repo=repo)
    return _added(AddedModel(_free_name(repo.partition("/")[2], repo), kind, repo=repo))


def remove_model(name: str) -> int:
    """Delete a model's download, or remove a folder from the library without deleting it; return the freed bytes.

    Raises:
        ModelError: there is no such model here, it came with Earshot, or something of it cannot be deleted.
    """
    model = library_model(name)
    if model.source == "ships":
        raise ModelError(f"The model {name} came with Earshot and stays.")
    entry = catalogue().get(name)
    repos = entry.repositories if entry is not None else tuple(filter(None, [model.repo]))
    present = [cached for cached in map(CachedRepository, repos) if cached.folder.exists()]
    if entry is not None and not present:
        raise ModelError(f"The model {name} is not on this machine.")
    try:
        freed = sum(cached.remove() for cached in present)
    except OSError as error:
        raise ModelError(f"The model {name} cannot be deleted: {error.filename}: {error.strerror}.") from error
    if entry is None:
        keep_added(tuple(each for each in added_models() if each.name != name))
    return freed


def discard_download(repo: str) -> None:
    """Delete an unfinished download. Raises ModelError if something of it cannot be deleted."""
    cached = CachedRepository(repo)
    plan = cached.plan()
    if plan is None:
        return
    try:
        cached.discard_partial(plan)
    except OSError as error:
        raise ModelError(f"What was fetched of {repo} cannot be deleted: {error.strerror}.") from error


def _of_catalogue(entry: CatalogueEntry) -> LibraryModel:
    folder = entry.local_folder()
    cached = [CachedRepository(repo) for repo in entry.repositories]
    fetched, unfinished = _unfinished(cached[0]) if entry.repo else (0, 0)
    return LibraryModel(
        entry.name,
        entry.kind,
        "ships" if entry.ships else "hub",
        entry.title,
        entry.languages,
        entry.licence,
        entry.note,
        entry.download_megabytes,
        memory_here(entry.kind, entry.memory_megabytes),
        entry.repo or "",
        folder,
        0 if entry.ships else sum(each.size_bytes() for each in cached if each.folder.is_dir()),
        fetched,
        unfinished,
        _problem(folder) if folder is not None and entry.package is None else "",
        entry.research,
        entry.errors_percent,
        entry.pair,
        entry.codes,
        entry.sample,
        entry.is_gguf,
    )


def _of_added(model: AddedModel) -> LibraryModel:
    folder = model.local_folder()
    cached = CachedRepository(model.repo) if model.repo else None
    fetched, unfinished = _unfinished(cached) if cached else (0, 0)
    size = sum(file.stat().st_size for file in files_of(folder)) if folder else 0
    like = _whisper_like(folder)
    return LibraryModel(
        model.name,
        model.kind,
        "hub" if model.repo else "folder",
        model.name,
        languages=like.languages if like is not None else "",
        memory_megabytes=memory_here(like.kind, like.memory_megabytes) if like is not None else size // MEGABYTE,
        repo=model.repo,
        folder=folder or (None if model.repo else Path(model.folder)),
        disk_bytes=cached.size_bytes() if cached and cached.folder.is_dir() else 0,
        fetched_bytes=fetched,
        unfinished_bytes=unfinished,
        problem=_problem(folder) if folder else "" if model.repo else "gone",
        is_gguf=folder is not None and gguf_in(folder) is not None,
        pair=languages_of(folder) if folder is not None and is_translation_folder(folder) else None,
    )


_SIZES = {
    (384, 4): "tiny",
    (512, 6): "base",
    (768, 12): "small",
    (1024, 24): "medium",
    (1280, 32): "large-v3",
    (1280, 4): "large-v3-turbo",
}
"""Whispers by the states and layers of their decoders."""

_ENGLISH_VOCABULARY = 51864


def _whisper_like(folder: Path | None) -> CatalogueEntry | None:
    """Return the Whisper of the catalogue that has the shape of an added model; None if it is another kind of model."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8")) if folder is not None else None
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(config, dict) or config.get("model_type", "whisper") != "whisper":
        return None
    states = config.get("d_model", config.get("n_text_state"))
    layers = config.get("decoder_layers", config.get("n_text_layer"))
    size = _SIZES.get((states, layers)) if isinstance(states, int) and isinstance(layers, int) else None
    english = config.get("vocab_size", config.get("n_vocab")) == _ENGLISH_VOCABULARY
    return catalogue().get(f"{size}.en" if english else size) if size is not None else None


def _unfinished(cached: CachedRepository) -> tuple[int, int]:
    plan = cached.plan()
    return (cached.done_bytes(plan), plan.size_bytes) if plan is not None else (0, 0)


def _problem(folder: Path) -> Problem:
    """Return what is missing, as far as the first bytes of the files show it."""
    weights = files_of(folder)
    if weights:
        return "" if all(path.exists() for path in weights) else "no weights"  # a link may be broken
    return "unread weights" if any(path.suffix in UNREAD_SUFFIXES for path in folder.iterdir()) else "no weights"


def memory_here(kind: str, megabytes: int) -> int:
    """Return the memory on this machine of a model that needs `megabytes` in float32."""
    return round(megabytes * _ON_A_MAC[kind]) if sys.platform == "darwin" else megabytes


def _free_name(wanted: str, place: str) -> str:
    """Return the name if it is free. Raises ModelError if it is taken."""
    other = next((model for model in added_models() if model.name == wanted), None)
    taken = wanted in catalogue() or (other is not None and place not in (other.folder, other.repo))
    if taken or not wanted:
        raise ModelError(f"There is a model called {wanted!r} already. Give another name.")
    return wanted


def _added(model: AddedModel) -> AddedModel:
    keep_added((*(each for each in added_models() if each.name != model.name), model))
    return model
