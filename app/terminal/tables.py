"""Tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

Cell = str | int | float | None


def table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], *, decimals: int = 2) -> str:
    """Format rows under headers; a column of numbers is right-aligned, None is a dash.

    Raises:
        ValueError: a row has more or fewer cells than there are headers.
    """
    if any(len(row) != len(headers) for row in rows):
        raise ValueError(f"every row needs {len(headers)} cells")
    texts = [[_text(cell, decimals) for cell in row] for row in rows]
    columns = range(len(headers))
    widths = [max([len(headers[c]), *(len(row[c]) for row in texts)]) for c in columns]
    numeric = [all(_is_number(row[c]) for row in rows) for c in columns]
    lines = [_line(headers, widths, numeric), "  ".join("-" * width for width in widths)]
    lines += [_line(row, widths, numeric) for row in texts]
    return "\n".join(lines) + "\n"


def _is_number(cell: Cell) -> bool:
    return not isinstance(cell, str) or cell.endswith("%") or cell[:1] in ("-", "+")


def _text(cell: Cell, decimals: int) -> str:
    if cell is None:
        return "-"
    return f"{cell:.{decimals}f}" if isinstance(cell, float) else str(cell)


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    aligned = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, width, right in zip(cells, widths, numeric, strict=True)
    )
    return "  ".join(aligned).rstrip()
