"""A real engine process whose model is a script: real pipe, real session, known words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from app.engine_client import EngineClient
from engine.events import Word
from engine.process import serve
from engine.recipes.espeak import Speech
from tests.app.scripted_models import PlantedModel, ScriptedModel


def words_of(speech: Speech) -> tuple[Word, ...]:
    """What a speech says and when."""
    pairs = zip(speech.text.split(), speech.words, strict=True)
    return tuple(Word(f" {text}", start, end, 0.9) for text, (start, end) in pairs)


def scripted_client(speech: Speech) -> EngineClient:
    """A client whose engine hears this speech."""
    return EngineClient(serve=partial(serve, load=ScriptedModel(words_of(speech))))


def planted_client(words: Sequence[Word]) -> EngineClient:
    """A client whose engine reads these words from the samples that they are planted in."""
    return EngineClient(serve=partial(serve, load=PlantedModel(tuple(words))))
