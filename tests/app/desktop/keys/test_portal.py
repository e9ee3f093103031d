"""Keys that a Wayland desktop grants: asked for on a real bus, of a portal that answers as the specification says."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_char, c_char_p, c_uint32, c_void_p
from typing import Any

import pytest
from PySide6.QtCore import QSocketNotifier
from pytestqt.qtbot import QtBot

from app.desktop.hotkey import parsed
from app.desktop.keys.dbus import CALL, Bus, parts
from app.desktop.keys.grabs import Refusal
from app.desktop.keys.portal import PortalGrabs, trigger
from tests.app.displays import HAS_BUS, session_bus

pytestmark = pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")
SHORTCUTS, REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
DESKTOP = "/org/freedesktop/portal/desktop"


class Portal(Bus):
    """A portal that says to requests what it is told to.

    Attributes:
        asked: the methods that were called, with their values.
        code: 0 grants, 1 is a person who said no.
        granted: the shortcuts it gives; None gives all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, tuple[Any, ...]]] = []
        self.code = 0
        self.granted: set[str] | None = None
        self._session = ""
        self._dbus.dbus_bus_request_name.argtypes = (c_void_p, c_char_p, c_uint32, c_void_p)
        self._dbus.dbus_message_new_signal.restype = c_void_p
        self._dbus.dbus_message_new_signal.argtypes = (c_char_p, c_char_p, c_char_p)
        assert self._dbus.dbus_bus_request_name(self._connection, b"org.freedesktop.portal.Desktop", 0, None) == 1
        self.notifier = QSocketNotifier(self.descriptor, QSocketNotifier.Type.Read)
        self.notifier.activated.connect(self.serve)

    def serve(self) -> None:
        for message in self.read():
            if message.kind != CALL:
                continue
            self.asked.append((message.member, message.values))
            if message.member == "CreateSession":
                self._session = "/session/" + message.values[0]["session_handle_token"]
                self.answer(message.values[0]["handle_token"], "a{sv}", {"session_handle": self._session})
            elif message.member == "BindShortcuts":
                names = [name for name, _ in message.values[1] if self.granted is None or name in self.granted]
                self.answer_shortcuts(message.values[3]["handle_token"], names)

    def answer(self, token: str, signature: str, results: Any) -> None:
        self.emit(f"{DESKTOP}/request/{self.caller}/{token}", REQUEST, "Response", "u" + signature, self.code, results)

    def answer_shortcuts(self, token: str, names: list[str]) -> None:
        self.shortcuts = [(name, {"trigger_description": "Strg+Alt+E"}) for name in names]
        self.answer(token, "a{sv}", {"shortcuts": self.shortcuts})

    def emit(self, path: str, interface: str, member: str, signature: str, *values: Any) -> None:
        message = self._dbus.dbus_message_new_signal(path.encode(), interface.encode(), member.encode())
        iterator = (c_char * 256)()
        self._dbus.dbus_message_iter_init_append(message, iterator)
        for kind, value in zip(parts(signature), values, strict=True):
            self._append(iterator, kind, value)
        serial = c_uint32()
        self._dbus.dbus_connection_send(self._connection, message, byref(serial))
        self._dbus.dbus_message_unref(message)
        self._dbus.dbus_connection_flush(self._connection)

    def _append(self, iterator: Any, signature: str, value: Any) -> None:
        if signature == "v" and isinstance(value, list):  # what no client writes: the shortcuts in a variant
            inner = (c_char * 256)()
            self._dbus.dbus_message_iter_open_container(iterator, ord("v"), b"a(sa{sv})", inner)
            super()._append(inner, "a(sa{sv})", value)
            self._dbus.dbus_message_iter_close_container(iterator, inner)
        else:
            super()._append(iterator, signature, value)

    def use(self, member: str, name: str) -> None:
        self.emit(DESKTOP, SHORTCUTS, member, "osta{sv}", self._session, name, 1, {})

    caller = ""


@pytest.fixture
def portal(bus: None, qtbot: QtBot) -> Iterator[Portal]:
    made = Portal()
    yield made
    made.notifier.setEnabled(False)
    made.close()


@pytest.fixture
def grabs(portal: Portal) -> Iterator[PortalGrabs]:
    made = PortalGrabs()
    portal.caller = made._bus.name.removeprefix(":").replace(".", "_")
    yield made
    made.close()


KEYS = {name: keys for name, text in {"captions": "Ctrl+Alt+E", "talk": "F9"}.items() if (keys := parsed(text))}
TITLES = {"captions": "Start and stop captions", "talk": "Talk"}


def test_the_desktop_is_asked_as_the_specification_says_and_tells_presses(
    grabs: PortalGrabs, portal: Portal, qtbot: QtBot
) -> None:
    settled: list[tuple[str, str]] = []
    grabs.settled.connect(lambda name, keys: settled.append((name, keys)))
    assert grabs.take(KEYS, TITLES) == {}
    qtbot.waitUntil(lambda: settled == [("captions", "Strg+Alt+E"), ("talk", "Strg+Alt+E")])
    (created, _), (bound, values) = portal.asked
    assert (created, bound) == ("CreateSession", "BindShortcuts")
    assert values[1] == [
        ("captions", {"description": "Start and stop captions", "preferred_trigger": "CTRL+ALT+e"}),
        ("talk", {"description": "Talk", "preferred_trigger": "F9"}),
    ]
    with qtbot.waitSignal(grabs.pressed) as down:
        portal.use("Activated", "talk")
    with qtbot.waitSignal(grabs.released) as up:
        portal.use("Deactivated", "talk")
    assert down.args == up.args == ["talk"]


def test_a_person_who_says_no_is_told(grabs: PortalGrabs, portal: Portal, qtbot: QtBot) -> None:
    portal.code = 1
    with qtbot.waitSignal(grabs.refused) as refused:
        grabs.take({"captions": KEYS["captions"]}, TITLES)
    assert refused.args == ["captions", Refusal.DENIED]


def test_a_key_that_is_not_among_those_granted_is_told(grabs: PortalGrabs, portal: Portal, qtbot: QtBot) -> None:
    portal.granted = {"captions"}
    told: list[tuple[str, object]] = []
    grabs.settled.connect(lambda name, keys: told.append((name, keys)))
    grabs.refused.connect(lambda name, refusal: told.append((name, refusal)))
    grabs.take(KEYS, TITLES)
    qtbot.waitUntil(lambda: told == [("captions", "Strg+Alt+E"), ("talk", Refusal.DENIED)])


def test_a_desktop_without_the_portal_is_told(bus: None, qtbot: QtBot) -> None:
    grabs = PortalGrabs()
    with qtbot.waitSignal(grabs.refused) as refused:
        grabs.take({"captions": KEYS["captions"]}, TITLES)
    assert refused.args == ["captions", Refusal.UNREACHABLE]
    grabs.close()


def test_other_keys_end_the_session_before(grabs: PortalGrabs, portal: Portal, qtbot: QtBot) -> None:
    with qtbot.waitSignal(grabs.settled):
        grabs.take({"captions": KEYS["captions"]}, TITLES)
    with qtbot.waitSignal(grabs.settled) as settled:
        grabs.take({"talk": KEYS["talk"]}, TITLES)
    assert settled.args[0] == "talk"
    methods = [method for method, _ in portal.asked]
    assert methods == ["CreateSession", "BindShortcuts", "Close", "CreateSession", "BindShortcuts"]


def test_a_bus_that_goes_away_is_told_once(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    refusals: list[str] = []
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        grabs = PortalGrabs()
        grabs.refused.connect(lambda name, _: refusals.append(name))
        grabs.take({"captions": KEYS["captions"]}, TITLES)
        qtbot.waitUntil(lambda: refusals == ["captions"])  # there is no portal
    qtbot.waitUntil(lambda: refusals == ["captions", "captions"])
    assert not grabs._notifier.isEnabled()
    grabs.close()


def test_without_a_bus_there_are_none(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    with pytest.raises(OSError, match="no session bus"):
        PortalGrabs()


def test_signatures_come_apart() -> None:
    assert parts("oa(sa{sv})sa{sv}") == ["o", "a(sa{sv})", "s", "a{sv}"]
    assert trigger(KEYS["captions"]) == "CTRL+ALT+e"
