"""Asynchronous messages on the session bus, and requests to the desktop's portals there.

Qt's own D-Bus classes cannot write an array of structures from Python, which the portal for keys needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

PORTAL, PORTAL_PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
REQUEST = "org.freedesktop.portal.Request"
GRANTED = 0
"""Code of an answer to a request that was granted; 1 is a person who said no."""


class Bus:
    """A connection of our own to the session bus. Raises OSError if there is none.

    Attributes:
        gone: whether the bus has ended, so that nothing more will come.
    """

    def __init__(self) -> None:
        self.gone = False
        try:
            self._connection = open_dbus_connection(_address())
        except (OSError, RuntimeError, ValueError) as error:
            raise OSError("there is no session bus") from error

    @property
    def name(self) -> str:
        """Name of this connection on the bus, such as ":1.42"."""
        return str(self._connection.unique_name)

    @property
    def descriptor(self) -> int:
        """Descriptor of the socket, for a notifier."""
        return int(self._connection.sock.fileno())

    def hear(self, rule: str) -> None:
        """Subscribe to signals by a match rule."""
        self._send(message_bus.AddMatch(rule))

    def call(self, service: str, path: str, interface: str, method: str, signature: str, *values: Any) -> int:
        """Call a method; return the serial that its answer will refer to. A variant is a pair of its signature and
        value.
        """
        address = DBusAddress(path, service, interface)
        return self._send(new_method_call(address, method, signature, values))

    def answer_path(self, token: str) -> str:
        """Return the path from which a portal answers the request of this connection that has the token."""
        return f"{PORTAL_PATH}/request/{self.name.removeprefix(':').replace('.', '_')}/{token}"

    def read(self) -> Iterator[Message]:
        """Yield all messages that have arrived, without waiting."""
        try:
            while True:
                yield self._connection.receive(timeout=0)
        except TimeoutError:
            return
        except (OSError, RuntimeError, ValueError):  # the last two: it was closed meanwhile
            self.gone = True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, message: Message) -> int:
        serial = next(self._connection.outgoing_serial)
        with suppress(OSError):  # reading will notice that the bus is gone
            self._connection.send(message, serial=serial)
        return int(serial)


def answered(message: Message) -> int:
    """Return the serial of the call that a message answers; 0 for none."""
    return int(message.header.fields.get(HeaderFields.reply_serial, 0))


def field(message: Message, name: HeaderFields) -> str:
    """Return a field of a message's header, such as its member; empty if it has none."""
    return str(message.header.fields.get(name, ""))


def _address() -> str:
    """Return the address of the session bus."""
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS") or f"unix:path={os.environ.get('XDG_RUNTIME_DIR', '')}/bus"
