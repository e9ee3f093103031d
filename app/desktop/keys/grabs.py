"""What every way of taking keys from the whole desktop offers, and why one may be refused. No widgets."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal

_STRONG = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
ALONE = (
    *range(Qt.Key.Key_F1, Qt.Key.Key_F35 + 1),
    *range(Qt.Key.Key_Back, Qt.Key.Key_LaunchH + 1),
    Qt.Key.Key_Pause,
    Qt.Key.Key_ScrollLock,
    Qt.Key.Key_Print,
)
"""Keys that nobody writes with."""


class Refusal(Enum):
    """Why keys cannot be had."""

    TAKEN = "another program has them"
    NEEDS_MODIFIER = "they are needed for writing"
    OPTION_ALONE = "on a Mac they write a character"
    UNKNOWN = "the keyboard has no such key"
    DENIED = "the desktop or the person said no"
    UNREACHABLE = "the desktop does not answer"


class KeyRefused(Exception):
    """Keys cannot be had.

    Attributes:
        refusal: why.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


class Grabs(QObject):
    """Takes keys by name, and tells when they are used.

    Signals:
        pressed, released: the name that keys were taken under; each once, however long they are held.
        refused: a name, and the Refusal, where that is known only later.
        settled: a name, and what its keys are called, where the desktop has the last word on them.
    """

    pressed = Signal(str)
    released = Signal(str)
    refused = Signal(str, Refusal)
    settled = Signal(str, str)

    def take(self, keys: dict[str, QKeyCombination], titles: dict[str, str]) -> dict[str, Refusal]:
        """Take these keys and no others; give those that cannot be had. `titles` say what they do, for a dialog."""
        raise NotImplementedError

    def close(self) -> None:
        """Give all keys back."""
        raise NotImplementedError


def check(keys: QKeyCombination) -> None:
    """Refuse keys that would be missed in every other program. KeyRefused."""
    if not keys.keyboardModifiers() & _STRONG and keys.key() not in ALONE:
        raise KeyRefused(Refusal.NEEDS_MODIFIER)
