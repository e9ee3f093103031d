"""What was chosen in the window, kept in one small file beside the last captions. No Qt."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.options import TranslationOptions

FILE_NAME = "preferences.json"
_KEPT = ("target", "bias", "mask", "stable")


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person has chosen.

    Attributes:
        translates: whether captions are translated.
        translation: how, when they are.
    """

    translates: bool = False
    translation: TranslationOptions = field(default_factory=TranslationOptions)

    @property
    def translation_options(self) -> TranslationOptions | None:
        """What to translate with; None where it is off."""
        return self.translation if self.translates else None


class PreferencesFile:
    """Keeps and gives back the preferences.

    Attributes:
        path: the file; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME

    def load(self) -> Preferences:
        """What was saved last, or what is usual where nothing was.

        Raises:
            EngineError: the file is damaged.
        """
        try:
            return _preferences(json.loads(self.path.read_text(encoding="utf-8")))
        except (FileNotFoundError, NotADirectoryError):
            return Preferences()
        except (OSError, ValueError, KeyError, TypeError, AttributeError, EngineError) as error:
            raise EngineError(f"The settings in {self.path} cannot be read; the usual ones are used.") from error

    def save(self, preferences: Preferences) -> None:
        """Replace what was saved.

        Raises:
            EngineError: the file cannot be written; the old one is still there.
        """
        partial = self.path.with_suffix(".partial")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial.write_text(json.dumps(_record(preferences), indent=1) + "\n", encoding="utf-8")
            os.replace(partial, self.path)
        except OSError as error:
            raise EngineError(f"The settings cannot be saved in {self.path}: {error.strerror}.") from error


def _record(preferences: Preferences) -> dict[str, Any]:
    kept = {name: getattr(preferences.translation, name) for name in _KEPT}
    return {"translates": preferences.translates, "translation": kept}


def _preferences(record: dict[str, Any]) -> Preferences:
    """Read a record; names that are missing get their usual values, unknown ones are left out."""
    kept = {name: value for name, value in record["translation"].items() if name in _KEPT}
    usual = TranslationOptions()
    for name, value in kept.items():
        if type(value) is not type(getattr(usual, name)):
            raise TypeError(f"{name} is {value!r}")
    translates = record["translates"]
    if not isinstance(translates, bool):
        raise TypeError(f"translates is {translates!r}")
    return Preferences(translates, TranslationOptions(**kept))
