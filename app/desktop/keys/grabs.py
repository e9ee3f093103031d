"""The interface of all ways to register system-wide keys, and the reasons for a refusal. No widgets."""

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
"""Keys that are not used for writing."""


class Refusal(Enum):
    """The reason why keys are unavailable."""

    TAKEN = "another program has them"
    NEEDS_MODIFIER = "they are needed for writing"
    OPTION_ALONE = "on a Mac they write a character"
    UNKNOWN = "the keyboard has no such key"
    DENIED = "the desktop or the person said no"
    UNREACHABLE = "the desktop does not answer"


class KeyRefused(Exception):
    """Keys are unavailable.

    Attributes:
        refusal: the reason.
    """

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal


class Grabs(QObject):
    """Registers keys by name, and signals their use.

    Signals:
        pressed, released: the name under which keys were registered; each once, however long they are held.
        refused: a name, and the Refusal, if it is known only later.
        settled: a name, and the label of its keys, if the desktop decides on them.
    """

    pressed = Signal(str)
    released = Signal(str)
    refused = Signal(str, Refusal)
    settled = Signal(str, str)

    def grab(self, keys: dict[str, QKeyCombination], titles: dict[str, str]) -> dict[str, Refusal]:
        """Register exactly these keys; return those that are unavailable. `titles` describe them, for a dialog."""
        raise NotImplementedError

    def close(self) -> None:
        """Release all keys."""
        raise NotImplementedError


def check(keys: QKeyCombination) -> None:
    """Raise KeyRefused for keys that would be missed in every other program."""
    if not keys.keyboardModifiers() & _STRONG and keys.key() not in ALONE:
        raise KeyRefused(Refusal.NEEDS_MODIFIER)
