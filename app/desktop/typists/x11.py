"""Typing on X11, by XTEST: each character gets a free key of the keyboard, independent of the layout."""

from __future__ import annotations

import ctypes
import ctypes.util
import time
from collections import deque
from ctypes import POINTER, byref, c_char_p, c_int, c_uint, c_ulong, c_void_p
from functools import cache
from typing import Any

from PySide6.QtCore import QObject, QTimer

from app.desktop.typists.typist import Typist, keysym_of

_HELD = 1 | 4 | 8 | 64  # Shift, Ctrl, Alt, Super: with one of these held, letters would be commands
_WAIT_MILLISECONDS = 20
_SETTLED_MILLISECONDS = 400
"""Time after which a program has read what was typed, so that a key may get another character."""

_SYMBOLS = 2  # per key: without and with Shift


class X11Typist(Typist):
    """Types on the X display that the environment names.

    Raises OSError if there is no libXtst, no display, or none that accepts input.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._x, self._test = _libraries()
        self._display = self._x.XOpenDisplay(None)
        if not self._display:
            raise OSError("there is no X display")
        self._root = self._x.XDefaultRootWindow(self._display)
        self._keys: dict[str, int] = {}  # keys by character, the most recently used last
        self._free = self._free_keys()
        if not self._free or not self._test.XTestQueryExtension(self._display, *[byref(c_int()) for _ in range(4)]):
            self._x.XCloseDisplay(self._display)
            raise OSError("this X display cannot be typed on")
        self._text: deque[str] = deque()
        self._typed_at = 0.0  # on time.monotonic()'s clock
        self._rest = QTimer(self, singleShot=True)
        self._rest.timeout.connect(self._go_on)

    def open(self) -> None:
        """Do nothing: no permission is needed."""

    def type(self, text: str) -> None:
        self._text.extend(text)
        if not self._rest.isActive():
            self._go_on()

    def close(self) -> None:
        if self._display:
            self._rest.stop()
            for key in self._keys.values():
                self._give(key, 0)
            self._x.XSync(self._display, False)
            self._x.XCloseDisplay(self._display)
            self._display = None

    def _go_on(self) -> None:
        """Type as much as possible now; a key gets another character only after the last one was read."""
        if not self._text:
            return
        if self._is_held():
            self._rest.start(_WAIT_MILLISECONDS)
            return
        now: set[str] = set()
        for character in self._text:
            if character not in self._keys and not self._has_room(now):
                break
            self._keys[character] = self._keys.pop(character, 0) or self._new_key(character, now)
            now.add(character)
        self._x.XSync(self._display, False)
        while self._text and self._text[0] in now:
            self._press(self._keys[self._text.popleft()])
        self._x.XFlush(self._display)
        self._typed_at = time.monotonic() if now else self._typed_at
        if self._text:
            self._rest.start(_SETTLED_MILLISECONDS)

    def _has_room(self, now: set[str]) -> bool:
        settled = time.monotonic() - self._typed_at > _SETTLED_MILLISECONDS / 1000
        return bool(self._free) or (settled and len(now) < len(self._keys))

    def _new_key(self, character: str, now: set[str]) -> int:
        """Assign a character a free key, or that of the character typed longest ago."""
        oldest = next((each for each in self._keys if each not in now), "")
        key = self._free.pop() if self._free else self._keys.pop(oldest)
        self._give(key, keysym_of(character))
        return key

    def _give(self, key: int, keysym: int) -> None:
        symbols = (c_ulong * _SYMBOLS)(keysym, keysym)
        self._x.XChangeKeyboardMapping(self._display, key, _SYMBOLS, symbols, 1)

    def _press(self, key: int) -> None:
        for down in (True, False):
            self._test.XTestFakeKeyEvent(self._display, key, down, 0)

    def _is_held(self) -> bool:
        """Return whether a modifier is held that would turn letters into commands."""
        windows, places, state = (c_ulong(), c_ulong()), [c_int() for _ in range(4)], c_uint()
        self._x.XQueryPointer(self._display, self._root, *map(byref, (*windows, *places, state)))
        return bool(state.value & _HELD)

    def _free_keys(self) -> list[int]:
        """Return the keys that the present layout does not use."""
        first, last, width = c_int(), c_int(), c_int()
        self._x.XDisplayKeycodes(self._display, byref(first), byref(last))
        count = last.value - first.value + 1
        symbols = self._x.XGetKeyboardMapping(self._display, first.value, count, byref(width))
        rows = [symbols[at * width.value : (at + 1) * width.value] for at in range(count)]
        self._x.XFree(symbols)
        return [first.value + at for at, row in enumerate(rows) if not any(row)]


@cache
def _libraries() -> tuple[Any, Any]:
    """Load libX11 and libXtst. Raises OSError if one is missing."""
    x = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    test = ctypes.CDLL(ctypes.util.find_library("Xtst") or "libXtst.so.6")
    x.XOpenDisplay.argtypes, x.XOpenDisplay.restype = (c_char_p,), c_void_p
    x.XCloseDisplay.argtypes = (c_void_p,)
    x.XDefaultRootWindow.argtypes, x.XDefaultRootWindow.restype = (c_void_p,), c_ulong
    x.XDisplayKeycodes.argtypes = (c_void_p, c_void_p, c_void_p)
    x.XGetKeyboardMapping.argtypes = (c_void_p, ctypes.c_ubyte, c_int, c_void_p)
    x.XGetKeyboardMapping.restype = POINTER(c_ulong)
    x.XChangeKeyboardMapping.argtypes = (c_void_p, c_int, c_int, c_void_p, c_int)
    x.XQueryPointer.argtypes = (c_void_p, c_ulong, *[c_void_p] * 7)
    x.XFree.argtypes = x.XFlush.argtypes = (c_void_p,)
    x.XSync.argtypes = (c_void_p, c_int)
    test.XTestQueryExtension.argtypes = (c_void_p, *[c_void_p] * 4)
    test.XTestFakeKeyEvent.argtypes = (c_void_p, c_uint, c_int, c_ulong)
    return x, test
