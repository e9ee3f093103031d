"""The app as a whole: what it loads, how it starts and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from pytestqt.qtbot import QtBot

from app.application import Application
from app.sound.device_search import DeviceSearch
from app.window.interrupts import Interrupts
from tests.app.conftest import MakeApplication

PATIENCE = 120_000  # milliseconds


def test_the_window_s_process_loads_no_model_library() -> None:
    code = "import sys, app.application; print([each for each in ('mlx', 'numpy', 'soundfile') if each in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=400)
    assert run.stdout.strip() == "[]", run.stderr


def test_starting_shows_the_window_first_and_then_gets_everything_ready(
    make_application: MakeApplication, qtbot: QtBot
) -> None:
    application = make_application(model="/nowhere/at/all")
    with qtbot.waitSignals([application.client.failed], timeout=PATIENCE):
        application.start()
        assert application.window.isVisible()
        assert not application.client.is_running


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_closes_the_window(application: Application, qtbot: QtBot, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with Interrupts(application.window), qtbot.waitSignal(application.window.left, timeout=PATIENCE):
        os.kill(os.getpid(), number)
    assert not application.window.isVisible()
    assert signal.getsignal(number) is before


def test_a_search_for_microphones_that_fails_is_a_sentence(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    search = DeviceSearch()
    with qtbot.waitSignal(search.failed, timeout=PATIENCE) as failed:
        search.start()
        search.start()
    assert failed.args is not None
    assert "libportaudio2" in failed.args[0]
