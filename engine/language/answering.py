"""Models that answer, wherever they run: with MLX, with llama.cpp, or on a server."""

from __future__ import annotations

from pathlib import Path

from engine.language.language_model import load_language_model
from engine.language.servers.address import is_address
from engine.language.servers.model import ServedModel, load_served_model
from engine.language.token_model import AnsweringModel
from engine.models.catalogue import find_model
from engine.weights.storage import gguf_in

AnyAnsweringModel = AnsweringModel | ServedModel


def load_answering_model(name_or_place: str | Path = "starter-assistant") -> AnyAnsweringModel:
    """Load a model by name, folder, GGUF file, cached repository or address of a server.

    Raises ModelError if it cannot be loaded.
    """
    if is_address(str(name_or_place)):
        return load_served_model(str(name_or_place))
    return load_token_model(name_or_place)


def load_token_model(name_or_place: str | Path) -> AnsweringModel:
    """Load a model whose probabilities can be read, so any but a server's. Raises ModelError if it cannot be loaded."""
    name, place = find_model(name_or_place, "language")
    if (file := gguf_in(place)) is not None:
        from engine.language.llama_cpp.model import GgufModel

        return GgufModel(name, file)
    return load_language_model(name_or_place)
