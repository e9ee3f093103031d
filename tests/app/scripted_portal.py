"""A desktop's portal on a session bus of its own, that answers as its test says."""

from __future__ import annotations

from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, MessageType, message_bus, new_error, new_signal
from PySide6.QtCore import QSocketNotifier

from app.dbus import PORTAL, PORTAL_PATH, REQUEST, Bus, field


class ScriptedPortal(Bus):
    """Serves what is called at the portal's name; `receive` says what comes of it.

    Attributes:
        asked: the methods that were called, with their values.
        lacks: it knows none of them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self.lacks = False
        reply = self._connection.send_and_get_reply(message_bus.RequestName(PORTAL))
        assert reply.body == (1,)
        self.notifier = QSocketNotifier(self.descriptor, QSocketNotifier.Type.Read)
        self.notifier.activated.connect(self._serve)
        self._caller = ""

    def receive(self, member: str, values: tuple[Any, ...]) -> None:
        """Do what a call asks for."""
        raise NotImplementedError

    def answer(self, token: str, code: int, results: dict[str, tuple[str, Any]]) -> None:
        """Answer the request of the newest caller that has the token."""
        caller = self._caller.removeprefix(":").replace(".", "_")
        self.emit(f"{PORTAL_PATH}/request/{caller}/{token}", REQUEST, "Response", "ua{sv}", code, results)

    def emit(self, path: str, interface: str, member: str, signature: str, *values: Any) -> None:
        self._connection.send(new_signal(DBusAddress(path, interface=interface), member, signature, values))

    def close(self) -> None:
        self.notifier.setEnabled(False)
        super().close()

    def _serve(self) -> None:
        for message in self.read():
            if message.header.message_type is MessageType.method_call:
                self._serve_call(message)

    def _serve_call(self, message: Message) -> None:
        member = field(message, HeaderFields.member)
        self._caller = field(message, HeaderFields.sender)
        self.asked.append((member, message.body))
        if self.lacks:
            self._connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
        else:
            self.receive(member, message.body)
