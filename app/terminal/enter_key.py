"""The Enter key at a terminal, for push-to-talk: polled, never waited for."""

from __future__ import annotations

import os
import select
import sys
import termios
from types import TracebackType

_READ_BYTES = 1024


class EnterKey:
    """A context in which the terminal does not echo typed characters, so that nothing is drawn over."""

    def __init__(self) -> None:
        self._terminal = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._terminal)

    def __enter__(self) -> EnterKey:
        quiet = termios.tcgetattr(self._terminal)
        quiet[3] &= ~termios.ECHO
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, quiet)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def presses(self) -> int:
        """Return how often it was pressed since the last call."""
        count = 0
        while select.select([self._terminal], [], [], 0)[0]:
            typed = os.read(self._terminal, _READ_BYTES)
            if not typed:  # the terminal was closed
                break
            count += typed.count(b"\n")
        return count
