"""An Objective-C runtime without a Mac: messages arrive by the same ctypes calls, at objects that are Python's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace

from app.macos.objective_c import Runtime

Answer = Callable[..., int]


class FakeRuntime(Runtime):
    """Receives messages as the system's runtime does: by pointers to C functions, with values as machine words.

    Attributes:
        sent: every message with its target and its values, in order.
        answers: what a message returns, by its name; others return 0.
        classes: addresses by name.
    """

    def __init__(self) -> None:
        self.sent: list[tuple[int, str, tuple[int, ...]]] = []
        self.answers: dict[str, Answer] = {"respondsToSelector:": lambda *_: 0}
        self.classes: dict[str, int] = {}
        self._selectors: list[str] = []
        self._kept: list[object] = []
        word, text = ctypes.c_void_p, ctypes.c_char_p
        library = SimpleNamespace(
            objc_getClass=ctypes.CFUNCTYPE(word, text)(self._class),
            sel_registerName=ctypes.CFUNCTYPE(word, text)(self._selector),
            # All words a message may have: what a call leaves out is never looked at.
            objc_msgSend=ctypes.CFUNCTYPE(word, word, word, *[ctypes.c_ulong] * 3)(self._take),
        )
        super().__init__(library)

    def messages(self) -> list[str]:
        """Return the names of the messages, in order."""
        return [name for _, name, _ in self.sent]

    def values(self, message: str) -> list[tuple[int, ...]]:
        """Return the values that came with each message of a name."""
        return [values for _, name, values in self.sent if name == message]

    def _class(self, name: bytes) -> int:
        return self.classes.get(name.decode(), 0)

    def _selector(self, name: bytes) -> int:
        if name.decode() not in self._selectors:
            self._selectors.append(name.decode())
        return 1000 + self._selectors.index(name.decode())

    def selector_of(self, address: int) -> str:
        """Return the message that an address stands for."""
        return self._selectors[address - 1000]

    def _take(self, target: int, selector: int, *values: int) -> int:
        name = self.selector_of(selector)
        given = values[: name.count(":")]
        self.sent.append((target or 0, name, given))
        return self.answers[name](target, *given) if name in self.answers else 0
