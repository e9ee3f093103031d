"""Typing on macOS, by keyboard events that carry text in place of keys."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_uint16, c_uint32, c_ulong, c_void_p
from functools import cache
from typing import Any

from PySide6.QtCore import QObject

from app.desktop.typists.typist import TypingRefusal, Typist
from app.macos.objective_c import FRAMEWORKS

_SESSION_TAP = 1
MOST_UNITS = 20
"""Most text that one event certainly carries, in UTF-16 units."""


class MacTypist(Typist):
    """Types into the active program. Raises OSError if the framework is missing."""

    def __init__(self, parent: QObject | None = None, library: Any = None) -> None:
        """Load the system's functions; `library` replaces them in tests."""
        super().__init__(parent)
        self._library = _framework() if library is None else library
        self._allowed = True

    def open(self) -> None:
        self._allowed = bool(self._library.AXIsProcessTrusted())
        if not self._allowed:
            self.refused.emit(TypingRefusal.NOT_ALLOWED)

    def type(self, text: str) -> None:
        if self._allowed:
            for part in _parts(text):
                self._post(part)

    def close(self) -> None:
        self._allowed = False

    def _post(self, text: str) -> None:
        units = text.encode("utf-16-le")
        count = len(units) // 2
        values = (c_uint16 * count).from_buffer_copy(units)
        for down in (True, False):
            event = self._library.CGEventCreateKeyboardEvent(None, 0, down)
            self._library.CGEventKeyboardSetUnicodeString(event, count, values)
            self._library.CGEventPost(_SESSION_TAP, event)
            self._library.CFRelease(event)


def _parts(text: str) -> list[str]:
    """Split text into parts that fit an event, never within a character."""
    parts = [""]
    for character in text:
        if len((parts[-1] + character).encode("utf-16-le")) // 2 > MOST_UNITS:
            parts.append("")
        parts[-1] += character
    return [part for part in parts if part]


@cache
def _framework() -> Any:
    library = ctypes.CDLL(FRAMEWORKS.format("ApplicationServices"))
    library.AXIsProcessTrusted.restype = c_bool
    library.CGEventCreateKeyboardEvent.argtypes = (c_void_p, c_uint16, c_bool)
    library.CGEventCreateKeyboardEvent.restype = c_void_p
    library.CGEventKeyboardSetUnicodeString.argtypes = (c_void_p, c_ulong, POINTER(c_uint16))
    library.CGEventPost.argtypes = (c_uint32, c_void_p)
    library.CFRelease.argtypes = (c_void_p,)
    return library
