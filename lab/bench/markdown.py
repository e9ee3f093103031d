"""Tables of Markdown, laid out from the rows of a bench's record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a table.

    Attributes:
        title: the heading.
        key: the figure's name in a row of the record.
        shown: writes the figure.
    """

    title: str
    key: str
    shown: Callable[[Any], str]


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal."""
    return f"{100 * share:.1f}%"


def whole_percent(share: float) -> str:
    """Write a share as a whole percentage."""
    return f"{100 * share:.0f}%"


def seconds(value: float) -> str:
    """Write seconds with two decimals."""
    return f"{value:.2f} s"


def milliseconds(value: float) -> str:
    """Write seconds as whole milliseconds."""
    return f"{1000 * value:.0f} ms"


def tenths_of_milliseconds(value: float) -> str:
    """Write seconds as milliseconds with one decimal."""
    return f"{1000 * value:.1f} ms"


def times(value: float) -> str:
    """Write a number with one decimal."""
    return f"{value:.1f}"


def thousandths(value: float) -> str:
    """Write a number with three decimals."""
    return f"{value:.3f}"


def times_as_fast(value: float) -> str:
    """Write a speed-up; that of the baseline is 1."""
    return "1" if value == 1 else f"{value:.1f} times as fast"


def hundredths(value: float) -> str:
    """Write a number with two decimals."""
    return f"{value:.2f}"


def table(fields: Sequence[Field], rows: Iterable[Record]) -> str:
    """Lay rows out as Markdown, without the columns that no row has a figure for."""
    listed = list(rows)
    kept = [each for each in fields if any(row.get(each.key) is not None for row in listed)]
    return grid([each.title for each in kept], ([cell(each, row) for each in kept] for row in listed))


def cell(field: Field, row: Record) -> str:
    """Write one figure of a row; nothing where it has none."""
    value = row.get(field.key)
    return "" if value is None else field.shown(value)


def grid(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay cells out as a table of Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def headline(
    what: str, columns: Mapping[str, str], rows: Mapping[str, Record], fields: Sequence[Field]
) -> Iterator[str]:
    """Yield a table with a row for each field and a column for each method that was measured."""
    known = [name for name in columns if name in rows]
    cells = ([each.title, *(cell(each, rows[name]) for name in known)] for each in fields)
    yield grid((what, *(columns[name] for name in known)), cells)
