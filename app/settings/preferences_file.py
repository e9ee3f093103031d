"""Preferences in one small file: read as far as they are known, written whole or not at all. No Qt."""

from __future__ import annotations

import json
import os
import types
import typing
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from app.settings.preferences import Preferences
from engine.errors import EngineError

FILE_NAME = "preferences.json"


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
            return read_preferences(self.path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return Preferences()
        except (OSError, ValueError, EngineError) as error:
            raise EngineError(f"The settings in {self.path} cannot be read; the usual ones are used.") from error

    def save(self, preferences: Preferences) -> None:
        """Replace what was saved.

        Raises:
            EngineError: the file cannot be written; the old one is still there.
        """
        partial = self.path.with_suffix(".partial")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial.write_text(written(preferences), encoding="utf-8")
            os.replace(partial, self.path)
        except OSError as error:
            raise EngineError(f"The settings cannot be saved in {self.path}: {error.strerror}.") from error


def written(preferences: Preferences) -> str:
    """Preferences as JSON."""
    return json.dumps(asdict(preferences), indent=1, ensure_ascii=False) + "\n"


def read_preferences(text: str) -> Preferences:
    """The preferences that JSON says: names that are missing get their usual values, unknown ones are left out.

    Raises:
        ValueError: it is no JSON, or a value is of the wrong type.
        OptionError: a value is out of range.
    """
    return typing.cast(Preferences, _read(Preferences, json.loads(text), "settings"))


def _read(kind: Any, value: Any, name: str) -> Any:
    """Take a value of a record for what a field may hold."""
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise ValueError(f"{name} must be an object, not {value!r}")
        hints = typing.get_type_hints(kind)
        known = [each.name for each in fields(kind) if each.name in value]
        return kind(**{each: _read(hints[each], value[each], each) for each in known})  # type: ignore[operator]
    origin = get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        (kind,) = (each for each in get_args(kind) if each is not type(None))
        return _read(kind, value, name)
    if origin is typing.Literal:
        return _read(str, value, name)  # the dataclass knows its choices
    if origin is tuple:
        return _read_tuple(get_args(kind), value, name)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{name} must be {kind.__name__}, not {value!r}")
    return value


def _read_tuple(kinds: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError(f"{name} must be a list, not {value!r}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_read(kinds[0], each, name) for each in value)
    if len(kinds) != len(value):
        raise ValueError(f"{name} must have {len(kinds)} values, not {len(value)}")
    return tuple(_read(kind, each, name) for kind, each in zip(kinds, value, strict=True))
