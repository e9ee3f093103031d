"""Work that pauses, so that other work can use the processor."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar, cast

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that pauses after every forward of a decoder; any thread may resume it."""


def never() -> bool:
    """Return False: nothing cancels this work."""
    return False


def finish(steps: Generator[object, None, T]) -> T:
    """Run the rest of the work without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast(T, end.value)
