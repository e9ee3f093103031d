"""A row for the names of programs, one per line."""

from __future__ import annotations

from typing import Any

from app.look.text_layout import one_line
from app.settings.lines_row import LinesRow


class ProgramsRow(LinesRow):
    """A field of programs' names, as the sound server knows them."""

    def parse(self, text: str) -> Any:
        return tuple(dict.fromkeys(name for line in text.splitlines() if (name := one_line(line))))

    def lines(self, value: Any) -> list[str]:
        return list(value)
