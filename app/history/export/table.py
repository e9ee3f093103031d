"""A transcript as a table for spreadsheets: one caption or turn a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from app.look.text_layout import one_line

_BOM = "\ufeff"
"""Mark by which spreadsheets recognise UTF-8."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""Characters at which a spreadsheet reads a formula. A formula could do anything, so no cell begins with one."""


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Write rows below their titles. Numbers stay numbers; no text can become a formula."""
    out = io.StringIO()
    out.write(_BOM)
    table = csv.writer(out)
    table.writerow(titles)
    for row in rows:
        table.writerow([_cell(each) for each in row])
    return out.getvalue()


def _cell(value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULAS) else text
