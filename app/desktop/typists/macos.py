"""Typing on macOS through keyboard events that carry text instead of key codes."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_int32, c_uint16, c_uint32, c_uint64, c_ulong, c_void_p
from functools import cache
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.desktop.typists.typist import TypingRefusal, Typist
from app.macos.objective_c import FRAMEWORKS

_SESSION_TAP = 1
_OWN_KEYS, _REAL_KEYS = -1, 1  # kCGEventSourceStatePrivate, kCGEventSourceStateHIDSystemState
_COMMAND_KEYS = 1 << 18 | 1 << 19 | 1 << 20  # Control, Option, Command: while one is held, letters are shortcuts
WAIT_MILLISECONDS = 20
"""Interval at which held command keys are checked."""

MOST_UNITS = 20
"""Longest text that one event reliably carries, in UTF-16 code units."""


class MacTypist(Typist):
    """Types into the active program, but not into password fields, and not while a command key is held.

    Raises:
        OSError: the frameworks are missing.
    """

    def __init__(self, parent: QObject | None = None, library: Any = None) -> None:
        """Use the system's functions in `library`, by default the frameworks themselves."""
        super().__init__(parent)
        self._library = _frameworks() if library is None else library
        self._source: int | None = None  # event source with a key state of its own
        self._text = ""
        self._wait = QTimer(self, singleShot=True, interval=WAIT_MILLISECONDS)
        self._wait.timeout.connect(self._go_on)

    def open(self) -> None:
        """Prepare typing. Without permission, the system asks the user and lists Earshot in its settings."""
        if self._library.CGPreflightPostEventAccess() or self._library.CGRequestPostEventAccess():
            self._source = self._library.CGEventSourceCreate(_OWN_KEYS)
        else:
            self.refused.emit(TypingRefusal.NOT_ALLOWED)

    def type(self, text: str) -> None:
        if self._source is not None:
            self._text += text
            self._go_on()

    def close(self) -> None:
        self._wait.stop()
        self._text = ""
        source, self._source = self._source, None
        if source is not None:
            self._library.CFRelease(source)

    def _go_on(self) -> None:
        if self._library.IsSecureEventInputEnabled():
            self.close()
            self.refused.emit(TypingRefusal.PASSWORD)
        elif self._library.CGEventSourceFlagsState(_REAL_KEYS) & _COMMAND_KEYS:
            self._wait.start()
        else:
            text, self._text = self._text, ""
            for part in _parts(text):
                self._post(part)

    def _post(self, text: str) -> None:
        units = text.encode("utf-16-le")
        count = len(units) // 2
        values = (c_uint16 * count).from_buffer_copy(units)
        for down in (True, False):
            event = self._library.CGEventCreateKeyboardEvent(self._source, 0, down)
            self._library.CGEventSetFlags(event, 0)
            self._library.CGEventKeyboardSetUnicodeString(event, count, values)
            self._library.CGEventPost(_SESSION_TAP, event)
            self._library.CFRelease(event)


def _parts(text: str) -> list[str]:
    """Split text into parts that fit an event, without splitting a character."""
    parts = [""]
    for character in text:
        if len((parts[-1] + character).encode("utf-16-le")) // 2 > MOST_UNITS:
            parts.append("")
        parts[-1] += character
    return [part for part in parts if part]


@cache
def _frameworks() -> Any:
    library: Any = ctypes.CDLL(FRAMEWORKS.format("ApplicationServices"))
    carbon: Any = ctypes.CDLL(FRAMEWORKS.format("Carbon"))
    library.IsSecureEventInputEnabled = carbon.IsSecureEventInputEnabled
    for asks in ("CGPreflightPostEventAccess", "CGRequestPostEventAccess", "IsSecureEventInputEnabled"):
        getattr(library, asks).restype = c_bool
    library.CGEventSourceCreate.argtypes, library.CGEventSourceCreate.restype = (c_int32,), c_void_p
    library.CGEventSourceFlagsState.argtypes, library.CGEventSourceFlagsState.restype = (c_int32,), c_uint64
    library.CGEventCreateKeyboardEvent.argtypes = (c_void_p, c_uint16, c_bool)
    library.CGEventCreateKeyboardEvent.restype = c_void_p
    library.CGEventSetFlags.argtypes = (c_void_p, c_uint64)
    library.CGEventKeyboardSetUnicodeString.argtypes = (c_void_p, c_ulong, POINTER(c_uint16))
    library.CGEventPost.argtypes = (c_uint32, c_void_p)
    library.CFRelease.argtypes = (c_void_p,)
    return library
