"""Conversion of preferences to and from JSON; unknown names are skipped, invalid values reported one by one."""

from __future__ import annotations

import json
import types
import typing
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any, get_args, get_origin

from app.preferences.preferences import Preferences
from engine.errors import OptionError


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of parsing preferences.

    Attributes:
        ignored: one sentence for each value that could not be used.
    """

    preferences: Preferences
    ignored: tuple[str, ...] = ()


def written(preferences: Preferences) -> str:
    """Format preferences as JSON."""
    return json.dumps(asdict(preferences), indent=1, ensure_ascii=False) + "\n"


def read_preferences(text: str) -> Reading:
    """Parse preferences from JSON; missing and invalid values get their defaults.

    Raises:
        ValueError: it is not a JSON object, or has none of the known names.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError(f"settings must be an object, not {value!r:.80}")
    if value and not any(each.name in value for each in fields(Preferences)):
        raise ValueError("none of the names is one of ours")
    ignored: list[str] = []
    return Reading(_record(Preferences, Preferences(), value, "", ignored), tuple(ignored))


def _record(kind: Any, usual: Any, value: dict[str, Any], path: str, ignored: list[str]) -> Any:
    """Build a record from the valid values; invalid ones are added to `ignored` and taken from the `usual` record, if
    any.
    """
    hints = typing.get_type_hints(kind)
    good: dict[str, Any] = {}
    ignored.extend(
        f"The setting {path}{name} was ignored: there is none of that name." for name in value if name not in hints
    )
    for name in (each.name for each in fields(kind) if each.name in value):
        if value[name] is None and type(None) not in get_args(hints[name]):
            continue  # an earlier version stored None for the default here
        own = getattr(usual, name, None)
        try:
            good[name] = _value(hints[name], own, value[name], f"{path}{name}", ignored)
        except ValueError as error:
            if usual is None:
                raise
            ignored.append(_sentence(f"{path}{name}", str(error), own))
    if usual is not None:
        return _agreeing(usual, good, path, ignored)
    try:
        return kind(**good)
    except (OptionError, TypeError) as error:  # TypeError: a value without a default is missing
        raise ValueError(str(error)) from error


def _agreeing(usual: Any, values: dict[str, Any], path: str, ignored: list[str]) -> Any:
    """Replace values of a record. If its check fails, leave out the one at fault, or else apply the values one by
    one.
    """

    def note(name: str, error: OptionError) -> None:
        ignored.append(_sentence(f"{path}{name}", str(error), getattr(usual, name)))

    try:
        return replace(usual, **values)
    except OptionError as error:
        for name in values:
            try:
                made = replace(usual, **{each: value for each, value in values.items() if each != name})
            except OptionError:
                continue
            note(name, error)
            return made
    made = usual
    for name, value in values.items():
        try:
            made = replace(made, **{name: value})
        except OptionError as error:
            note(name, error)
    return made


def _value(kind: Any, usual: Any, value: Any, name: str, ignored: list[str]) -> Any:
    """Convert a JSON value to the type of a field. Raises ValueError if it has another type."""
    if is_dataclass(kind):
        if not isinstance(value, dict):
            raise ValueError(f"it must be an object, not {value!r:.80}")
        return _record(kind, usual, value, f"{name}.", ignored)
    origin = get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        (kind,) = (each for each in get_args(kind) if each is not type(None))
        return _value(kind, usual, value, name, ignored)
    if origin is typing.Literal:
        return _value(str, usual, value, name, ignored)  # the record checks its choices
    if origin is tuple:
        return _sequence(get_args(kind), value, name, ignored)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"it must be {_TYPES[kind]}, not {value!r:.80}")
    return value


def _sequence(kinds: tuple[Any, ...], value: Any, name: str, ignored: list[str]) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise ValueError(f"it must be a list, not {value!r:.80}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise ValueError(f"it must have {len(kinds)} values, not {len(value)}")
    return tuple(_value(kind, None, each, name, ignored) for kind, each in zip(kinds, value, strict=True))


_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def _sentence(name: str, why: str, usual: Any) -> str:
    shown = "the usual one" if is_dataclass(usual) else repr(usual)
    return f"The setting {name} was ignored: {why.rstrip('.')}. It is now {shown}."
