"""A transcript as a table for spreadsheets: one caption or turn a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from app.look.text_layout import one_line

_BOM = "\ufeff"
"""By it spreadsheets know that a file is UTF-8."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula, which could do anything; so it does not begin with one."""


def to_csv(titles: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Write rows below their titles. Numbers stay numbers; no text is taken for a formula."""
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
