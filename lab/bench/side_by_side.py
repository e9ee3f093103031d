"""Several ways of doing the same, measured one right after the other on each thing that they are tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from engine.errors import OptionError
from lab.bench.saved import SavedCases


class HasName(Protocol):
    @property
    def name(self) -> str: ...


AnyMethod = TypeVar("AnyMethod", bound=HasName)
Case = TypeVar("Case")
Result = TypeVar("Result")


def choose(known: Sequence[AnyMethod], names: str, usual: Sequence[str] = ()) -> tuple[AnyMethod, ...]:
    """Choose ways by their names with commas between, in their own order.

    Without names the `usual` ones are chosen, of those that are known; where none are, all of them.

    Raises:
        OptionError: a name that no way has.
    """
    asked = [name.strip() for name in names.split(",") if name.strip()]
    for name in asked:
        if name not in [way.name for way in known]:
            raise OptionError(f"--methods must be of {', '.join(way.name for way in known)}, not {name!r}.")
    wanted = asked or usual
    return tuple(way for way in known if not wanted or way.name in wanted)


def compare(
    ways: Sequence[AnyMethod],
    cases: Sequence[Case],
    measure: Callable[[AnyMethod, Case], Result],
    saved: SavedCases[Result] | None = None,
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
