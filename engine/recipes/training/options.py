"""Options of a recipe, read from the command line."""

from __future__ import annotations

import argparse
from dataclasses import fields
from typing import Any, TypeVar

Options = TypeVar("Options")


def read_options(options: type[Options], args: argparse.Namespace) -> Options:
    """Make a dataclass of options of what a command line gave for its fields. OptionError where it is out of range."""
    kind: Any = options
    names = {option.name for option in fields(kind)}
    made: Options = kind(**{name: value for name, value in vars(args).items() if name in names})
    return made
