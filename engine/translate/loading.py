"""Loading of a model that translates: one made to translate (Marian's kind), or a language model, also a GGUF file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.models.catalogue import find_model
from engine.weights.storage import gguf_in

if TYPE_CHECKING:
    from engine.language.token_model import TranslationModel


def load_translation_model(name_or_folder: str | Path = "starter-language") -> TranslationModel:
    """Load a model by catalogue name, folder or cached repository. Raises ModelError if it cannot be loaded."""
    from engine.language.language_model import load_language_model
    from engine.language.marian.folder import is_translation_folder
    from engine.language.marian.model import MarianModel
    from engine.machine import backend

    name, folder = find_model(name_or_folder, "language")
    if (file := gguf_in(folder)) is not None:
        from engine.language.llama_cpp.model import GgufModel

        return GgufModel(name, file)
    if not is_translation_folder(folder):
        return load_language_model(name_or_folder)
    backend.prepare()
    return MarianModel(name, folder)
