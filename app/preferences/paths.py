"""Access to single values of preferences by a dotted path such as "overlay.points". No Qt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.preferences.preferences import Preferences


def value_at(preferences: Preferences, path: str) -> Any:
    """Return the value at a path. Raises AttributeError if there is no such path."""
    value: Any = preferences
    for name in path.split("."):
        value = getattr(value, name)
    return value


def with_value(preferences: Preferences, path: str, value: Any) -> Preferences:
    """Return the preferences with another value at a path.

    Raises:
        OptionError: the value is out of range, or does not fit the other values.
    """
    return _with(preferences, path.split("."), value)  # type: ignore[no-any-return]


def _with(record: Any, names: list[str], value: Any) -> Any:
    first, *rest = names
    return replace(record, **{first: _with(getattr(record, first), rest, value) if rest else value})
