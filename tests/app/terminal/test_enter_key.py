"""The Enter key of push-to-talk."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Iterator

import pytest

from app.terminal.enter_key import EnterKey


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A terminal as standard input, and the end at which a test types."""
    typing, terminal = os.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield typing
        os.close(typing)


def test_presses_are_counted_once(keyboard: int) -> None:
    with EnterKey() as key:
        assert key.presses() == 0
        os.write(keyboard, b"\n")
        assert key.presses() == 1
        os.write(keyboard, b"what?\n\n")
        assert key.presses() == 2
        assert key.presses() == 0


def test_what_is_typed_shows_nowhere_until_the_end(keyboard: int) -> None:
    def echoes() -> bool:
        return bool(termios.tcgetattr(sys.stdin.fileno())[3] & termios.ECHO)

    assert echoes()
    with EnterKey():
        assert not echoes()
    assert echoes()


def test_a_terminal_that_is_gone_is_no_press(monkeypatch: pytest.MonkeyPatch) -> None:
    typing, terminal = os.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        key = EnterKey()
        os.close(typing)
        assert key.presses() == 0
