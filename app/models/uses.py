"""What models are used for, and by which preference. No Qt."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from importlib.util import find_spec

from app.preferences.preferences import Preferences
from engine.loading.advice import goals_of, knows
from engine.loading.library import LibraryModel
from engine.models.catalogue import catalogue


class Use(Enum):
    """A part that a model plays, by the name of its goal in engine.loading.advice."""

    CAPTIONS = "captions"
    TRANSLATION = "translation"
    ANSWERS = "answers"
    VOICE = "voice"


def possible_uses(model: LibraryModel) -> tuple[Use, ...]:
    """List what a model could be used for."""
    return tuple(Use(goal) for goal in goals_of(model))


def may_be_offered(model: LibraryModel) -> bool:
    """Tell whether a model that is here or could be fetched can be run: Kokoro needs a package of its own."""
    return model.name != "kokoro" or model.installed or find_spec("mlx_audio") is not None


def uses_of(model: LibraryModel, preferences: Preferences) -> tuple[Use, ...]:
    """List what a model is used for now; a preference may name it, its folder or its repository."""
    names = {model.name, model.repo, str(model.folder)} - {""}
    return tuple(use for use in possible_uses(model) if chosen_for(use, preferences) in names)


def chosen_for(use: Use, preferences: Preferences) -> str:
    """Which model plays a part."""
    models = preferences.models
    return {
        Use.CAPTIONS: models.hearing,
        Use.TRANSLATION: models.translation,
        Use.ANSWERS: models.assistant,
        Use.VOICE: preferences.assistant.voice.voice,
    }[use]


def title_of(model: str) -> str:
    """Return what a person calls a model, given its name; one that was added has its name or folder alone."""
    entry = catalogue().get(model)
    return entry.title if entry is not None else model


def put_to_use(model: LibraryModel, use: Use, preferences: Preferences) -> Preferences:
    """The preferences with a model in that part. Another voice begins with its usual speaker."""
    if use is Use.VOICE:
        voice = replace(preferences.assistant.voice, voice=model.name, speaker=None)
        return replace(preferences, assistant=replace(preferences.assistant, voice=voice))
    field = {Use.CAPTIONS: "hearing", Use.TRANSLATION: "translation", Use.ANSWERS: "assistant"}[use]
    return replace(preferences, models=replace(preferences.models, **{field: model.name}))


def unheard_language(preferences: Preferences, interface: str) -> str:
    """Give the code of the language that is likely spoken where the model does not hear it; else nothing."""
    language = preferences.captions.language or interface
    entry = catalogue().get(preferences.models.hearing)
    return language if entry is not None and not knows(entry, language) else ""


def unanswered_language(preferences: Preferences, interface: str) -> str:
    """Give the code of the window's language where the assistant's model does not know it; else nothing."""
    entry = catalogue().get(preferences.models.assistant)
    return interface if entry is not None and not knows(entry, interface) else ""
