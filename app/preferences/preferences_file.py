"""Storage of preferences in one small file: invalid values are skipped, and writing is atomic. No Qt."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from app.preferences.preferences import Preferences
from app.preferences.reading import Reading, read_preferences, written
from engine.errors import EngineError, reason_of

FILE_NAME = "preferences.json"
MOST_BYTES = 4_000_000
"""Largest file that is read, in bytes."""


class PreferencesFile:
    """Reads and writes the file of preferences.

    Attributes:
        path: the file; it need not exist.
        ignored: one sentence for each value that the last load could not use.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.ignored: tuple[str, ...] = ()

    def load(self) -> Preferences:
        """Read the stored preferences, or the defaults if there are none. An invalid value is replaced by its
        default.

        Raises:
            EngineError: the file is damaged; it was renamed, and the defaults apply.
        """
        self.ignored = ()
        try:
            reading = _read(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return Preferences()
        except OSError as error:
            raise EngineError(f"The settings in {self.path} cannot be read; the usual ones are used.") from error
        except ValueError as error:
            raise EngineError(
                f"The settings in {self.path} cannot be read; the usual ones are used.{self._put_aside()}"
            ) from error
        self.ignored = reading.ignored
        return reading.preferences

    def save(self, preferences: Preferences) -> None:
        """Replace the stored preferences.

        Raises:
            EngineError: the file cannot be written; the old one is unchanged.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.parent.chmod(0o700)  # it may have been made by another program, for all to read
            _write(self.path, preferences)
        except OSError as error:
            raise EngineError(f"The settings cannot be saved in {self.path}: {reason_of(error)}.") from error

    def _put_aside(self) -> str:
        """Rename a damaged file, so that it is not overwritten; return a sentence with its new name."""
        aside = self.path.with_suffix(".damaged.json")
        try:
            os.replace(self.path, aside)
        except OSError:
            return ""
        return f" What was there is now in {aside}."


def export_preferences(preferences: Preferences, path: Path) -> None:
    """Write preferences to a file that the user chose.

    Raises:
        EngineError: it cannot be written; its earlier content is unchanged.
    """
    try:
        _write(path, preferences)
    except OSError as error:
        raise EngineError(f"The settings cannot be exported to {path}: {error.strerror}.") from error


def import_preferences(path: Path, now: Preferences) -> Reading:
    """Read exported preferences, from this machine or another.

    Values that belong to this machine or cannot be undone stay as they are `now`: that the first run is over, the
    positions of window and overlay, and the rules for deleting history.

    Raises:
        EngineError: the file cannot be read, or holds no settings.
    """
    try:
        reading = _read(path)
    except OSError as error:
        raise EngineError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise EngineError(f"{path} holds no settings that Earshot has exported. Nothing was changed.") from error
    return replace(reading, preferences=keep_what_is_here(reading.preferences, now))


def keep_what_is_here(chosen: Preferences, now: Preferences) -> Preferences:
    """Return other preferences without changes that would irrecoverably delete something here."""
    days = _longest(now.history.days, chosen.history.days)
    return replace(
        chosen,
        history=replace(chosen.history, keeps=now.history.keeps, days=days),
        behaviour=replace(chosen.behaviour, welcomed=now.behaviour.welcomed),
        overlay=replace(chosen.overlay, places=now.overlay.places, shown=now.overlay.shown),
        window=now.window,
    )


def _longest(one: int | None, other: int | None) -> int | None:
    """Return the longer of two times; None is forever."""
    return None if one is None or other is None else max(one, other)


def _read(path: Path) -> Reading:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError("too large")
    return read_preferences(path.read_text(encoding="utf-8"))


def _write(path: Path, preferences: Preferences) -> None:
    """Write to a temporary file first, so that the file is never half written; only the owner may read it."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(written(preferences))
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
