"""Target languages of the models on this machine, read from their folders without loading them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from engine.errors import ModelError
from engine.language.marian.folder import is_translation_folder, languages_of
from engine.language.servers.address import is_address
from engine.models.added_models import added_models
from engine.models.catalogue import catalogue, find_model
from engine.translate.languages import NAMES, base_of
from engine.weights.storage import gguf_in

STARTER = "starter-language"
"""The model that every other one translates better than."""


def translation_targets(model: str) -> tuple[str, ...]:
    """Return the codes of the languages that can be translated into: a model's own, then those of other models here.

    All known ones if the model does not say. The others translate one pair of languages each.

    Raises:
        ModelError: there is no such model here.
    """
    return tuple(dict.fromkeys((*_own_targets(model), *targets_of_pairs())))


def targets_of_pairs() -> tuple[str, ...]:
    """Return the codes of the languages that models here, made for one pair of languages each, translate into."""
    return tuple(dict.fromkeys(target for _, (_, target) in _pairs()))


def model_for(model: str, target: str, source: str | None = None) -> str:
    """Return the model that translates into a language: the chosen one, or another one here that was made for it.

    The other one is used if the chosen one cannot, or is the starter, which translates roughly. `source` is the spoken
    language, if known. The chosen one stands if there is no other one, and will say itself what it cannot do.
    """
    wanted = base_of(target)
    with suppress(ModelError):
        can = wanted in {base_of(code) for code in _own_targets(model)}
        if not can or model == STARTER:
            fits = (
                name
                for name, (spoken, into) in _pairs()
                if base_of(into) == wanted and (source is None or base_of(source) == base_of(spoken))
            )
            return next(fits, model)
    return model


def downloadable(target: str) -> str | None:
    """Return the name of a model of the catalogue that was made to translate English into a language, or None."""
    wanted = ("en", base_of(target))
    return next((entry.name for entry in catalogue().values() if entry.files and entry.pair == wanted), None)


def _pairs() -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the models here that translate one pair of languages: downloaded ones first, they are the better ones."""
    for entry in sorted(catalogue().values(), key=lambda entry: entry.ships):
        if entry.pair is not None and entry.local_folder() is not None:
            yield entry.name, entry.pair
    for added in added_models():
        folder = added.local_folder() if added.kind == "language" else None
        pair = _pair_of(folder) if folder is not None else None
        if pair is not None:
            yield added.name, pair


def _pair_of(folder: Path) -> tuple[str, str] | None:
    with suppress(ModelError):
        if is_translation_folder(folder):
            return languages_of(folder)
    return None


def _own_targets(model: str) -> tuple[str, ...]:
    if is_address(model):
        return tuple(NAMES)
    _, folder = find_model(model, "language")
    if gguf_in(folder) is not None:
        return tuple(NAMES)
    if is_translation_folder(folder):
        pair = languages_of(folder)
        return tuple(NAMES) if pair is None else pair[1:]
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path} cannot be read: it should describe a language model.") from error
    own = config.get("earshot") if isinstance(config, dict) else None
    targets = own.get("translates_to") if isinstance(own, dict) else None
    if isinstance(targets, list) and all(isinstance(code, str) for code in targets):
        return tuple(targets)
    return tuple(NAMES)
