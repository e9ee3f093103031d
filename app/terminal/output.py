"""Printing that may fail while there are files to write: nothing is lost for want of a reader."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import EngineError


class Output:
    """A run's printing, and what goes wrong in it.

    Attributes:
        failures: what is to be told when all that can be kept has been.
    """

    def __init__(self, *, has_files: bool) -> None:
        self.failures: list[EngineError | OSError] = []
        self._has_files = has_files
        self._unread = False

    def write(self, write: Callable[[], None]) -> None:
        """Print; where that fails, go on if there are files to write, else stop."""
        if self._unread:
            return
        try:
            write()
        except OSError as error:
            if not self._has_files:
                raise
            self._unread = True
            if not isinstance(error, BrokenPipeError):  # a reader that has had enough is no failure
                self.failures.append(error)

    def keep(self, write: Callable[[], Sequence[Path]]) -> None:
        """Write files and say which; what keeps one from being written keeps no other one."""
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
