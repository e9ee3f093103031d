"""Target languages of a language model, read from its folder without loading it."""

from __future__ import annotations

import json

from engine.errors import ModelError
from engine.models.catalogue import find_model
from engine.translate.languages import NAMES


def translation_targets(model: str) -> tuple[str, ...]:
    """Return the codes of a model's target languages; all known ones if it does not say.

    Raises:
        ModelError: there is no such model here.
    """
    _, folder = find_model(model, "language")
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
