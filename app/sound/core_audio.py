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
_PROCESSES, _PROCESS_NUMBER, _RECORDS = (int.from_bytes(name, "big") for name in (b"prs#", b"ppid", b"piri"))
_NAME, _CHANNELS = (int.from_bytes(name, "big") for name in (b"lnam", b"slay"))
_UTF_8 = 0x0800_0100
_NAME_BYTES = 1024
_OF_TAPS = "catap "
"""Start of the name of the devices through which catap reads a tap; they are not microphones."""

_LISTENER = ctypes.CFUNCTYPE(ctypes.c_int32, c_uint32, c_uint32, c_void_p, c_void_p)  # AudioObjectPropertyListenerProc
_listeners: list[object] = []  # never deleted: a call may still be in progress after its removal


class _Address(ctypes.Structure):
    """Core Audio's AudioObjectPropertyAddress."""

    _fields_ = (("selector", c_uint32), ("scope", c_uint32), ("element", c_uint32))


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the system.

    Attributes:
        number: the system's identifier, valid while the device is connected.
        name: the name, which PortAudio uses too.
        inputs, outputs: number of channels.
    """

    number: int
    name: str
    inputs: int
    outputs: int


@dataclass(frozen=True, slots=True)
class Devices:
    """All devices at one time.

    Attributes:
        default_input, default_output: numbers of the system's default devices; 0 if there are none.
    """

    found: tuple[Device, ...]
    default_input: int
    default_output: int


def devices() -> Devices:
    """List the devices that are connected now."""
    found = []
    for number in _numbers(_DEVICES):
        name = _text(_property(number, _NAME))
        if name and not name.startswith(_OF_TAPS):
            found.append(Device(number, name, _channels(number, _INPUT), _channels(number, _OUTPUT)))
    return Devices(tuple(found), default_input(), _first(_numbers(_DEFAULT_OUTPUT)))


def default_input() -> int:
    """Return the number of the system's default input; 0 if there is none."""
    return _first(_numbers(_DEFAULT_INPUT))


def recording_processes() -> tuple[int, ...]:
    """Return the system's numbers of the processes that record from an input now; macOS 14.4 and newer know them."""
    recording = (each for each in _numbers(_PROCESSES) if any(_property(each, _RECORDS)))
    return tuple(struct.unpack("<i", found)[0] for each in recording if (found := _property(each, _PROCESS_NUMBER)))


@contextmanager
def device_changes(changed: Callable[[], None]) -> Iterator[None]:
    """Call `changed`, on a thread of the system, whenever devices or the default devices change."""
    library = _library()

    def listen(_device: int, _count: int, _addresses: int, _context: int) -> int:
        changed()
        return 0

    listener = _LISTENER(listen)
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
    """Return the number of channels in an AudioBufferList, whose buffers of 16 bytes begin with theirs."""
    found = _property(number, _CHANNELS, scope)
    return sum(struct.unpack_from("<I", found, place)[0] for place in range(8, len(found), 16))


def _text(address: bytes) -> str:
    """Return the text of a CFString at an address that a property holds, and release the string."""
    if not address:
        return ""
    (text,) = struct.unpack("<Q", address)
    written = ctypes.create_string_buffer(_NAME_BYTES)
    library = _library()
    whole = library.CFStringGetCString(text, written, _NAME_BYTES, _UTF_8)
    library.CFRelease(text)
    return written.value.decode() if whole else ""


def _property(number: int, selector: int, scope: int = _GLOBAL) -> bytes:
    """Return a property of an object; empty if it has none, for example because it is gone."""
    library, address, size = _library(), _Address(selector, scope, 0), c_uint32(0)
    if library.AudioObjectGetPropertyDataSize(number, byref(address), 0, None, byref(size)):
        return b""
    data = ctypes.create_string_buffer(max(size.value, 1))
    if library.AudioObjectGetPropertyData(number, byref(address), 0, None, byref(size), data):
        return b""
    return data.raw[: size.value]


@cache
def _library() -> Any:
    """Load Core Audio and the functions that read its strings.

    Raises:
        OSError: a library is missing.
    """
    library: Any = ctypes.CDLL(ctypes.util.find_library("CoreAudio"))
    strings: Any = ctypes.CDLL(ctypes.util.find_library("CoreFoundation"))
    library.CFStringGetCString, library.CFRelease = strings.CFStringGetCString, strings.CFRelease
    library.CFStringGetCString.argtypes = (c_void_p, c_char_p, c_long, c_uint32)
    library.CFStringGetCString.restype = c_bool
    library.CFRelease.argtypes, library.CFRelease.restype = (c_void_p,), None
    return library
