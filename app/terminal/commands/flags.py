"""Which flag a bad value came from."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import OptionError


def named_by_flag(error: OptionError, flags: Mapping[str, str]) -> OptionError:
    """Say which flag an option came from whose field the error names first; `flags` has the flag of each field."""
    field, _, rest = str(error).partition(" ")
    return OptionError(f"{flags[field]} {rest}") if field in flags else error
