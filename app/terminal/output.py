"""Printing that may fail while there are files to write: a missing reader must not lose them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import EngineError


class Output:
    """Printing of a run, with its failures.

    Attributes:
        failures: errors to raise after everything else has been written.
    """

    def __init__(self, *, has_files: bool) -> None:
        self.failures: list[EngineError | OSError] = []
        self._has_files = has_files
        self._unread = False

    def write(self, write: Callable[[], None]) -> None:
        """Print; on failure, go on if there are files to write, else stop."""
        if self._unread:
            return
        try:
            write()
        except OSError as error:
            if not self._has_files:
                raise
            self._unread = True
            if not isinstance(error, BrokenPipeError):  # a reader that has ended is no failure
                self.failures.append(error)

    def keep(self, write: Callable[[], Sequence[Path]]) -> None:
        """Write files and print their names; a failure does not prevent the others."""
        try:
            written = write()
        except EngineError as error:
            self.failures.append(error)
            return
        if sys.stderr.isatty():
            sys.stderr.write(f"Wrote {' and '.join(map(str, written))}.\n")

    def end(self) -> None:
        """Raise the first failure, if there was any."""
        if self.failures:
            raise self.failures[0]
