"""Captions are offered when another program listens: after a while, once, and never of what was left out."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.desktop import meetings as module
from app.desktop.meetings import REST_SECONDS, SETTLE_SECONDS, Offers
from app.preferences.preferences import MeetingOptions
from app.sound import recorders
from tests.app.pulse import Pulse

TRY = 12_000  # milliseconds
TRIES = 10


def test_a_program_is_offered_once_when_it_has_listened_for_a_while() -> None:
    offers, options = Offers(), MeetingOptions()
    offers.see(["Firefox"], 100.0)
    assert offers.due(100.0 + SETTLE_SECONDS - 0.1, options) == ""
    assert offers.wait_seconds(101.0) == SETTLE_SECONDS - 1
    offers.see(["Firefox", "zoom"], 103.0)
    assert offers.due(100.0 + SETTLE_SECONDS, options) == "Firefox"
    assert offers.due(100.0 + SETTLE_SECONDS, options) == ""
    assert offers.due(103.0 + SETTLE_SECONDS, options) == "zoom"
    assert offers.wait_seconds(200.0) is None


def test_a_short_test_of_a_microphone_is_no_meeting() -> None:
    offers = Offers()
    offers.see(["Firefox"], 0.0)
    offers.see([], 3.0)
    offers.see(["Firefox"], 4.0)
    assert offers.due(6.0, MeetingOptions()) == ""
    assert offers.due(4.0 + SETTLE_SECONDS, MeetingOptions()) == "Firefox"


def test_the_next_meeting_of_a_program_is_offered_again_but_not_soon_after_a_no() -> None:
    offers, options = Offers(), MeetingOptions()
    for begins, declines in ((0.0, True), (10.0, False), (10.0 + REST_SECONDS, False)):
        offers.see(["Firefox"], begins)
        expected = "" if begins == 10.0 else "Firefox"
        assert offers.due(begins + SETTLE_SECONDS, options) == expected
        if declines:
            offers.decline(begins + SETTLE_SECONDS)
        offers.see([], begins + 6.0)


def test_what_was_left_out_is_not_offered_and_what_was_allowed_does_not_rest() -> None:
    offers, options = Offers(), MeetingOptions(left_out=("Audacity",), allowed=("zoom",))
    offers.decline(0.0)
    offers.see(["Audacity", "zoom"], 1.0)
    assert offers.due(1.0 + SETTLE_SECONDS, options) == "zoom"
    assert offers.due(1.0 + SETTLE_SECONDS, options) == ""


class Sky:
    """A clock that stands until it is moved."""

    now = 0.0


@pytest.fixture
def sky(application: Application, monkeypatch: pytest.MonkeyPatch) -> Sky:
    """The app's meetings on a clock, with programs that the test names."""
    sky = Sky()
    meetings = application.desktop.meetings
    monkeypatch.setattr(meetings, "_clock", lambda: sky.now)
    monkeypatch.setattr(meetings, "_look", lambda: ())
    application.settings.alter(lambda now: replace(now, meetings=MeetingOptions(offers=True, allowed=("zoom",))))
    meetings.start()
    return sky


def listen(application: Application, sky: Sky, *names: str) -> None:
    application.desktop.meetings.see(names)
    sky.now += SETTLE_SECONDS
    application.desktop.meetings.see(names)


def answer(application: Application, text: str) -> None:
    next(each for each in application.window.message.buttons if each.text() == text).click()


def asked(application: Application) -> bool:
    return "is listening. Caption this?" in application.window.message.text and application.window.message.isVisible()


def test_the_window_asks_and_a_yes_starts_captions(
    application: Application, sky: Sky, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[bool] = []
    monkeypatch.setattr(application.captions_page, "_caption", lambda source: begun.append(True))
    application.captions_page.play_demo()
    begun.clear()
    listen(application, sky, "Firefox")
    assert application.window.message.text == "Firefox is listening. Caption this?"
    assert not begun  # it never records by itself
    answer(application, "Caption this")
    assert begun
    assert not asked(application)


def test_a_no_and_a_never_are_kept(application: Application, sky: Sky) -> None:
    listen(application, sky, "Firefox")
    answer(application, "Not now")
    assert not asked(application)
    listen(application, sky)
    listen(application, sky, "Firefox")
    assert not asked(application)  # it rests
    sky.now += REST_SECONDS
    listen(application, sky)
    listen(application, sky, "Firefox")
    assert asked(application)
    answer(application, "Never")
    assert application.settings.preferences.meetings.left_out == ("Firefox",)
    sky.now += REST_SECONDS
    listen(application, sky)
    listen(application, sky, "Firefox")
    assert not asked(application)


def test_the_question_goes_when_the_meeting_ends_or_when_it_is_switched_off(application: Application, sky: Sky) -> None:
    listen(application, sky, "Firefox")
    listen(application, sky)
    assert not asked(application)
    listen(application, sky, "Chromium")
    assert asked(application)
    application.settings.alter(lambda now: replace(now, meetings=MeetingOptions()))
    assert not asked(application)


def test_an_allowed_program_starts_captions_and_ends_them(application: Application, sky: Sky) -> None:
    done: list[str] = []
    application.actions.start.triggered.connect(lambda: done.append("start"))
    application.actions.stop.setEnabled(True)
    application.actions.stop.triggered.connect(lambda: done.append("stop"))
    listen(application, sky, "zoom")
    assert done == ["start"]
    application.actions.stop.setEnabled(True)
    listen(application, sky)
    assert done == ["start", "stop"]


def test_nothing_is_watched_until_it_is_asked_for(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[bool] = []
    monkeypatch.setattr(application.desktop.meetings, "_look", lambda: looked.append(True) or ())
    application.desktop.meetings.start()
    application.desktop.meetings.see(["Firefox"])
    assert not looked
    assert not asked(application)


@contextmanager
def recording(device: str, *beginning: str) -> Iterator[subprocess.Popen[bytes]]:
    """Record a device with a program until it is left; `beginning` is the beginning of its command."""
    command = [*(beginning or ("parec",)), "--raw", f"--device={device}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        try:
            yield program
        finally:
            program.kill()


@pytest.mark.realtime
def test_a_program_that_opens_a_microphone_is_found_and_one_that_records_the_computer_is_not(
    application: Application, pulse: Pulse, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLE_SECONDS", 0.0)
    monkeypatch.setattr(recorders, "_own", lambda: set())  # what a test starts counts as another program
    pulse.plug_in("headset", "Headset")
    pulse.ask("set-default-source", "headset")
    meetings = application.desktop.meetings
    offered: list[str] = []
    meetings.offered.connect(offered.append)
    application.settings.alter(lambda now: replace(now, meetings=MeetingOptions(offers=True)))
    pulse.await_subscriber()
    another = ("setsid", "parec", "--client-name")
    with recording("speakers.monitor", *another, "Film"):
        for _ in range(TRIES):  # the server lists a client a moment before it is told anything
            with recording("headset", *another, "Firefox") as firefox:
                with qtbot.waitSignal(meetings.offered, timeout=TRY, raising=False):
                    pass
                if offered:
                    with qtbot.waitSignal(meetings.withdrawn):
                        firefox.kill()
                    break
    assert set(offered) == {"Firefox"}


def test_the_recordings_of_earshot_itself_are_no_meeting(monkeypatch: pytest.MonkeyPatch, pulse: Pulse) -> None:
    pulse.plug_in("headset", "Headset")
    with recording("headset") as own:
        assert own.stdout is not None
        own.stdout.read(1)  # it records
        assert recorders.recorders() == ()
        monkeypatch.setattr(recorders, "_own", lambda: set())
        assert recorders.recorders() == ("parec",)
