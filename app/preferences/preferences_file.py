"""Preferences in one small file: read as far as they are known and good, written whole or not at all. No Qt."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from app.preferences.preferences import Preferences
from app.preferences.reading import Reading, read_preferences, written
from engine.errors import EngineError

FILE_NAME = "preferences.json"
MOST_BYTES = 4_000_000
"""A file beyond this is none of ours."""


class PreferencesFile:
    """Keeps and gives back the preferences.

    Attributes:
        path: the file; it need not exist.
        ignored: what the last load could not use, a sentence for each value.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self.ignored: tuple[str, ...] = ()

    def load(self) -> Preferences:
        """Read what was saved last, or what is usual where nothing was; a single bad value costs no other.

        Raises:
            EngineError: the file is damaged; it was put aside, and the usual values hold.
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
        """Replace what was saved.

        Raises:
            EngineError: the file cannot be written; the old one is still there.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self.path, preferences)
        except OSError as error:
            raise EngineError(f"The settings cannot be saved in {self.path}: {error.strerror}.") from error

    def _put_aside(self) -> str:
        """Keep a damaged file from being written over; say where it is."""
        aside = self.path.with_suffix(".damaged.json")
        try:
            os.replace(self.path, aside)
        except OSError:
            return ""
        return f" What was there is now in {aside}."


def export_preferences(preferences: Preferences, path: Path) -> None:
    """Write preferences to a file of the person's choice.

    Raises:
        EngineError: it cannot be written; what was there before still is.
    """
    try:
        _write(path, preferences)
    except OSError as error:
        raise EngineError(f"The settings cannot be exported to {path}: {error.strerror}.") from error


def import_preferences(path: Path, now: Preferences) -> Reading:
    """Read preferences that were exported, on this machine or another.

    What belongs to this machine or cannot be undone stays as it is `now`: that the first run is over, where window and
    overlay stand, and that nothing is deleted from the history sooner than was said here.

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
    """Other preferences, without what would lose something here that no undo brings back."""
    days = _longest(now.history.days, chosen.history.days)
    return replace(
        chosen,
        history=replace(chosen.history, keeps=now.history.keeps, days=days),
        behaviour=replace(chosen.behaviour, welcomed=now.behaviour.welcomed),
        overlay=replace(chosen.overlay, places=now.overlay.places, shown=now.overlay.shown),
        window=now.window,
    )


def _longest(one: int | None, other: int | None) -> int | None:
    """The longer of two times; None is for ever."""
    return None if one is None or other is None else max(one, other)


def _read(path: Path) -> Reading:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError("too large")
    return read_preferences(path.read_text(encoding="utf-8"))


def _write(path: Path, preferences: Preferences) -> None:
    """Write beside the file first, so that it is never half written; only the owner may read it."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(written(preferences))
        os.replace(partial, path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
