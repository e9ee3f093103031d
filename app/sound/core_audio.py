"""Core Audio's view of sound devices, through ctypes. No Qt; macOS only."""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SYSTEM_OBJECT = 1
_GLOBAL_SCOPE = int.from_bytes(b"glob", "big")
_DEFAULT_INPUT = int.from_bytes(b"dIn ", "big")
_WATCHED = (int.from_bytes(b"dev#", "big"), _DEFAULT_INPUT, int.from_bytes(b"dOut", "big"))
_LISTENER = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p
)  # AudioObjectPropertyListenerProc


class _Address(ctypes.Structure):
    """Core Audio's AudioObjectPropertyAddress."""

    _fields_ = (("selector", ctypes.c_uint32), ("scope", ctypes.c_uint32), ("element", ctypes.c_uint32))


def default_input() -> int:
    """Return the system's number of its default input; 0 if there is none."""
    library: Any = ctypes.CDLL(ctypes.util.find_library("CoreAudio"))
    number, size = ctypes.c_uint32(0), ctypes.c_uint32(4)
    address = _Address(_DEFAULT_INPUT, _GLOBAL_SCOPE, 0)
    library.AudioObjectGetPropertyData(
        _SYSTEM_OBJECT, ctypes.byref(address), 0, None, ctypes.byref(size), ctypes.byref(number)
    )
    return number.value


@contextmanager
def device_changes(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell`, on a thread of the system's, when devices or defaults change."""
    library: Any = ctypes.CDLL(ctypes.util.find_library("CoreAudio"))

    def changed(_device: int, _count: int, _addresses: int, _context: int) -> int:
        tell()
        return 0

    listener = _LISTENER(changed)  # must live as long as the system may call it
    addresses = [_Address(selector, _GLOBAL_SCOPE, 0) for selector in _WATCHED]
    for address in addresses:
        library.AudioObjectAddPropertyListener(_SYSTEM_OBJECT, ctypes.byref(address), listener, None)
    try:
        yield
    finally:
        for address in addresses:
            library.AudioObjectRemovePropertyListener(_SYSTEM_OBJECT, ctypes.byref(address), listener, None)
