"""Keys that a Wayland desktop grants: asked for on a real bus, of a portal that answers as the specification says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.dbus import PORTAL_PATH
from app.desktop.hotkey import parsed
from app.desktop.keys.grabs import Refusal
from app.desktop.keys.portal import PortalGrabs, trigger
from tests.app.displays import HAS_BUS, session_bus
from tests.app.scripted_portal import ScriptedPortal

pytestmark = pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"


class Portal(ScriptedPortal):
    """A portal that says to requests what it is told to.

    Attributes:
        code: 0 grants, 1 is a person who said no.
        granted: the shortcuts it gives; None gives all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.code = 0
        self.granted: set[str] | None = None
        self._session = ""

    def receive(self, member: str, values: tuple[Any, ...]) -> None:
        if member == "CreateSession":
            self._session = "/session/" + values[0]["session_handle_token"][1]
            self.answer(values[0]["handle_token"][1], self.code, {"session_handle": ("s", self._session)})
        elif member == "BindShortcuts":
            names = [name for name, _ in values[1] if self.granted is None or name in self.granted]
            shortcuts = [(name, {"trigger_description": ("s", "Strg+Alt+E")}) for name in names]
            self.answer(values[3]["handle_token"][1], self.code, {"shortcuts": ("a(sa{sv})", shortcuts)})

    def use(self, member: str, name: str) -> None:
        self.emit(PORTAL_PATH, SHORTCUTS, member, "osta{sv}", self._session, name, 1, {})


@pytest.fixture
def portal(bus: None, qtbot: QtBot) -> Iterator[Portal]:
    made = Portal()
    yield made
    made.close()


@pytest.fixture
def grabs(portal: Portal) -> Iterator[PortalGrabs]:
    made = PortalGrabs()
    yield made
    made.close()


KEYS = {name: keys for name, text in {"captions": "Ctrl+Alt+E", "talk": "F9"}.items() if (keys := parsed(text))}
TITLES = {"captions": "Start and stop captions", "talk": "Talk"}


def test_the_desktop_is_asked_as_the_specification_says_and_tells_presses(
    grabs: PortalGrabs, portal: Portal, qtbot: QtBot
) -> None:
    settled: list[tuple[str, str]] = []
    grabs.settled.connect(lambda name, keys: settled.append((name, keys)))
    assert grabs.grab(KEYS, TITLES) == {}
    qtbot.waitUntil(lambda: settled == [("captions", "Strg+Alt+E"), ("talk", "Strg+Alt+E")])
    (created, _), (bound, values) = portal.asked
    assert (created, bound) == ("CreateSession", "BindShortcuts")
    assert values[1] == [
        ("captions", {"description": ("s", "Start and stop captions"), "preferred_trigger": ("s", "CTRL+ALT+e")}),
        ("talk", {"description": ("s", "Talk"), "preferred_trigger": ("s", "F9")}),
    ]
    with qtbot.waitSignal(grabs.pressed) as down:
        portal.use("Activated", "talk")
    with qtbot.waitSignal(grabs.released) as up:
        portal.use("Deactivated", "talk")
    assert down.args == up.args == ["talk"]


def test_a_person_who_says_no_is_told(grabs: PortalGrabs, portal: Portal, qtbot: QtBot) -> None:
    portal.code = 1
    with qtbot.waitSignal(grabs.refused) as refused:
        grabs.grab({"captions": KEYS["captions"]}, TITLES)
    assert refused.args == ["captions", Refusal.DENIED]


def test_a_key_that_is_not_among_those_granted_is_told(grabs: PortalGrabs, portal: Portal, qtbot: QtBot) -> None:
    portal.granted = {"captions"}
    told: list[tuple[str, object]] = []
    grabs.settled.connect(lambda name, keys: told.append((name, keys)))
    grabs.refused.connect(lambda name, refusal: told.append((name, refusal)))
    grabs.grab(KEYS, TITLES)
    qtbot.waitUntil(lambda: told == [("captions", "Strg+Alt+E"), ("talk", Refusal.DENIED)])


def test_a_desktop_without_the_portal_is_told(bus: None, qtbot: QtBot) -> None:
    grabs = PortalGrabs()
    with qtbot.waitSignal(grabs.refused) as refused:
        grabs.grab({"captions": KEYS["captions"]}, TITLES)
    assert refused.args == ["captions", Refusal.UNREACHABLE]
    grabs.close()


def test_other_keys_end_the_session_before(grabs: PortalGrabs, portal: Portal, qtbot: QtBot) -> None:
    with qtbot.waitSignal(grabs.settled):
        grabs.grab({"captions": KEYS["captions"]}, TITLES)
    with qtbot.waitSignal(grabs.settled) as settled:
        grabs.grab({"talk": KEYS["talk"]}, TITLES)
    assert settled.args[0] == "talk"
    methods = [method for method, _ in portal.asked]
    assert methods == ["CreateSession", "BindShortcuts", "Close", "CreateSession", "BindShortcuts"]


def test_a_bus_that_goes_away_is_told_once(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    refusals: list[str] = []
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        grabs = PortalGrabs()
        grabs.refused.connect(lambda name, _: refusals.append(name))
        grabs.grab({"captions": KEYS["captions"]}, TITLES)
        qtbot.waitUntil(lambda: refusals == ["captions"])  # there is no portal
    qtbot.waitUntil(lambda: refusals == ["captions", "captions"])
    assert not grabs._notifier.isEnabled()
    grabs.close()


def test_without_a_bus_there_are_none(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus")
    with pytest.raises(OSError, match="no session bus"):
        PortalGrabs()


def test_keys_are_written_as_the_shortcuts_specification_says() -> None:
    assert trigger(KEYS["captions"]) == "CTRL+ALT+e"
