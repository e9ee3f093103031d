"""Messages on the session bus, none of which is waited for.

Qt's own D-Bus classes cannot write an array of structures from Python, which the portal for keys asks for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection


class Bus:
    """A connection of our own to the session bus; OSError where there is none.

    Attributes:
        gone: the bus has ended, and nothing more will come.
    """

    def __init__(self) -> None:
        self.gone = False
        try:
            self._connection = open_dbus_connection(_address())
        except (OSError, RuntimeError, ValueError) as error:
            raise OSError("there is no session bus") from error

    @property
    def name(self) -> str:
        """The name of this connection on the bus, such as ":1.42"."""
        return str(self._connection.unique_name)

    @property
    def descriptor(self) -> int:
        """The socket, to be told when there is something to read."""
        return int(self._connection.sock.fileno())

    def hear(self, rule: str) -> None:
        """Ask for signals, by a match rule."""
        self._send(message_bus.AddMatch(rule))

    def call(self, service: str, path: str, interface: str, method: str, signature: str, *values: Any) -> int:
        """Call a method; give the serial that its answer will name. A variant is a pair of its signature and value."""
        address = DBusAddress(path, service, interface)
        return self._send(new_method_call(address, method, signature, values))

    def read(self) -> Iterator[Message]:
        """Give everything that has come, without waiting."""
        try:
            while True:
                yield self._connection.receive(timeout=0)
        except TimeoutError:
            return
        except (OSError, RuntimeError, ValueError):  # the two last: it was closed meanwhile
            self.gone = True

    def close(self) -> None:
        """Leave the bus."""
        self._connection.close()

    def _send(self, message: Message) -> int:
        serial = next(self._connection.outgoing_serial)
        with suppress(OSError):  # that the bus is gone is told by reading
            self._connection.send(message, serial=serial)
        return int(serial)


def answered(message: Message) -> int:
    """Return the serial of the call that a message answers; 0 for none."""
    return int(message.header.fields.get(HeaderFields.reply_serial, 0))


def field(message: Message, name: HeaderFields) -> str:
    """Return a field of a message's header, such as its member; empty where it has none."""
    return str(message.header.fields.get(name, ""))


def _address() -> str:
    """Say where the session bus is."""
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={os.environ.get('XDG_RUNTIME_DIR', '')}/bus"
