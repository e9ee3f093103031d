"""Figures of rows, for a terminal and for JSON: each is said once, with what it is called in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.terminal.tables import Cell, table
from engine.events import Latency

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One figure of every row.

    Attributes:
        name: name in JSON; "" where only people read it.
        value: the figure of a row; None where there is none.
        title: over the column of a table; "" where it is in JSON alone.
        shown: the cell of a figure in a table.
    """

    name: str
    value: Callable[[Row], Cell]
    title: str = ""
    shown: Callable[[Any], Cell] = lambda value: value


def table_of(columns: Iterable[Column[Row]], rows: Iterable[Row], *, decimals: int = 2) -> str:
    """Lay rows out for a person, in the columns that have a title."""
    titled = [column for column in columns if column.title]
    cells = [[column.shown(column.value(row)) for column in titled] for row in rows]
    return table([column.title for column in titled], cells, decimals=decimals)


def records_of(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> list[dict[str, Cell]]:
    """Return every row as plain values, for JSON."""
    named = [column for column in columns if column.name]
    return [{column.name: _plain(column.value(row)) for column in named} for row in rows]


def percent(share: float | None) -> str:
    """Write a share as a percentage with one decimal."""
    return "-" if share is None else f"{100 * share:.1f}%"


def signed(value: float | None, decimals: int = 1) -> str:
    """Write a difference with its sign."""
    return "-" if value is None else f"{value:+.{decimals}f}"


def rounded(value: float | None) -> float | None:
    """Round a figure to the four decimals that JSON holds."""
    return None if value is None else round(value, 4)


def ratio(part: float | None, whole: float | None) -> float | None:
    """Divide one figure by another; None where either is missing or there is nothing to divide by."""
    return None if part is None or not whole else part / whole


def mean(values: Iterable[float]) -> float | None:
    """Return the mean of figures, or the share of those that hold; None of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def part_of(latency: Latency | None, name: str) -> float | None:
    """Return one part of a latency: "mean", "p50" or "p95"; None where nothing was timed."""
    return getattr(latency, name) if latency else None


def milliseconds(seconds: float | None) -> float | None:
    """Turn seconds into milliseconds."""
    return None if seconds is None else 1000 * seconds


def short(text: str, characters: int = 160) -> str:
    """Shorten a text to what fits into a line."""
    line = " ".join(text.split())
    return line if len(line) <= characters else f"{line[:characters]}…"


def _plain(cell: Cell) -> Cell:
    return rounded(cell) if isinstance(cell, float) else cell
