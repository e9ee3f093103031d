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
from pytestqt.qtbot import QtBot

from app.desktop.typists.macos import MOST_UNITS, MacTypist
from app.desktop.typists.portal import PortalTypist
from app.desktop.typists.typist import TypingRefusal, keysym_of
from app.desktop.typists.x11 import X11Typist
from tests.app.displays import HAS_BUS, session_bus, x_display
from tests.app.scripted_portal import ScriptedPortal

PATIENCE = 120_000  # milliseconds
SAID = "Grüße aus Køln — 5 € für ein ñandú, bitte! 🎧"
NEEDS_X = pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("setxkbmap")), reason="needs Xvfb, setxkbmap")
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
@pytest.mark.parametrize("layout", ["us", "ru", "fr", "de"])
def test_letters_of_all_kinds_reach_the_window_in_front(
    window: Window, display: str, layout: str, qtbot: QtBot
) -> None:
    """All letters arrive with any layout of the keyboard."""
    subprocess.run(["setxkbmap", "-display", display, layout], check=True, timeout=PATIENCE / 1000)
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

SESSION = "/session/earshot"


class Portal(ScriptedPortal):
    """A portal that grants what it is told to.

    Attributes:
        typed: characters that were pressed and released.
        refuses: a method to which the person says no.
    """

    def __init__(self) -> None:
        super().__init__()
        self.typed: list[tuple[int, int]] = []
        self.refuses = ""

    def receive(self, member: str, values: tuple[Any, ...]) -> None:
        if member == "NotifyKeyboardKeysym":
            self.typed.append(values[2:])
        elif member in ("CreateSession", "SelectDevices", "Start"):
            results = {"session_handle": ("s", SESSION)} if member == "CreateSession" else {}
            self.answer(values[-1]["handle_token"][1], int(member == self.refuses), results)


@pytest.fixture
def portal(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[Portal]:
    with session_bus() as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        made = Portal()
        yield made
        made.close()


@pytest.fixture
def by_portal(portal: Portal) -> Iterator[PortalTypist]:
    made = PortalTypist()
    yield made
    made.close()


@NEEDS_BUS
def test_the_portal_is_asked_for_the_keyboard_and_types(portal: Portal, by_portal: PortalTypist, qtbot: QtBot) -> None:
    by_portal.open()
    by_portal.type("Ä")  # before it is granted
    qtbot.waitUntil(lambda: len(portal.typed) == 2, timeout=PATIENCE)
    by_portal.type("🎧")
    qtbot.waitUntil(lambda: len(portal.typed) == 4, timeout=PATIENCE)
    assert [method for method, _ in portal.asked[:3]] == ["CreateSession", "SelectDevices", "Start"]
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
    """The system's functions for events of a keyboard.

    Attributes:
        trusted: Earshot may post events.
        grants: the person says yes when asked.
        asked: how often the person was asked.
        held: the keys that the person holds, as flags of an event.
        has_password: a password is being entered.
        posted: each text with whether a key went down, and the keys that it was said to be held with.
        made, released: how many objects.
    """

    COMMAND, SHIFT, CAPS_LOCK = 1 << 20, 1 << 17, 1 << 16

    def __init__(self, *, trusted: bool = True) -> None:
        self.trusted = trusted
        self.grants = False
        self.asked = 0
        self.held = 0
        self.has_password = False
        self.posted: list[tuple[str, bool, int]] = []
        self._events: dict[int, tuple[str, bool, int]] = {}
        self.made = self.released = 0

    def CGPreflightPostEventAccess(self) -> bool:
        return self.trusted

    def CGRequestPostEventAccess(self) -> bool:
        self.asked += 1
        return self.grants

    def IsSecureEventInputEnabled(self) -> bool:
        return self.has_password

    def CGEventSourceFlagsState(self, state: int) -> int:
        assert state == 1, "the keys of the hardware, whatever programs say of them"
        return self.held

    def CGEventSourceCreate(self, state: int) -> int:
        assert state == -1, "a state of its own, which what the person holds is no part of"
        self.made += 1
        return 4711

    def CGEventCreateKeyboardEvent(self, source: int, key: int, down: bool) -> int:
        assert source == 4711
        self.made += 1
        self._events[self.made] = ("", down, self.held)
        return self.made

    def CGEventSetFlags(self, event: int, flags: int) -> None:
        self._events[event] = (*self._events[event][:2], flags)

    def CGEventKeyboardSetUnicodeString(self, event: int, count: int, units: ctypes.Array[Any]) -> None:
        text = bytes(units)[: 2 * count].decode("utf-16-le")
        self._events[event] = (text, *self._events[event][1:])

    def CGEventPost(self, tap: int, event: int) -> None:
        self.posted.append(self._events[event])

    def CFRelease(self, thing: int) -> None:
        self.released += 1

    @property
    def text(self) -> str:
        return "".join(text for text, down, _ in self.posted if down)


@pytest.fixture
def mac() -> FakeMac:
    return FakeMac()


@pytest.fixture
def by_mac(mac: FakeMac, qtbot: QtBot) -> MacTypist:
    return MacTypist(library=mac)


def test_a_mac_is_given_events_that_carry_the_text(mac: FakeMac, by_mac: MacTypist) -> None:
    by_mac.open()
    by_mac.type(SAID * 2)
    downs = [text for text, down, _ in mac.posted if down]
    assert "".join(downs) == SAID * 2
    assert [text for text, down, _ in mac.posted if not down] == downs
    assert max(len(text.encode("utf-16-le")) // 2 for text in downs) <= MOST_UNITS
    by_mac.close()
    assert mac.released == mac.made
    by_mac.type("never")
    assert mac.released == mac.made


def test_m1_what_a_mac_types_is_no_command_whatever_the_person_holds(
    mac: FakeMac, by_mac: MacTypist, qtbot: QtBot
) -> None:
    """Mac review M1: ⌘Tab, while words come, would make ⌘A of them, since their key is that of "a"."""
    by_mac.open()
    mac.held = mac.COMMAND
    by_mac.type("Good ")
    by_mac.type("morning")
    assert mac.posted == []
    mac.held = mac.SHIFT | mac.CAPS_LOCK
    qtbot.waitUntil(lambda: mac.text == "Good morning", timeout=PATIENCE)
    assert {flags for _, _, flags in mac.posted} == {0}


def test_m1_what_waits_for_a_key_to_be_let_go_is_not_typed_after_the_end(mac: FakeMac, by_mac: MacTypist) -> None:
    """Mac review M1."""
    by_mac.open()
    mac.held = mac.COMMAND
    by_mac.type("never")
    by_mac.close()
    assert not by_mac._wait.isActive()
    mac.held = 0
    by_mac.open()
    by_mac.type("again")
    assert mac.text == "again"


def test_m1_nothing_is_typed_into_a_password(mac: FakeMac, by_mac: MacTypist, qtbot: QtBot) -> None:
    """Mac review M1."""
    by_mac.open()
    mac.has_password = True
    with qtbot.waitSignal(by_mac.refused) as refused:
        by_mac.type("never")
    assert refused.args == [TypingRefusal.PASSWORD]
    by_mac.type("never")
    assert mac.posted == [] and mac.released == mac.made


def test_m2_a_mac_asks_the_person_whether_earshot_may_type(mac: FakeMac, by_mac: MacTypist, qtbot: QtBot) -> None:
    """Mac review M2: only who asks is in the list where it is allowed."""
    mac.trusted = False
    with qtbot.waitSignal(by_mac.refused) as refused:
        by_mac.open()
    by_mac.type("never")
    assert refused.args == [TypingRefusal.NOT_ALLOWED]
    assert mac.asked == 1 and mac.posted == []
    mac.grants = True
    by_mac.open()
    by_mac.type("now")
    assert mac.text == "now"


def test_m2_who_has_said_yes_is_not_asked(mac: FakeMac, by_mac: MacTypist) -> None:
    """Mac review M2."""
    by_mac.open()
    assert mac.asked == 0
