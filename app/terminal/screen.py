"""A terminal as what is printed is laid out on it: lines that grow in place, notes below them, how far something is."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from app.look.text_layout import cells, folded, wrap

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_ERASE_TO_THE_END = "\x1b[J"


def is_screen(out: TextIO) -> bool:
    """Tell whether what is printed can be printed over."""
    return out.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


class JsonLines:
    """One JSON object a line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._escape = "utf" not in (out.encoding or "ascii").lower()

    def write(self, record: dict[str, object]) -> None:
        """Write one object as a line."""
        self._out.write(json.dumps(record, ensure_ascii=self._escape, allow_nan=False) + "\n")
        self._out.flush()


class GrowingLines:
    """The last lines on a terminal: what may still change is redrawn in place, finished lines scroll away."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._drawn: list[str] = []

    def draw(self, finished: list[str], growing: list[str]) -> None:
        """Replace what was drawn by these lines, each narrower than the terminal; `finished` ones stay for good."""
        columns, rows = shutil.get_terminal_size()
        growing = growing[-max(rows - 1, 1) :]  # a line that has scrolled off cannot be redrawn
        if not finished and growing == self._drawn:
            return
        # A terminal that was made narrower since has wrapped what was drawn.
        above = sum(max(1, -(-cells(_bare(line)) // columns)) for line in self._drawn) - 1
        up = f"\x1b[{min(above, rows - 1)}A" if above > 0 else ""
        erase = f"\r{up}{_ERASE_TO_THE_END}" if self._drawn else ""
        done = "".join(f"{line}\n" for line in finished)
        self._out.write(erase + done + "\n".join(growing))
        self._out.flush()
        self._drawn = growing

    def close(self) -> None:
        """Leave what is on the screen where it is and go to a fresh line."""
        if self._drawn:
            self._out.write("\n")
            self._out.flush()
        self._drawn = []

    def leave(self) -> None:
        """Go to a fresh line after the last one, with an empty one before it."""
        self._out.write(f"\r{_ERASE_TO_THE_END}\n")  # Ctrl-C leaves its own mark on the line
        self._out.flush()


def styled_lines(text: str, steady: int, *, dim: bool) -> list[str]:
    """Wrap text to the terminal, what comes after its first `steady` characters dim."""
    begins, ends = (_DIM, _PLAIN) if dim else ("", "")

    def styled(begin: int, end: int) -> str:
        cut = min(max(steady, begin), end)
        return text[begin:cut] + (f"{begins}{text[cut:end]}{ends}" if cut < end else "")

    # One column stays free: some terminals wrap as soon as the last one is written.
    return [styled(begin, end) for begin, end in wrap(text, shutil.get_terminal_size().columns - 1)]


def write_notes(notes: TextIO, sentences: Iterable[str], *, dim: bool) -> None:
    """Write sentences below what was shown, wrapped, and dim where that is wanted and can be seen."""
    begins, ends = (_DIM, _PLAIN) if dim and notes.isatty() else ("", "")
    for sentence in sentences:
        lines = folded(sentence, shutil.get_terminal_size().columns - 1)
        notes.writelines(f"{begins}{line}{ends}\n" for line in lines)


def _bare(line: str) -> str:
    return line.replace(_DIM, "").replace(_PLAIN, "")


def greet(greeting: str) -> None:
    """Tell a person who watches what to do; nothing where there is nothing to tell."""
    if greeting and sys.stderr.isatty():
        write_notes(sys.stderr, [greeting], dim=False)
        sys.stderr.write("\n")


@contextmanager
def progress(*, always: bool = False) -> Iterator[Callable[[str], None]]:
    """Show on standard error how far something is: on a terminal in one line, which is gone at the end.

    Elsewhere nothing is said, or a line each time where that is to be so `always`.
    """
    in_place = sys.stderr.isatty()

    def tell(line: str) -> None:
        if in_place:
            sys.stderr.write(f"\r\x1b[K{line}")
        elif always:
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    try:
        yield tell
    finally:
        if in_place:
            tell("")
