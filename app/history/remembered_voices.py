"""Voices that a person has named, remembered for later recordings if that is wanted. On this computer alone."""

from __future__ import annotations

import base64
import binascii
import json
import os
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from engine.errors import reason_of
from engine.events import VOICE_PRINT_VALUES, KnownVoice

FILE_NAME = "voices.json"
MOST_VOICES = 50
"""Most voices that are remembered; the oldest goes first."""

_BYTES = 4 * VOICE_PRINT_VALUES


class RememberedVoices(QObject):
    """Names and voice prints in a file of their own, which only its owner can read.

    Nothing is written or used while Preferences.history.voices is off, and switching it off erases the file. A voice
    print is a few numbers: whom they belong to can be recognised, what was said cannot be heard from them.

    Signals:
        changed: the names are others now.
        failed: why a voice is not kept, or not erased, in one sentence.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, folder: Path, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = folder / FILE_NAME
        self._settings = settings
        self._is_private = False
        settings.changed.connect(self._follow)

    def set_private(self, private: bool) -> None:
        """Remember no voice that is named from now on, or remember them again."""
        self._is_private = private

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the voices that are remembered, the oldest first."""
        return tuple(self._read())

    def known(self) -> tuple[KnownVoice, ...]:
        """Return the voices for a new recording; none where they are not wanted."""
        if not self._settings.preferences.history.voices:
            return ()
        return tuple(KnownVoice(name, voice) for name, voice in self._read().items())

    def remember(self, name: str, voice: bytes) -> None:
        """Keep the voice that a person has named, in place of an earlier one of that name."""
        if name and len(voice) == _BYTES and self._settings.preferences.history.voices and not self._is_private:
            others = {each: kept for each, kept in self._read().items() if each != name}
            self._write(dict(list({**others, name: voice}.items())[-MOST_VOICES:]))

    def forget(self, name: str) -> None:
        """Erase a voice."""
        self._write({each: voice for each, voice in self._read().items() if each != name})

    def _follow(self, before: Preferences, after: Preferences) -> None:
        if before.history.voices and not after.history.voices:
            self._write({})

    def _read(self) -> dict[str, bytes]:
        """Return the voices by name; what is damaged is left out."""
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            voices = {name: base64.b64decode(voice, validate=True) for name, voice in kept.items()}
        except (OSError, ValueError, AttributeError, TypeError, binascii.Error):
            return {}
        return {name: voice for name, voice in voices.items() if len(voice) == _BYTES}

    def _write(self, voices: dict[str, bytes]) -> None:
        try:
            if voices:
                self._replace(json.dumps({name: base64.b64encode(voice).decode() for name, voice in voices.items()}))
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            self.failed.emit(f"The voices in {self._path} are still those of before: {reason_of(error)}.")
        self.changed.emit()

    def _replace(self, text: str) -> None:
        """Replace the file as a whole. Raises OSError; it is then what it was."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = self._path.with_suffix(".part")
        try:
            with open(part, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(text)
            os.replace(part, self._path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
