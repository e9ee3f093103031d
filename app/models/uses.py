"""Purposes of models, and the preference of each. No Qt."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from app.preferences.preferences import Models, Preferences
from engine.errors import EngineError
from engine.language.llama_cpp.binding import is_installed
from engine.language.servers.address import read_address
from engine.loading.advice import goals_of, knows
from engine.loading.library import LibraryModel
from engine.models.catalogue import catalogue
from engine.models.into_english import translates_into_english

GENERAL_MODEL = "qwen2.5-1.5b-gguf"
"""Model that is offered to those who ask the starter assistant, where there is no graphics processor."""


class Use(Enum):
    """A purpose of a model; its value is the goal in engine.loading.advice."""

    CAPTIONS = "captions"
    TRANSLATION = "translation"
    ANSWERS = "answers"
    VOICE = "voice"


def possible_uses(model: LibraryModel) -> tuple[Use, ...]:
    """Return the purposes that a model could serve."""
    return tuple(Use(goal) for goal in goals_of(model))


def may_be_offered(model: LibraryModel) -> bool:
    """Return whether a model can be run here: GGUF models need a package of their own."""
    return not model.is_gguf or model.installed or is_installed()


def uses_of(model: LibraryModel, preferences: Preferences) -> tuple[Use, ...]:
    """Return the purposes that a model serves now; a preference may hold its name, its folder or its repository."""
    names = {model.name, model.repo, str(model.folder)} - {""}
    return tuple(use for use in possible_uses(model) if chosen_for(use, preferences) in names)


def chosen_for(use: Use, preferences: Preferences) -> str:
    """Return the model that is selected for a purpose."""
    models = preferences.models
    return {
        Use.CAPTIONS: models.hearing,
        Use.TRANSLATION: models.translation,
        Use.ANSWERS: models.assistant,
        Use.VOICE: preferences.assistant.voice.voice,
    }[use]


def title_of(model: str) -> str:
    """Return the title of a model, given its name; one that was added has only its name or folder."""
    entry = catalogue().get(model)
    return entry.title if entry is not None else model


def put_to_use(model: LibraryModel, use: Use, preferences: Preferences) -> Preferences:
    """Return the preferences with a model selected for a purpose. Another voice starts with its default speaker."""
    if use is Use.VOICE:
        voice = replace(preferences.assistant.voice, voice=model.name, speaker=None)
        return replace(preferences, assistant=replace(preferences.assistant, voice=voice))
    field = {Use.CAPTIONS: "hearing", Use.TRANSLATION: "translation", Use.ANSWERS: "assistant"}[use]
    return replace(preferences, models=replace(preferences.models, **{field: model.name}))


def unheard_language(preferences: Preferences, interface: str) -> str:
    """Return the code of the language that is probably spoken if the model does not know it; otherwise empty."""
    language = preferences.captions.language or interface
    entry = catalogue().get(preferences.models.hearing)
    return language if entry is not None and not knows(entry, language) else ""


def can_translate_by_ear(preferences: Preferences) -> bool:
    """Return whether the model that hears can translate another language, which may be spoken, into English."""
    try:
        can = translates_into_english(preferences.models.hearing)
    except EngineError:
        return False
    return can and preferences.captions.language != "en"


def translates_roughly(model: str) -> bool:
    """Return whether a model translates everyday sentences only."""
    return model == Models().translation


def general_model_bytes(preferences: Preferences) -> int:
    """Return the size of a model that answers more than the starter; 0 if another is used or none can be run here."""
    if preferences.models.assistant != Models().assistant or not is_installed():
        return 0
    return sum(file.size_bytes for file in catalogue()[GENERAL_MODEL].files)


def host_of(model: str) -> str:
    """Return the other computer that answers; "" if this one does."""
    try:
        address = read_address(model)
    except EngineError:
        return ""
    return "" if address.is_here else address.host


def unanswered_language(preferences: Preferences, interface: str) -> str:
    """Return the code of the window's language if the assistant's model does not know it; otherwise empty."""
    entry = catalogue().get(preferences.models.assistant)
    return interface if entry is not None and not knows(entry, interface) else ""
