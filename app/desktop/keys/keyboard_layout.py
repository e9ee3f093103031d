"""The letters of a Mac's keys in the present layout. (Not tested: no Mac was available.)

Carbon registers a key by its place, and Apple names places after the American layout; a user means the letter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_long, c_uint8, c_uint16, c_uint32, c_ulong, c_void_p
from functools import cache
from typing import Any

_CARBON = "/System/Library/Frameworks/Carbon.framework/Carbon"
_CORE_FOUNDATION = "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation"
_DISPLAY = 3  # kUCKeyActionDisplay: what is printed on the key
_NO_DEAD_KEYS = 1  # kUCKeyTranslateNoDeadKeysMask
_PLACES = range(0, 51)  # further ones have no letters
_MOST_CHARACTERS = 4
_AT_ONCE = 4  # CFNotificationSuspensionBehaviorDeliverImmediately: while another program is in front, too
_Callback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)


class KeyboardLayout:
    """The present keyboard layout; a Latin one of the user's if it has no Latin letters."""

    def __init__(self, carbon: Any = None, core_foundation: Any = None) -> None:
        """Load the layout; the libraries default to the system's own. Raises OSError if these are missing."""
        self._carbon = carbon or _carbon()
        self._core_foundation = core_foundation or _core_foundation()
        self._callback: object = None  # kept alive: Core Foundation calls it while it is registered

    def watch(self, changed: Callable[[], None]) -> None:
        """Call `changed` in the main thread's event loop whenever another layout is selected, until `close`.

        Qt only reports another language, not another layout of the same language.
        """
        callback = self._callback = _Callback(lambda *_: changed())
        center = self._core_foundation.CFNotificationCenterGetDistributedCenter()
        self._core_foundation.CFNotificationCenterAddObserver(
            center, id(self), callback, self._carbon.layout_changed, None, _AT_ONCE
        )

    def close(self) -> None:
        """Stop the calls of `watch`."""
        if self._callback is not None:
            center = self._core_foundation.CFNotificationCenterGetDistributedCenter()
            self._core_foundation.CFNotificationCenterRemoveEveryObserver(center, id(self))
            self._callback = None

    def places(self) -> dict[str, int]:
        """Return Apple's code of each key by the letter it writes, in capitals; empty if the layout cannot be read."""
        source = self._carbon.TISCopyCurrentASCIICapableKeyboardLayoutInputSource()
        if not source:
            return {}
        try:
            data = self._carbon.TISGetInputSourceProperty(source, self._carbon.layout_property)
            layout = self._core_foundation.CFDataGetBytePtr(data) if data else None
            return self._read(layout) if layout else {}
        finally:
            self._core_foundation.CFRelease(source)

    def _read(self, layout: int) -> dict[str, int]:
        kind = self._carbon.LMGetKbdType()
        places: dict[str, int] = {}
        for place in _PLACES:
            letter = self._letter(layout, place, kind)
            if len(letter) == 1 and letter.isprintable() and letter != " ":
                places.setdefault(letter, place)
        return places

    def _letter(self, layout: int, place: int, kind: int) -> str:
        """Return the character that a key writes without modifiers."""
        dead, count = c_uint32(0), c_ulong(0)
        written = (c_uint16 * _MOST_CHARACTERS)()
        status = self._carbon.UCKeyTranslate(
            *(layout, place, _DISPLAY, 0, kind, _NO_DEAD_KEYS),
            *(byref(dead), _MOST_CHARACTERS, byref(count), written),
        )
        if status or not count.value:
            return ""
        return bytes(written)[: 2 * count.value].decode("utf-16-le", "replace").upper()


@cache
def _carbon() -> Any:
    carbon: Any = ctypes.CDLL(_CARBON)
    carbon.TISCopyCurrentASCIICapableKeyboardLayoutInputSource.restype = c_void_p
    carbon.TISGetInputSourceProperty.argtypes = (c_void_p, c_void_p)
    carbon.TISGetInputSourceProperty.restype = c_void_p
    carbon.layout_property = c_void_p.in_dll(carbon, "kTISPropertyUnicodeKeyLayoutData")
    carbon.layout_changed = c_void_p.in_dll(carbon, "kTISNotifySelectedKeyboardInputSourceChanged")
    carbon.LMGetKbdType.restype = c_uint8
    carbon.UCKeyTranslate.argtypes = (
        *(c_void_p, c_uint16, c_uint16, c_uint32, c_uint32, c_uint32),
        *(POINTER(c_uint32), c_ulong, POINTER(c_ulong), POINTER(c_uint16)),
    )
    carbon.UCKeyTranslate.restype = ctypes.c_int32
    return carbon


@cache
def _core_foundation() -> Any:
    library = ctypes.CDLL(_CORE_FOUNDATION)
    library.CFDataGetBytePtr.argtypes, library.CFDataGetBytePtr.restype = (c_void_p,), c_void_p
    library.CFRelease.argtypes, library.CFRelease.restype = (c_void_p,), None
    library.CFNotificationCenterGetDistributedCenter.restype = c_void_p
    library.CFNotificationCenterAddObserver.argtypes = (c_void_p, c_void_p, _Callback, c_void_p, c_void_p, c_long)
    library.CFNotificationCenterAddObserver.restype = None
    library.CFNotificationCenterRemoveEveryObserver.argtypes = (c_void_p, c_void_p)
    library.CFNotificationCenterRemoveEveryObserver.restype = None
    return library
