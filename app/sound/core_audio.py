"""Core Audio's view of sound devices, through ctypes. No Qt; macOS only."""

from __future__ import annotations

import ctypes
import ctypes.util
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_bool, c_char_p, c_long, c_uint32, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

_SYSTEM_OBJECT = 1
_GLOBAL, _INPUT, _OUTPUT = (int.from_bytes(scope, "big") for scope in (b"glob", b"inpt", b"outp"))
_DEVICES, _DEFAULT_INPUT, _DEFAULT_OUTPUT = (int.from_bytes(name, "big") for name in (b"dev#", b"dIn ", b"dOut"))
_NAME, _CHANNELS = (int.from_bytes(name, "big") for name in (b"lnam", b"slay"))
_UTF_8 = 0x0800_0100
_NAME_BYTES = 1024
_OF_TAPS = "catap "
"""Beginning of the name of the device by which catap reads a tap: nobody's microphone."""

_LISTENER = ctypes.CFUNCTYPE(ctypes.c_int32, c_uint32, c_uint32, c_void_p, c_void_p)  # AudioObjectPropertyListenerProc
_listeners: list[object] = []  # kept for ever: a last call may be under way when one is taken back


class _Address(ctypes.Structure):
    """Core Audio's AudioObjectPropertyAddress."""

    _fields_ = (("selector", c_uint32), ("scope", c_uint32), ("element", c_uint32))


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the system's.

    Attributes:
        number: the system's own, good while the device is connected.
        name: PortAudio has the same.
        inputs, outputs: how many channels it has.
    """

    number: int
    name: str
    inputs: int
    outputs: int


@dataclass(frozen=True, slots=True)
class Devices:
    """All devices at a time.

    Attributes:
        default_input, default_output: the numbers of those that the system uses where nobody chooses; 0 for none.
    """

    found: tuple[Device, ...]
    default_input: int
    default_output: int


def devices() -> Devices:
    """List the devices that there are now."""
    found = []
    for number in _numbers(_DEVICES):
        name = _text(_property(number, _NAME))
        if name and not name.startswith(_OF_TAPS):
            found.append(Device(number, name, _channels(number, _INPUT), _channels(number, _OUTPUT)))
    return Devices(tuple(found), default_input(), _first(_numbers(_DEFAULT_OUTPUT)))


def default_input() -> int:
    """Return the system's number of the input that it uses where nobody chooses; 0 where there is none."""
    return _first(_numbers(_DEFAULT_INPUT))


@contextmanager
def device_changes(tell: Callable[[], None]) -> Iterator[None]:
    """Have `tell` called, on a thread of the system's, when devices or the default ones change."""
    library = _library()

    def changed(_device: int, _count: int, _addresses: int, _context: int) -> int:
        tell()
        return 0

    listener = _LISTENER(changed)
    _listeners.append(listener)
    addresses = [_Address(selector, _GLOBAL, 0) for selector in (_DEVICES, _DEFAULT_INPUT, _DEFAULT_OUTPUT)]
    for address in addresses:
        library.AudioObjectAddPropertyListener(_SYSTEM_OBJECT, byref(address), listener, None)
    try:
        yield
    finally:
        for address in addresses:
            library.AudioObjectRemovePropertyListener(_SYSTEM_OBJECT, byref(address), listener, None)


def _numbers(selector: int) -> tuple[int, ...]:
    found = _property(_SYSTEM_OBJECT, selector)
    return struct.unpack(f"<{len(found) // 4}I", found)


def _first(numbers: tuple[int, ...]) -> int:
    return numbers[0] if numbers else 0


def _channels(number: int, scope: int) -> int:
    """Count the channels in an AudioBufferList, whose buffers of 16 bytes begin with theirs."""
    found = _property(number, _CHANNELS, scope)
    return sum(struct.unpack_from("<I", found, place)[0] for place in range(8, len(found), 16))


def _text(address: bytes) -> str:
    """Read a CFString, of which a property holds the address, and release it."""
    if not address:
        return ""
    (text,) = struct.unpack("<Q", address)
    written = ctypes.create_string_buffer(_NAME_BYTES)
    library = _library()
    whole = library.CFStringGetCString(text, written, _NAME_BYTES, _UTF_8)
    library.CFRelease(text)
    return written.value.decode() if whole else ""


def _property(number: int, selector: int, scope: int = _GLOBAL) -> bytes:
    """Return what an object says of itself; empty where it says nothing, as when it is gone."""
    library, address, size = _library(), _Address(selector, scope, 0), c_uint32(0)
    if library.AudioObjectGetPropertyDataSize(number, byref(address), 0, None, byref(size)):
        return b""
    data = ctypes.create_string_buffer(max(size.value, 1))
    if library.AudioObjectGetPropertyData(number, byref(address), 0, None, byref(size), data):
        return b""
    return data.raw[: size.value]


@cache
def _library() -> Any:
    """Load Core Audio, and what reads its strings. OSError where it is not here."""
    library: Any = ctypes.CDLL(ctypes.util.find_library("CoreAudio"))
    strings: Any = ctypes.CDLL(ctypes.util.find_library("CoreFoundation"))
    library.CFStringGetCString, library.CFRelease = strings.CFStringGetCString, strings.CFRelease
    library.CFStringGetCString.argtypes = (c_void_p, c_char_p, c_long, c_uint32)
    library.CFStringGetCString.restype = c_bool
    library.CFRelease.argtypes, library.CFRelease.restype = (c_void_p,), None
    return library
