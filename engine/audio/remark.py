"""Remarks about recordings. The module imports nothing, so that the window's process loads no decoder."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark about a recording that is odd in some way, but was read completely."""

    sentence: str
