"""Terminal output: lines that grow in place, notes below them, and progress."""

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
    """Return whether output can be overwritten."""
    return out.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


class JsonLines:
    """One JSON object per line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._escape = "utf" not in (out.encoding or "ascii").lower()

    def write(self, record: dict[str, object]) -> None:
        """Write one object as a line."""
        self._out.write(json.dumps(record, ensure_ascii=self._escape, allow_nan=False) + "\n")
        self._out.flush()


class GrowingLines:
    """The last lines on a terminal: growing text is redrawn in place, finished lines scroll away."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._drawn: list[str] = []

    def draw(self, finished: list[str], growing: list[str]) -> None:
        """Replace what was drawn by these lines, each narrower than the terminal; `finished` ones stay."""
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
        """Leave the screen as it is and start a new line."""
        if self._drawn:
            self._out.write("\n")
            self._out.flush()
        self._drawn = []

    def leave(self) -> None:
        """Start a new line after the last one, with an empty one before it."""
        self._out.write(f"\r{_ERASE_TO_THE_END}\n")  # Ctrl-C leaves a mark on the line
        self._out.flush()


def styled_lines(text: str, steady: int, *, dim: bool) -> list[str]:
    """Wrap text to the terminal, dim after its first `steady` characters."""
    begins, ends = (_DIM, _PLAIN) if dim else ("", "")

    def styled(begin: int, end: int) -> str:
        cut = min(max(steady, begin), end)
        return text[begin:cut] + (f"{begins}{text[cut:end]}{ends}" if cut < end else "")

    # One column stays free: some terminals wrap as soon as the last one is written.
    return [styled(begin, end) for begin, end in wrap(text, shutil.get_terminal_size().columns - 1)]


def write_notes(notes: TextIO, sentences: Iterable[str], *, dim: bool) -> None:
    """Print sentences below the output, wrapped, and dim if requested and possible."""
    begins, ends = (_DIM, _PLAIN) if dim and notes.isatty() else ("", "")
    for sentence in sentences:
        lines = folded(sentence, shutil.get_terminal_size().columns - 1)
        notes.writelines(f"{begins}{line}{ends}\n" for line in lines)


def _bare(line: str) -> str:
    return line.replace(_DIM, "").replace(_PLAIN, "")


def greet(greeting: str) -> None:
    """Print instructions for a person at the terminal, if there are any."""
    if greeting and sys.stderr.isatty():
        write_notes(sys.stderr, [greeting], dim=False)
        sys.stderr.write("\n")


@contextmanager
def progress(*, always: bool = False) -> Iterator[Callable[[str], None]]:
    """Show progress on standard error: on a terminal in one line, which disappears at the end.

    Elsewhere nothing is printed, or a line each time with `always`.
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
