"""The folder of a translation model: what it is and which languages it translates, without loading it."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import ModelError
from engine.weights.model_folder import read_json
from engine.weights.storage import binary_in

_PAIR = re.compile(r"(?:model\.|opus-mt-(?:tc-(?:big|base)-)?)([a-z]{2,3})-?([a-z]{2,3})\b")


def is_translation_folder(folder: Path) -> bool:
    """Return whether a folder holds a model of Marian's kind, as its first bytes or its configuration say."""
    if not folder.is_dir():
        return False
    if any(folder.glob("*.spm")) and binary_in(folder) is not None:
        return True
    config = folder / "config.json"
    return config.is_file() and read_json(config).get("model_type") == "marian"


def check_translation(folder: Path) -> None:
    """Check a folder without reading its weights. Raises ModelError if something is wrong with it."""
    from engine.language.marian.spelling import Spelling  # the window lists languages without what these load
    from engine.language.marian.stored import open_stored

    Spelling(folder, open_stored(folder).shape)
    if languages_of(folder) is None:
        raise ModelError(
            f"Nothing in {folder} says which languages its model translates. Name the folder after them, such as "
            "opus-mt-en-de, or leave the name of Firefox's file, such as model.ende.intgemm.alphas.bin."
        )


def languages_of(folder: Path) -> tuple[str, str] | None:
    """Return the codes of the languages that a model translates from and into, by the names of its files.

    Firefox's files and OPUS-MT's folders have them in their names. None if there are none.
    """
    for name in _names_of(folder):
        found = _PAIR.search(name)
        if found is not None:
            return found[1], found[2]
    return None


def is_aligned(folder: Path) -> bool:
    """Return whether a model was taught to look at the word that it translates, as far as its names tell.

    Its files do not say so. Firefox's models were, since a page keeps its links by that, and so were OPUS-MT's (their
    "transformer-align"), but for the large ones ("transformer-big").
    """
    if binary_in(folder) is not None:
        return True
    names = _names_of(folder)
    return any("opus-mt-" in name for name in names) and not any("-tc-big-" in name for name in names)


def _names_of(folder: Path) -> list[str]:
    """Return the names of a model in small letters: that of its file, or of its configuration, and its folders'."""
    binary = binary_in(folder)
    config = folder / "config.json"
    own = read_json(config) if binary is None and config.is_file() else {}
    names = [binary.name if binary is not None else str(own.get("_name_or_path", "")), *reversed(folder.parts)]
    return [name.casefold() for name in names]
