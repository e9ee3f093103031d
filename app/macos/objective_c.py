"""Messages to Objective-C objects, by ctypes. Importing it loads nothing; a system without the runtime raises
OSError.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/{0}"
_GLOBAL_BLOCK = 1 << 28  # captures nothing: the system neither copies nor frees it

Value: TypeAlias = "int | str | Block"


class Runtime:
    """The Objective-C runtime: finds classes, and sends messages to objects.

    Objects are addresses; 0 is nil, which accepts every message. Arguments and results must be integers, booleans or
    objects: floats and structures use other registers.
    """

    def __init__(self, library: Any = None) -> None:
        """Wrap the runtime's functions in `library`, by default the system's own."""
        self._library = ctypes.CDLL(ctypes.util.find_library("objc") or "libobjc.dylib") if library is None else library
        for function in (self._library.objc_getClass, self._library.sel_registerName):
            function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_char_p]

    def class_named(self, name: str) -> int:
        """Return a class. Raises AttributeError if its framework is not loaded."""
        found = self._library.objc_getClass(name.encode())
        if not found:
            raise AttributeError(f"Objective-C knows no class {name}")
        return int(found)

    def send(self, target: int, message: str, *values: Value) -> int:
        """Send a message and return its result, 0 for nil, NO and nothing.

        Every message needs a prototype of its own: on Apple silicon a call without one puts its arguments elsewhere.
        """
        passed = [self._passed(value) for value in values]
        prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_ulong] * len(passed))
        address = ctypes.cast(self._library.objc_msgSend, ctypes.c_void_p).value
        assert address is not None
        return prototype(address)(target, self._library.sel_registerName(message.encode()), *passed) or 0

    def responds(self, target: int, message: str) -> bool:
        """Return whether an object responds to a message."""
        return bool(self.send(target, "respondsToSelector:", self._library.sel_registerName(message.encode())) & 0xFF)

    def _passed(self, value: Value) -> int:
        if isinstance(value, Block):
            return value.address
        if isinstance(value, str):
            text = ctypes.create_string_buffer(value.encode())
            return self.send(self.class_named("NSString"), "stringWithUTF8String:", ctypes.addressof(text))
        return value


@cache
def runtime() -> Runtime:
    """Return the system's runtime. Raises OSError if there is none."""
    return Runtime()


def constant(framework: str, name: str) -> int:
    """Load a framework, and return one of its constant objects. Raises OSError or ValueError if it is missing."""
    library = ctypes.CDLL(FRAMEWORKS.format(framework))
    return int(ctypes.c_void_p.in_dll(library, name).value or 0)


class _Descriptor(ctypes.Structure):
    _fields_ = (("reserved", ctypes.c_ulong), ("size", ctypes.c_ulong))


class _Literal(ctypes.Structure):
    _fields_ = (
        ("isa", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("reserved", ctypes.c_int),
        ("invoke", ctypes.c_void_p),
        ("descriptor", ctypes.POINTER(_Descriptor)),
    )


class Block:
    """A function as an Objective-C block, which the system calls with one boolean, on any thread.

    Attributes:
        address: the pointer to pass; valid as long as this object lives.
    """

    def __init__(self, function: Callable[[bool], None], isa: int | None = None) -> None:
        """Wrap a function; `isa` is the class of blocks that capture nothing, by default the system's own."""
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)
        self._function = kind(lambda _, answer: function(answer))
        if isa is None:
            isa = ctypes.addressof(ctypes.c_void_p.in_dll(ctypes.CDLL(None), "_NSConcreteGlobalBlock"))
        self._descriptor = _Descriptor(0, ctypes.sizeof(_Literal))
        invoke = ctypes.cast(self._function, ctypes.c_void_p)
        self._literal = _Literal(isa, _GLOBAL_BLOCK, 0, invoke, ctypes.pointer(self._descriptor))
        self.address = ctypes.addressof(self._literal)
