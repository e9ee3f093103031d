"""The window never stops turning while words appear in it, and rests while nothing does."""

from __future__ import annotations

import sys
import threading
import time

import pytest
from pytestqt.qtbot import QtBot

from app.sound import device_events
from app.sound.audio_sources import AudioFile
from lab.commands.window.event_loop_watch import STALL_SECONDS, EventLoopWatch
from tests.app.conftest import MakeApplication
from tests.toy_models import TOY, TOY_MEETING

PATIENCE = 120_000  # milliseconds
SPOKEN_SECONDS = 8.0


def test_the_watch_sees_what_holds_up_the_loop(qtbot: QtBot) -> None:
    watch = EventLoopWatch()
    watch.start()
    qtbot.waitUntil(lambda: len(watch.waits) > 3)
    computed = time.thread_time() + 0.08
    while time.thread_time() < computed:
        pass
    seen = len(watch.waits)
    qtbot.waitUntil(lambda: len(watch.waits) > seen)
    watch.stop()
    assert watch.longest_wait_seconds >= 0.08
    assert watch.longest_work_seconds > 0.02


def test_the_watch_tells_own_work_from_that_of_others(qtbot: QtBot) -> None:
    watch = EventLoopWatch()
    watch.start()
    threading.Event().wait(0.08)  # nothing is computed
    qtbot.waitUntil(lambda: len(watch.waits) > 0)
    watch.stop()
    assert watch.longest_wait_seconds >= 0.08
    assert watch.longest_work_seconds < 0.05


@pytest.mark.realtime
def test_the_event_loop_turns_while_a_meeting_is_captioned_in_window_and_overlay(
    make_application: MakeApplication, qtbot: QtBot
) -> None:
    application = make_application(model=str(TOY))
    with qtbot.waitSignal(application.session.model_loaded, timeout=PATIENCE):
        application.session.prepare()
    application.actions.overlay.setChecked(True)
    application.desktop.overlay.follow()
    watch = EventLoopWatch()
    application.session.start(AudioFile(TOY_MEETING))
    watch.start()
    captions = application.session.captions
    qtbot.waitUntil(lambda: captions.next_seconds > SPOKEN_SECONDS, timeout=PATIENCE)
    watch.stop()
    application.session.stop()
    assert captions.rowCount() > 1
    # Only the window's own work is measured: delays by other processes are not its fault.
    assert len(watch.work) > 20
    assert sorted(watch.work)[-1 - len(watch.work) // 100] < STALL_SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="only there a sound server is asked")
def test_a_machine_without_a_sound_server_is_not_searched_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, news, enough = [], [], threading.Event()

    def answers() -> bool:
        asked.append(True)
        if len(asked) >= 4:
            enough.set()
        return False

    monkeypatch.setattr(device_events, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(device_events.sound_server, "is_there", lambda: True)
    monkeypatch.setattr(device_events.sound_server, "answers", answers)

    def note() -> None:
        news.append(True)

    device_events.add(note)
    try:
        assert enough.wait(120)
    finally:
        device_events.remove(note)
    assert news == []
