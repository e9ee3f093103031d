"""Identify the language of speech with a Whisper of several languages that is on this machine."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from engine.audio import Samples
from engine.errors import EngineError
from engine.loading.library import library

LEAST_PROBABILITY = 0.6
"""Lowest probability of a language that is believed."""

LARGEST_BYTES = 600_000_000
"""Largest weights of a model that is loaded for this beside another one: those of Whisper small."""


def identify_language(samples: Samples) -> str | None:
    """Return the language code of speech (n,) of up to 30 s; None without a model, or if it is unsure."""
    place = smallest_of_several_languages()
    if place is None:
        return None
    from engine.hear.whisper.decode import detect_language
    from engine.hear.whisper.load import load_hearing_model
    from engine.hear.whisper.padding import make_padding

    try:
        hearing = load_hearing_model(place)
        heard = make_padding(hearing).listen(hearing.model, samples)
        code, probabilities = detect_language(hearing.model, hearing.tokenizer, heard)
    except EngineError:  # a damaged model: captions go on without it
        return None
    return code if probabilities[code] >= LEAST_PROBABILITY else None


def smallest_of_several_languages() -> Path | None:
    """Return the folder or file of the smallest Whisper of several languages here; None without one."""
    from engine.hear.whisper.files.stored import open_whisper
    from engine.hear.whisper.model import MULTILINGUAL_VOCABULARY
    from engine.weights.storage import files_of

    found: list[tuple[int, Path]] = []
    for model in library():
        if model.kind != "hearing" or model.folder is None or not model.installed:
            continue
        with suppress(EngineError, OSError):
            size = sum(file.stat().st_size for file in files_of(model.folder))
            config = open_whisper(model.folder).config
            if size <= LARGEST_BYTES and config.dims.n_vocab >= MULTILINGUAL_VOCABULARY and config.languages is None:
                found.append((size, model.folder))
    return min(found, default=(0, None))[1]
