"""What every way of typing into other programs offers, and why one may be refused. No widgets."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QObject, Signal


class TypingRefusal(Enum):
    """Why nothing can be typed."""

    DENIED = "the desktop or the person said no"
    UNREACHABLE = "the desktop does not answer"
    NOT_ALLOWED = "the person has to allow it in the system's settings"
    PASSWORD = "a password is being entered, which nothing else may be written into"


class Typist(QObject):
    """Types text, in order and soon; nothing is waited for.

    Signals:
        refused: the TypingRefusal, once; nothing is typed any more.
    """

    refused = Signal(TypingRefusal)

    def open(self) -> None:
        """Get ready, which may ask the person; what is to be typed meanwhile waits."""
        raise NotImplementedError

    def type(self, text: str) -> None:
        """Type a text of one line."""
        raise NotImplementedError

    def close(self) -> None:
        """Type no more, and leave the keyboard as it was."""
        raise NotImplementedError


def keysym_of(character: str) -> int:
    """Return X11's number of a character: Latin-1 has its own, all others that of Unicode."""
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else 0x0100_0000 | code
