"""Core Audio without a Mac: what is called by ctypes, as catap and Earshot call it, answered by Python."""

from __future__ import annotations

import ctypes
import struct
from functools import partial
from typing import Any

SYSTEM = 1
UNKNOWN_PROPERTY, BAD_OBJECT = (int.from_bytes(name, "big") for name in (b"who?", b"!obj"))
Key = tuple[int, str, str]


class Functions:
    """Functions of a C library: any name exists, takes a prototype, and returns 0 if it is not defined.

    Attributes:
        called: names in order.
        statuses: what a function returns in place of its answer, in turn, by its name.
    """

    def __init__(self) -> None:
        self.called: list[str] = []
        self.statuses: dict[str, list[int]] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        function = partial(self._call, name)
        setattr(self, name, function)
        return function

    def _call(self, name: str, *values: Any) -> Any:
        self.called.append(name)
        if self.statuses.get(name):
            return self.statuses[name].pop(0)
        answer = getattr(type(self), f"answer_{name}", None)
        return 0 if answer is None else answer(self, *values)


class FakeCoreAudio(Functions):
    """Core Audio and Core Foundation in one.

    Attributes:
        properties: the bytes of each, by object, selector and scope ("glob", "inpt", "outp").
        gone: objects that are there no more.
        texts: those that strings stand for, by their address.
        listeners: the objects and functions that are to be told of changes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.properties: dict[Key, bytes] = {}
        self.gone: set[int] = set()
        self.texts: dict[int, str] = {}
        self.listeners: list[tuple[int, Any]] = []

    def text(self, value: str) -> bytes:
        """Return a string as a property has it: its address."""
        address = 0x7000_0000_0000 + len(self.texts)
        self.texts[address] = value
        return struct.pack("<Q", address)

    def change(self, number: int, selector: str, scope: str = "glob") -> None:
        """Notify the listeners of a property that it has changed."""
        address = (ctypes.c_uint32 * 3)(_code(selector), _code(scope), 0)
        for watched, listener in list(self.listeners):
            if watched == number:
                kind = listener.argtypes[2]
                listener(number, 1, ctypes.cast(ctypes.pointer(address), kind), None)

    def answer_AudioObjectGetPropertyDataSize(self, number: int, address: Any, _: int, __: Any, size: Any) -> int:
        found = self._find(number, address)
        if isinstance(found, int):
            return found
        size._obj.value = len(found)
        return 0

    def answer_AudioObjectGetPropertyData(
        self, number: int, address: Any, _: int, __: Any, size: Any, data: Any
    ) -> int:
        found = self._find(number, address)
        if isinstance(found, int):
            return found
        assert size._obj.value >= len(found)
        size._obj.value = len(found)
        ctypes.memmove(ctypes.addressof(getattr(data, "_obj", data)), found, len(found))
        return 0

    def _find(self, number: int, address: Any) -> bytes | int:
        selector, scope, _ = struct.unpack("<3I", bytes(address._obj))
        if number in self.gone:
            return BAD_OBJECT
        key = number, selector.to_bytes(4, "big").decode(), scope.to_bytes(4, "big").decode()
        return self.properties.get(key, UNKNOWN_PROPERTY)

    def answer_AudioObjectAddPropertyListener(self, number: int, _: Any, listener: Any, __: Any) -> int:
        self.listeners.append((number, listener))
        return 0

    def answer_AudioObjectRemovePropertyListener(self, number: int, _: Any, listener: Any, __: Any) -> int:
        self.listeners.remove((number, listener))
        return 0

    def answer_CFStringGetCString(self, text: int, buffer: Any, size: int, encoding: int) -> bool:
        written = self.texts[text].encode() + b"\0"
        assert encoding == 0x0800_0100 and len(written) <= size
        ctypes.memmove(buffer, written, len(written))
        return True


def _code(name: str) -> int:
    return int.from_bytes(name.encode(), "big")
