"""A real engine process whose models are scripts: real pipe, real session, known words and translations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from app.engine_link.engine_client import EngineClient
from app.engine_link.engine_pulse import Patience
from engine.events import Word
from engine.process.process import LanguageLoader, serve
from lab.recipes.speech.espeak import Speech
from tests.app.scripted_models import PlantedModel, ScriptedAssistant, ScriptedModel
from tests.scripted_translator import ScriptedLanguageModel


def words_of(speech: Speech) -> tuple[Word, ...]:
    """Return the words of a speech, with their times."""
    pairs = zip(speech.text.split(), speech.words, strict=True)
    return tuple(Word(f" {text}", start, end, 0.9) for text, (start, end) in pairs)


def scripted_client(
    speech: Speech,
    load_language: LanguageLoader | None = ScriptedLanguageModel(),  # noqa: B008 - it is frozen
    start_seconds: float = 0.0,
) -> EngineClient:
    """Make a client whose engine hears this speech from a second of the transcript on, and translates into capitals."""
    load = ScriptedModel(tuple(word.delayed(start_seconds) for word in words_of(speech)))
    return EngineClient(serve=partial(serve, load=load, load_language=load_language))


def planted_client(words: Sequence[Word], patience: Patience = Patience()) -> EngineClient:  # noqa: B008 - it is frozen
    """Make a client whose engine reads these words from the samples that they are planted in."""
    load = PlantedModel(tuple(words))
    serving = partial(serve, load=load, load_language=ScriptedLanguageModel(), beat_seconds=patience.look_seconds / 2)
    return EngineClient(serve=serving, patience=patience)


def conversing_client(speech: Speech, replies: dict[str, str]) -> EngineClient:
    """Make a client whose engine hears this speech and speaks the scripted replies with the built-in voice."""
    load = ScriptedModel(words_of(speech))
    return EngineClient(serve=partial(serve, load=load, load_assistant=ScriptedAssistant(tuple(replies.items()))))
