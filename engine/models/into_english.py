"""Recognition models that can translate speech into English, told without loading them."""

from __future__ import annotations

import json
from typing import Any

from engine.models.catalogue import catalogue, find_model

_ENGLISH = "English"
_MULTILINGUAL_VOCABULARY = 51865
_TURBO = (1280, 4)
"""States and layers of the decoder of Whisper large-v3-turbo, which was not trained to translate."""


def translates_into_english(model: str) -> bool:
    """Return whether a recognition model knows several languages and was trained to translate them into English.

    True if its folder does not say; such a model transcribes when it cannot translate.

    Raises:
        ModelError: there is no such model here.
    """
    entry = catalogue().get(model)
    if entry is not None:
        return entry.languages != _ENGLISH and not entry.name.endswith("turbo")
    _, place = find_model(model, "hearing")
    try:
        config: Any = json.loads((place / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return True  # whisper.cpp's files have no config.json
    if not isinstance(config, dict):
        return True
    size = config.get("vocab_size", config.get("n_vocab", _MULTILINGUAL_VOCABULARY))
    shape = (
        config.get("d_model", config.get("n_text_state")),
        config.get("decoder_layers", config.get("n_text_layer")),
    )
    is_whisper = config.get("model_type", "whisper") == "whisper"
    return is_whisper and isinstance(size, int) and size >= _MULTILINGUAL_VOCABULARY and shape != _TURBO
