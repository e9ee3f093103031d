"""Messages on the session bus, by libdbus.

Qt's own D-Bus classes cannot write an array of structures from Python, which the portal for keys asks for.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from collections.abc import Iterator
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

CALL, REPLY, ERROR, SIGNAL = 1, 2, 3, 4
_ITERATOR_BYTES = 256
"""More than DBusMessageIter has on any machine."""

_BASIC: dict[str, Any] = {"s": c_char_p, "o": c_char_p, "g": c_char_p, "u": c_uint32, "b": c_uint32, "t": c_uint64}
_BASIC |= {"y": ctypes.c_uint8, "i": ctypes.c_int32, "x": ctypes.c_int64, "d": ctypes.c_double}


@dataclass(frozen=True, slots=True)
class Message:
    """What came over the bus.

    Attributes:
        kind: CALL, REPLY, ERROR or SIGNAL.
        answers: the serial of the call that this answers; 0 for none.
        values: arrays are lists, structures tuples, maps dicts, variants what is in them.
    """

    kind: int
    interface: str
    member: str
    path: str
    answers: int
    values: tuple[Any, ...]


class Bus:
    """A connection of our own to the session bus.

    OSError where there is no libdbus or no bus.
    """

    def __init__(self) -> None:
        self._dbus = _library()
        error = (c_char * _ITERATOR_BYTES)()
        self._dbus.dbus_error_init(error)
        self._connection = self._dbus.dbus_connection_open_private(_address().encode(), error)
        if not self._connection or not self._dbus.dbus_bus_register(self._connection, error):
            self._dbus.dbus_error_free(error)
            raise OSError("there is no session bus")
        self._dbus.dbus_connection_set_exit_on_disconnect(self._connection, 0)

    @property
    def name(self) -> str:
        """What we are called on the bus, such as ":1.42"."""
        return str(self._dbus.dbus_bus_get_unique_name(self._connection).decode())

    @property
    def descriptor(self) -> int:
        """The socket, to be told when there is something to read."""
        number = c_int()
        self._dbus.dbus_connection_get_unix_fd(self._connection, byref(number))
        return number.value

    def hear(self, rule: str) -> None:
        """Ask for signals, by a match rule."""
        self._dbus.dbus_bus_add_match(self._connection, rule.encode(), None)

    def call(self, service: str, path: str, interface: str, method: str, signature: str, *values: Any) -> int:
        """Call a method; give the serial that its answer will name."""
        names = (each.encode() for each in (service, path, interface, method))
        message = self._dbus.dbus_message_new_method_call(*names)
        iterator = (c_char * _ITERATOR_BYTES)()
        self._dbus.dbus_message_iter_init_append(message, iterator)
        for kind, value in zip(parts(signature), values, strict=True):
            self._append(iterator, kind, value)
        serial = c_uint32()
        self._dbus.dbus_connection_send(self._connection, message, byref(serial))
        self._dbus.dbus_message_unref(message)
        self._dbus.dbus_connection_flush(self._connection)
        return serial.value

    def read(self) -> Iterator[Message]:
        """Everything that has come; does not wait."""
        self._dbus.dbus_connection_read_write(self._connection, 0)
        while self._connection and (message := self._dbus.dbus_connection_pop_message(self._connection)):
            taken = self._taken(message)
            self._dbus.dbus_message_unref(message)
            yield taken

    def close(self) -> None:
        if self._connection:
            self._dbus.dbus_connection_close(self._connection)
            self._dbus.dbus_connection_unref(self._connection)
            self._connection = None

    def _taken(self, message: int) -> Message:
        dbus = self._dbus
        names = (dbus.dbus_message_get_interface, dbus.dbus_message_get_member, dbus.dbus_message_get_path)
        interface, member, path = ((get(message) or b"").decode() for get in names)
        iterator = (c_char * _ITERATOR_BYTES)()
        values = tuple(self._values(iterator)) if dbus.dbus_message_iter_init(message, iterator) else ()
        kind, answers = dbus.dbus_message_get_type(message), dbus.dbus_message_get_reply_serial(message)
        return Message(kind, interface, member, path, answers, values)

    def _append(self, iterator: Any, signature: str, value: Any) -> None:
        code = signature[0]
        if code in _BASIC:
            held = _BASIC[code](value.encode() if isinstance(value, str) else value)
            self._dbus.dbus_message_iter_append_basic(iterator, ord(code), byref(held))
            return
        inner = (c_char * _ITERATOR_BYTES)()
        if code == "v":  # of text alone
            container, contained, items = code, "s", [("s", value)]
        elif signature.startswith("a{"):
            entry = signature[1:]
            container, contained, items = code, entry, [(entry, pair) for pair in value.items()]
        elif code == "a":
            container, contained, items = code, signature[1:], [(signature[1:], each) for each in value]
        else:
            container, contained = ("e" if code == "{" else "r"), ""
            items = list(zip(parts(signature[1:-1]), value, strict=True))
        self._dbus.dbus_message_iter_open_container(iterator, ord(container), contained.encode() or None, inner)
        for kind, each in items:
            self._append(inner, kind, each)
        self._dbus.dbus_message_iter_close_container(iterator, inner)

    def _values(self, iterator: Any) -> Iterator[Any]:
        while code := self._dbus.dbus_message_iter_get_arg_type(iterator):
            yield self._value(iterator, chr(code))
            self._dbus.dbus_message_iter_next(iterator)

    def _value(self, iterator: Any, code: str) -> Any:
        if code in _BASIC:
            held = _BASIC[code]()
            self._dbus.dbus_message_iter_get_basic(iterator, byref(held))
            return (held.value or b"").decode() if _BASIC[code] is c_char_p else held.value
        if code not in "avre":
            return None
        inner = (c_char * _ITERATOR_BYTES)()
        self._dbus.dbus_message_iter_recurse(iterator, inner)
        is_map = code == "a" and self._dbus.dbus_message_iter_get_element_type(iterator) == ord("e")
        values = list(self._values(inner))
        if code == "v":
            return values[0] if values else None
        if code == "a":
            return dict(values) if is_map else values
        return tuple(values)


def parts(signature: str) -> list[str]:
    """Take a signature apart into those of single values: "oa(sa{sv})s" into "o", "a(sa{sv})", "s"."""
    found, start, depth = [], 0, 0
    for place, code in enumerate(signature):
        depth += (code in "({") - (code in ")}")
        if depth == 0 and code != "a":
            found.append(signature[start : place + 1])
            start = place + 1
    return found


def _address() -> str:
    """Where the session bus is."""
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={os.environ.get('XDG_RUNTIME_DIR', '')}/bus"


@cache
def _library() -> Any:
    """Load libdbus. OSError where it is not here."""
    dbus = ctypes.CDLL(ctypes.util.find_library("dbus-1") or "libdbus-1.so.3")
    text, handle = c_char_p, c_void_p
    for name, result, arguments in (
        ("error_init", None, (handle,)),
        ("error_free", None, (handle,)),
        ("connection_open_private", handle, (text, handle)),
        ("bus_register", c_uint32, (handle, handle)),
        ("bus_get_unique_name", text, (handle,)),
        ("bus_add_match", None, (handle, text, handle)),
        ("connection_set_exit_on_disconnect", None, (handle, c_uint32)),
        ("connection_get_unix_fd", c_uint32, (handle, POINTER(c_int))),
        ("connection_send", c_uint32, (handle, handle, POINTER(c_uint32))),
        ("connection_flush", None, (handle,)),
        ("connection_read_write", c_uint32, (handle, c_int)),
        ("connection_pop_message", handle, (handle,)),
        ("connection_close", None, (handle,)),
        ("connection_unref", None, (handle,)),
        ("message_new_method_call", handle, (text, text, text, text)),
        ("message_unref", None, (handle,)),
        ("message_get_type", c_int, (handle,)),
        ("message_get_interface", text, (handle,)),
        ("message_get_member", text, (handle,)),
        ("message_get_path", text, (handle,)),
        ("message_get_reply_serial", c_uint32, (handle,)),
        ("message_iter_init", c_uint32, (handle, handle)),
        ("message_iter_init_append", None, (handle, handle)),
        ("message_iter_append_basic", c_uint32, (handle, c_int, handle)),
        ("message_iter_open_container", c_uint32, (handle, c_int, text, handle)),
        ("message_iter_close_container", c_uint32, (handle, handle)),
        ("message_iter_get_arg_type", c_int, (handle,)),
        ("message_iter_get_element_type", c_int, (handle,)),
        ("message_iter_get_basic", None, (handle, handle)),
        ("message_iter_recurse", None, (handle, handle)),
        ("message_iter_next", c_uint32, (handle,)),
    ):
        function = getattr(dbus, f"dbus_{name}")
        function.restype, function.argtypes = result, arguments
    return dbus
