"""Options of a recipe: a dataclass, whose fields are flags."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import MISSING, fields
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Options = TypeVar("Options")


def add_options(
    parser: argparse.ArgumentParser, options: type[Any], says: Mapping[str, str], named: Mapping[str, str] | None = None
) -> None:
    """Add a flag for every field that `says` tells the meaning of; its kind and usual value are the field's.

    A field without a usual value must be given; one that is usually true is switched off by --no-NAME. `named` has
    those flags that are not called as their field is.
    """
    hints, usual = get_type_hints(options), {field.name: field.default for field in fields(options)}
    for name, meaning in says.items():
        kind, default = hints[name], usual[name]
        choices = get_args(kind) if get_origin(kind) is Literal else None
        if not choices:
            kind = next((part for part in get_args(kind) if part is not NoneType), kind)
        flag = (named or {}).get(name, name).replace("_", "-")
        if kind is bool:
            action = "store_false" if default else "store_true"
            parser.add_argument(f"--{'no-' if default else ''}{flag}", dest=name, action=action, help=meaning)
            continue
        shown = "" if default is None or default is MISSING else " (default: %(default)s)"
        parser.add_argument(
            f"--{flag}",
            dest=name,
            type=str if choices else kind,
            choices=choices,
            default=None if default is MISSING else default,
            required=default is MISSING,
            metavar=None if choices else {int: "N", float: "X", str: "NAME"}.get(kind, "PATH"),
            help=f"{meaning}{shown}",
        )


def read_options(options: type[Options], args: argparse.Namespace) -> Options:
    """Make a dataclass of options of what a command line gave for its fields. OptionError where it is out of range."""
    kind: Any = options
    names = {option.name for option in fields(kind)}
    made: Options = kind(**{name: value for name, value in vars(args).items() if name in names})
    return made
