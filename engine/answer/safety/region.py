"""The region of a machine, by its environment."""

from __future__ import annotations

import re
from collections.abc import Mapping

_VARIABLES = ("LC_ALL", "LC_TELEPHONE", "LC_ADDRESS", "LANG")
"""Variables of the locale; those that name the place come before the one that names the language."""

_LOCALE = re.compile(r"[A-Za-z]{2,3}_([A-Z]{2})\b")


def region_of(environment: Mapping[str, str]) -> str | None:
    """Read the region (ISO 3166, such as "DE") from the locale of an environment; return None if it names none."""
    for variable in _VARIABLES:
        if found := _LOCALE.match(environment.get(variable, "")):
            return found[1]
    return None
