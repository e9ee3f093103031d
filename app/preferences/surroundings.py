"""Choices that the settings can offer on this machine: models, voices, devices, a tray. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.models.added_models import added_models
from engine.models.catalogue import catalogue
from engine.translate.targets import translation_targets

Offer = tuple[str, str]
"""A stored value and its label."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Facts about this machine, and the models on it.

    Attributes:
        data_folder: the folder of settings and history.
        has_tray: whether the desktop shows tray icons.
        no_hotkey: why system-wide keys are unavailable, in a sentence; empty if they work.
    """

    data_folder: Path
    has_tray: bool = True
    no_hotkey: str = ""

    def models(self, kind: str, *, research: bool = True, chosen: str = "") -> tuple[Offer, ...]:
        """Return the local models of a kind ("hearing", "language", "voice"); research models only with `research`
        or if `chosen`.
        """
        offered = (each for each in catalogue().values() if research or not each.research or each.name == chosen)
        found = [(entry.name, entry.title) for entry in offered if entry.kind == kind and entry.local_folder()]
        found += [(model.name, model.name) for model in added_models() if model.kind == kind and model.local_folder()]
        return tuple(found)

    def targets(self, model: str) -> tuple[str, ...]:
        """Return the codes of the languages that a model translates into; empty if it is not here."""
        try:
            return translation_targets(model)
        except EngineError:
            return ()

    def speakers(self, voice: str) -> tuple[str, ...]:
        """Return the speakers of a voice, as far as they are known without starting it."""
        from engine.speak.choice import speakers_of

        return speakers_of(voice)
