"""System-wide keys on X11, by XGrabKey on a connection of our own to the display."""

from __future__ import annotations

import ctypes
import ctypes.util
from ctypes import POINTER, Structure, Union, byref, c_char_p, c_int, c_long, c_uint, c_ulong, c_void_p
from functools import cache
from typing import Any

from PySide6.QtCore import QKeyCombination, QObject, QSocketNotifier, Qt

from app.desktop.keys.grabs import Grabs, KeyRefused, Refusal, check

_KEY_PRESS, _KEY_RELEASE, _MAPPING_NOTIFY = 2, 3, 34
_SHIFT, _LOCK, _CONTROL, _ALT, _NUM_LOCK, _SUPER = 1, 2, 4, 8, 16, 64
_ASYNC = 1
_LOCKS = (0, _LOCK, _NUM_LOCK, _LOCK | _NUM_LOCK)
"""States of Caps Lock and Num Lock. A grab holds for one of them, so each key is grabbed four times."""

_KEYSYMS = {
    Qt.Key.Key_Space: 0x20,
    Qt.Key.Key_Backspace: 0xFF08,
    Qt.Key.Key_Tab: 0xFF09,
    Qt.Key.Key_Return: 0xFF0D,
    Qt.Key.Key_Pause: 0xFF13,
    Qt.Key.Key_ScrollLock: 0xFF14,
    Qt.Key.Key_Escape: 0xFF1B,
    Qt.Key.Key_Home: 0xFF50,
    Qt.Key.Key_Left: 0xFF51,
    Qt.Key.Key_Up: 0xFF52,
    Qt.Key.Key_Right: 0xFF53,
    Qt.Key.Key_Down: 0xFF54,
    Qt.Key.Key_PageUp: 0xFF55,
    Qt.Key.Key_PageDown: 0xFF56,
    Qt.Key.Key_End: 0xFF57,
    Qt.Key.Key_Print: 0xFF61,
    Qt.Key.Key_Insert: 0xFF63,
    Qt.Key.Key_Menu: 0xFF67,
    Qt.Key.Key_Enter: 0xFF8D,
    Qt.Key.Key_Delete: 0xFFFF,
    Qt.Key.Key_VolumeDown: 0x1008FF11,
    Qt.Key.Key_VolumeMute: 0x1008FF12,
    Qt.Key.Key_VolumeUp: 0x1008FF13,
    Qt.Key.Key_MediaPlay: 0x1008FF14,
    Qt.Key.Key_MediaStop: 0x1008FF15,
    Qt.Key.Key_MediaPrevious: 0x1008FF16,
    Qt.Key.Key_MediaNext: 0x1008FF17,
    Qt.Key.Key_MicMute: 0x1008FFB2,
}
_FIRST_FUNCTION_KEYSYM = 0xFFBE
_MODIFIERS = {
    Qt.KeyboardModifier.ShiftModifier: _SHIFT,
    Qt.KeyboardModifier.ControlModifier: _CONTROL,
    Qt.KeyboardModifier.AltModifier: _ALT,
    Qt.KeyboardModifier.MetaModifier: _SUPER,
}
_ErrorHandler = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)


class _KeyEvent(Structure):
    _fields_ = (
        ("type", c_int),
        ("serial", c_ulong),
        ("send_event", c_int),
        ("display", c_void_p),
        ("window", c_ulong),
        ("root", c_ulong),
        ("subwindow", c_ulong),
        ("time", c_ulong),
        ("place", c_int * 4),
        ("state", c_uint),
        ("keycode", c_uint),
        ("same_screen", c_int),
    )


class _Event(Union):
    _fields_ = (("type", c_int), ("key", _KeyEvent), ("pad", c_long * 24))


class X11Grabs(Grabs):
    """Grabs keys on the X display that the environment names.

    Raises OSError if there is no libX11 or no display.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._x = _library()
        self._display = self._x.XOpenDisplay(None)
        if not self._display:
            raise OSError("there is no X display")
        self._root = self._x.XDefaultRootWindow(self._display)
        self._x.XkbSetDetectableAutoRepeat(self._display, True, None)  # a held key is released once
        self._names: dict[tuple[int, int], str] = {}
        self._down: set[str] = set()
        self._notifier = QSocketNotifier(self._x.XConnectionNumber(self._display), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def grab(self, keys: dict[str, QKeyCombination], titles: dict[str, str]) -> dict[str, Refusal]:
        self._give_back()
        refused: dict[str, Refusal] = {}
        for name, combination in keys.items():
            try:
                self._grab(name, combination)
            except KeyRefused as error:
                refused[name] = error.refusal
        self._read()  # events that came during the wait for the display's answer trigger no notifier
        return refused

    def close(self) -> None:
        if self._display:
            self._notifier.setEnabled(False)
            self._give_back()
            self._x.XCloseDisplay(self._display)
            self._display = None

    def _grab(self, name: str, combination: QKeyCombination) -> None:
        check(combination)
        keycode = self._x.XKeysymToKeycode(self._display, keysym(combination.key()))
        if not keycode:
            raise KeyRefused(Refusal.UNKNOWN)
        state = modifiers(combination)
        if (keycode, state) in self._names:
            raise KeyRefused(Refusal.TAKEN)
        failures: list[object] = []

        def note(display: object, error: object) -> int:
            failures.append(error)
            return 0

        handler = _ErrorHandler(note)
        before = self._x.XSetErrorHandler(ctypes.cast(handler, c_void_p))
        try:
            for lock in _LOCKS:
                self._x.XGrabKey(self._display, keycode, state | lock, self._root, False, _ASYNC, _ASYNC)
            self._x.XSync(self._display, False)
        finally:
            self._x.XSetErrorHandler(before)
        if failures:
            self._ungrab(keycode, state)
            raise KeyRefused(Refusal.TAKEN)
        self._names[keycode, state] = name

    def _give_back(self) -> None:
        for keycode, state in self._names:
            self._ungrab(keycode, state)
        self._names.clear()
        for name in sorted(self._down):  # their release will not come any more
            self.released.emit(name)
        self._down.clear()

    def _ungrab(self, keycode: int, state: int) -> None:
        for lock in _LOCKS:
            self._x.XUngrabKey(self._display, keycode, state | lock, self._root)
        self._x.XSync(self._display, False)

    def _read(self) -> None:
        event = _Event()
        while self._display and self._x.XPending(self._display):
            self._x.XNextEvent(self._display, byref(event))
            if event.type == _MAPPING_NOTIFY:
                self._x.XRefreshKeyboardMapping(byref(event))
            elif event.type == _KEY_PRESS:
                name = self._names.get((event.key.keycode, event.key.state & ~(_LOCK | _NUM_LOCK) & 0xFF))
                if name is not None and name not in self._down:
                    self._down.add(name)
                    self.pressed.emit(name)
            elif event.type == _KEY_RELEASE:
                self._release(event.key.keycode)

    def _release(self, keycode: int) -> None:
        """Note that a key is up; its modifiers may have been released before it."""
        for (taken, _), name in list(self._names.items()):
            if taken == keycode and name in self._down:
                self._down.discard(name)
                self.released.emit(name)


def keysym(key: Qt.Key) -> int:
    """Return X11's number of a key. Raises KeyRefused if it has none that we know."""
    if Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35:
        return int(_FIRST_FUNCTION_KEYSYM + key - Qt.Key.Key_F1)
    if key in _KEYSYMS:
        return _KEYSYMS[key]
    if 0x20 < key < 0x100:  # Qt and X11 both use Latin-1 here, Qt in capitals
        return ord(chr(key).lower())
    raise KeyRefused(Refusal.UNKNOWN)


def modifiers(combination: QKeyCombination) -> int:
    """Return X11's mask of the modifiers of a key combination."""
    held = combination.keyboardModifiers()
    return sum(mask for modifier, mask in _MODIFIERS.items() if held & modifier)


@cache
def _library() -> Any:
    """Load libX11. Raises OSError if it is missing."""
    x = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    x.XOpenDisplay.argtypes, x.XOpenDisplay.restype = (c_char_p,), c_void_p
    x.XCloseDisplay.argtypes = (c_void_p,)
    x.XDefaultRootWindow.argtypes, x.XDefaultRootWindow.restype = (c_void_p,), c_ulong
    x.XConnectionNumber.argtypes = (c_void_p,)
    x.XkbSetDetectableAutoRepeat.argtypes = (c_void_p, c_int, c_void_p)
    x.XKeysymToKeycode.argtypes, x.XKeysymToKeycode.restype = (c_void_p, c_ulong), ctypes.c_ubyte
    x.XGrabKey.argtypes = (c_void_p, c_int, c_uint, c_ulong, c_int, c_int, c_int)
    x.XUngrabKey.argtypes = (c_void_p, c_int, c_uint, c_ulong)
    x.XSync.argtypes = (c_void_p, c_int)
    x.XPending.argtypes = (c_void_p,)
    x.XNextEvent.argtypes = (c_void_p, POINTER(_Event))
    x.XRefreshKeyboardMapping.argtypes = (POINTER(_Event),)
    x.XSetErrorHandler.argtypes, x.XSetErrorHandler.restype = (c_void_p,), c_void_p
    return x
