"""The interface of all ways to type into other programs, and the reasons for a refusal. No widgets."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QObject, Signal


class TypingRefusal(Enum):
    """The reason why nothing can be typed."""

    DENIED = "the desktop or the person said no"
    UNREACHABLE = "the desktop does not answer"
    NOT_ALLOWED = "the person has to allow it in the system's settings"
    PASSWORD = "a password is being entered, which nothing else may be written into"


class Typist(QObject):
    """Types text in order, asynchronously.

    Signals:
        refused: the TypingRefusal, once; nothing is typed any more.
    """

    refused = Signal(TypingRefusal)

    def open(self) -> None:
        """Prepare typing, which may ask the user; text is queued meanwhile."""
        raise NotImplementedError

    def type(self, text: str) -> None:
        """Type a text of one line."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop typing, and restore the keyboard."""
        raise NotImplementedError


def keysym_of(character: str) -> int:
    """Return X11's number of a character: Latin-1 has its own, all others are those of Unicode."""
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else 0x0100_0000 | code
