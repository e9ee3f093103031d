"""What the settings can offer on this machine: models, voices, devices, a tray. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.models.added_models import added_models
from engine.models.catalogue import catalogue
from engine.translate.targets import translation_targets

Offer = tuple[str, str]
"""What is stored, and what a person reads."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Facts about this machine, and models that it has.

    Attributes:
        data_folder: where settings and history are kept.
        has_tray: whether the desktop shows icons of programs that run.
        no_hotkey: why no key can be taken from everywhere, in a sentence; empty where it can.
    """

    data_folder: Path
    has_tray: bool = True
    no_hotkey: str = ""

    def models(self, kind: str, *, research: bool = True, chosen: str = "") -> tuple[Offer, ...]:
        """The models of a kind that are here ("hearing", "language"); those of `research` too, or if `chosen`."""
        offered = (each for each in catalogue().values() if research or not each.research or each.name == chosen)
        found = [(entry.name, entry.title) for entry in offered if entry.kind == kind and entry.local_folder()]
        found += [(model.name, model.name) for model in added_models() if model.kind == kind and model.local_folder()]
        return tuple(found)

    def targets(self, model: str) -> tuple[str, ...]:
        """The codes of the languages that a model translates into; none where it is not here."""
        try:
            return translation_targets(model)
        except EngineError:
            return ()

    def speakers(self, voice: str) -> tuple[str, ...]:
        """The speakers of a voice, as far as they can be told without starting it."""
        if voice != "espeak":
            return ()
        from engine.speak.espeak_library import espeak_library

        try:
            return tuple(sorted(espeak_library().languages()))
        except (ImportError, OSError, RuntimeError):
            return ()
