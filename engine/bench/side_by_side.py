"""Several ways of doing the same, measured one right after the other on each thing that they are tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar


class HasName(Protocol):
    @property
    def name(self) -> str: ...


Way = TypeVar("Way", bound=HasName)
Case = TypeVar("Case")
Result = TypeVar("Result")
_Way = TypeVar("_Way", contravariant=True)
_Case = TypeVar("_Case", contravariant=True)


class Saved(Protocol[_Way, _Case, Result]):
    """What remembers results: engine.bench.captions.saved.SavedCases does."""

    def get(self, ways: Sequence[_Way], case: _Case) -> dict[str, Result] | None: ...

    def add(self, ways: Sequence[_Way], case: _Case, results: dict[str, Result]) -> None: ...


def compare(
    ways: Sequence[Way],
    cases: Sequence[Case],
    measure: Callable[[Way, Case], Result],
    saved: Saved[Way, Case, Result] | None = None,
) -> Iterator[dict[str, Result]]:
    """Measure each case in every way; yields after every case what it came to, by the ways' names.

    All ways measure a case one right after the other, so that a machine that slows down slows all of them down, and
    another way begins each time, so that none always has the warmest processor. What was saved is not measured again.
    """
    for number, case in enumerate(cases):
        found = saved.get(ways, case) if saved else None
        if found is None:
            first = number % len(ways)
            found = {way.name: measure(way, case) for way in (*ways[first:], *ways[:first])}
            if saved:
                saved.add(ways, case, found)
        yield found
