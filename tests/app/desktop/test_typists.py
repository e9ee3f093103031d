"""Typing into other programs: on a real X server into a real window, by a portal on a real bus, and as a Mac would."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_signal
from PySide6.QtCore import QSocketNotifier
from pytestqt.qtbot import QtBot

from app.desktop.keys.dbus import Bus, field
from app.desktop.typists.macos import MOST_UNITS, MacTypist
from app.desktop.typists.portal import PortalTypist
from app.desktop.typists.typist import TypingRefusal, keysym_of
from app.desktop.typists.x11 import X11Typist
from tests.app.displays import HAS_BUS, session_bus, x_display

PATIENCE = 120_000  # milliseconds
SAID = "Grüße aus Køln — 5 € für ein ñandú, bitte! 🎧"
NEEDS_X = pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb")
NEEDS_BUS = pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")


# --- X11 ---


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with x_display() as name:
        monkeypatch.setenv("DISPLAY", name)
        yield name


class Window:
    """Another program's window that has the keyboard."""

    def __init__(self, display: str) -> None:
        program = str(Path(__file__).parent / "typed_into.py")
        environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._program = subprocess.Popen(
            [sys.executable, program], stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
        )
        self.wait_for("ready")

    def wait_for(self, text: str) -> None:
        assert self._program.stdout is not None
        said = ""
        while said != text:
            line = self._program.stdout.readline()
            assert line, f"the program ended with {said!r}"
            said = json.loads(line)

    def close(self) -> None:
        self._program.kill()
        self._program.communicate()


@pytest.fixture
def window(display: str) -> Iterator[Window]:
    made = Window(display)
    yield made
    made.close()


@NEEDS_X
def test_letters_of_all_kinds_reach_the_window_in_front(window: Window, qtbot: QtBot) -> None:
    typist = X11Typist()
    typist.open()
    for text in (SAID, " Und weiter."):
        typist.type(text)
        qtbot.waitUntil(lambda: not typist._text, timeout=PATIENCE)
    window.wait_for(f"{SAID} Und weiter.")
    typist.close()


@NEEDS_X
def test_more_letters_than_there_are_free_keys_arrive_in_order(window: Window, qtbot: QtBot) -> None:
    typist = X11Typist()
    del typist._free[3:]
    typist.type("abcdabcde")
    qtbot.waitUntil(lambda: not typist._text, timeout=PATIENCE)
    window.wait_for("abcdabcde")
    typist.close()


@NEEDS_X
def test_the_keyboard_is_left_as_it_was(display: str, qtbot: QtBot) -> None:
    first = X11Typist()
    free = len(first._free)
    first.type("äöü")
    first.close()
    second = X11Typist()
    assert len(second._free) == free
    second.close()


def test_without_a_display_nothing_can_be_typed(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    with pytest.raises(OSError, match="no X display"):
        X11Typist()


def test_characters_have_the_numbers_that_x_gives_them() -> None:
    assert [hex(keysym_of(each)) for each in "aÄ€🎧"] == ["0x61", "0xc4", "0x10020ac", "0x101f3a7"]


# --- the portal ---

CONTROL, REQUEST = "org.freedesktop.portal.RemoteDesktop", "org.freedesktop.portal.Request"
DESKTOP, SESSION = "/org/freedesktop/portal/desktop", "/session/earshot"


class Portal(Bus):
    """A portal that grants what it is told to.

    Attributes:
        asked: the methods that were called, in order.
        typed: characters that were pressed and released.
        refuses: a method to which the person says no.
        lacks: it knows nothing of remote control.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.typed: list[tuple[int, int]] = []
        self.refuses = ""
        self.lacks = False
        self.caller = ""
        reply = self._connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.portal.Desktop"))
        assert reply.body == (1,)
        self.notifier = QSocketNotifier(self.descriptor, QSocketNotifier.Type.Read)
        self.notifier.activated.connect(self.serve)

    def serve(self) -> None:
        for message in self.read():
            if message.header.message_type is not MessageType.method_call:
                continue
            member, values = field(message, HeaderFields.member), message.body
            self.asked.append(member)
            if self.lacks:
                self._connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
            elif member == "NotifyKeyboardKeysym":
                self.typed.append(values[2:])
            elif member in ("CreateSession", "SelectDevices", "Start"):
                self.answer(member, values[-1]["handle_token"][1])

    def answer(self, member: str, token: str) -> None:
        results = {"session_handle": ("s", SESSION)} if member == "CreateSession" else {}
        address = DBusAddress(f"{DESKTOP}/request/{self.caller}/{token}", interface=REQUEST)
        self._connection.send(new_signal(address, "Response", "ua{sv}", (int(member == self.refuses), results)))


@pytest.fixture
def portal(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[Portal]:
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        made = Portal()
        yield made
        made.notifier.setEnabled(False)
        made.close()


@pytest.fixture
def by_portal(portal: Portal) -> Iterator[PortalTypist]:
    made = PortalTypist()
    portal.caller = made._bus.name.removeprefix(":").replace(".", "_")
    yield made
    made.close()


@NEEDS_BUS
def test_the_portal_is_asked_for_the_keyboard_and_types(portal: Portal, by_portal: PortalTypist, qtbot: QtBot) -> None:
    by_portal.open()
    by_portal.type("Ä")  # before it is granted
    qtbot.waitUntil(lambda: len(portal.typed) == 2, timeout=PATIENCE)
    by_portal.type("🎧")
    qtbot.waitUntil(lambda: len(portal.typed) == 4, timeout=PATIENCE)
    assert portal.asked[:3] == ["CreateSession", "SelectDevices", "Start"]
    assert portal.typed == [(0xC4, 1), (0xC4, 0), (0x101F3A7, 1), (0x101F3A7, 0)]


@NEEDS_BUS
@pytest.mark.parametrize("step", ["CreateSession", "Start"])
def test_a_person_who_says_no_is_believed(portal: Portal, by_portal: PortalTypist, step: str, qtbot: QtBot) -> None:
    portal.refuses = step
    with qtbot.waitSignal(by_portal.refused, timeout=PATIENCE) as refused:
        by_portal.open()
        by_portal.type("never")
    assert refused.args == [TypingRefusal.DENIED]
    assert portal.typed == []


@NEEDS_BUS
def test_a_desktop_without_remote_control_says_so(portal: Portal, by_portal: PortalTypist, qtbot: QtBot) -> None:
    portal.lacks = True
    with qtbot.waitSignal(by_portal.refused, timeout=PATIENCE) as refused:
        by_portal.open()
    assert refused.args == [TypingRefusal.UNREACHABLE]


# --- a Mac ---


class FakeMac:
    """The system's functions for events of a keyboard."""

    def __init__(self, *, trusted: bool = True) -> None:
        self.trusted = trusted
        self.posted: list[tuple[str, bool]] = []
        self._events: dict[int, tuple[str, bool]] = {}
        self.released = 0

    def AXIsProcessTrusted(self) -> bool:
        return self.trusted

    def CGEventCreateKeyboardEvent(self, source: None, key: int, down: bool) -> int:
        self._events[len(self._events) + 1] = ("", down)
        return len(self._events)

    def CGEventKeyboardSetUnicodeString(self, event: int, count: int, units: ctypes.Array[Any]) -> None:
        text = bytes(units)[: 2 * count].decode("utf-16-le")
        self._events[event] = (text, self._events[event][1])

    def CGEventPost(self, tap: int, event: int) -> None:
        self.posted.append(self._events[event])

    def CFRelease(self, event: int) -> None:
        self.released += 1


def test_a_mac_is_given_events_that_carry_the_text(qtbot: QtBot) -> None:
    mac = FakeMac()
    typist = MacTypist(library=mac)
    typist.open()
    typist.type(SAID * 2)
    downs = [text for text, down in mac.posted if down]
    assert "".join(downs) == SAID * 2
    assert [text for text, down in mac.posted if not down] == downs
    assert max(len(text.encode("utf-16-le")) // 2 for text in downs) <= MOST_UNITS
    assert mac.released == len(mac.posted)
    typist.close()
    typist.type("never")
    assert mac.released == len(mac.posted)


def test_a_mac_that_does_not_trust_earshot_says_what_to_do(qtbot: QtBot) -> None:
    mac = FakeMac(trusted=False)
    typist = MacTypist(library=mac)
    with qtbot.waitSignal(typist.refused) as refused:
        typist.open()
    typist.type("never")
    assert refused.args == [TypingRefusal.NOT_ALLOWED]
    assert mac.posted == []
