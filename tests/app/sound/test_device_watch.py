"""News of devices that come and go, from a real sound server, and what waiting for it costs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from app.sound import device_events
from app.sound.device_search import DeviceSearch
from app.sound.device_watch import DeviceWatch
from tests.app.pulse import Pulse

PATIENCE = 120_000  # milliseconds
TRY = 2_000

pytestmark = pytest.mark.realtime


@pytest.fixture
def watch(pulse: Pulse) -> Iterator[DeviceWatch]:
    made = DeviceWatch()
    made.start()
    made.start()
    pulse.await_subscriber()
    yield made
    made.stop()
    made.stop()


def _threads() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def _first_news(watch: DeviceWatch, qtbot: QtBot, cause: Callable[[int], object]) -> None:
    """Cause news until some comes: the server lists a client a moment before it is told anything."""
    for attempt in range(PATIENCE // TRY):
        with qtbot.waitSignal(watch.changed, timeout=TRY, raising=False) as news:
            cause(attempt)
        if news.signal_triggered:
            return
    pytest.fail("no news came")


def test_a_device_that_comes_or_goes_is_news(watch: DeviceWatch, pulse: Pulse, qtbot: QtBot) -> None:
    modules: list[int] = []
    _first_news(watch, qtbot, lambda attempt: modules.append(pulse.plug_in(f"yeti{attempt}", "Yeti")))
    with qtbot.waitSignal(watch.changed, timeout=PATIENCE):
        pulse.unplug(modules[-1])


def test_another_default_is_news(watch: DeviceWatch, pulse: Pulse, qtbot: QtBot) -> None:
    sources = ("speakers.monitor", "speech.monitor")
    _first_news(watch, qtbot, lambda attempt: pulse.ask("set-default-source", sources[attempt % 2]))


def test_looking_for_devices_is_no_news_by_itself(watch: DeviceWatch, qtbot: QtBot) -> None:
    search = DeviceSearch()
    with qtbot.assertNotEmitted(watch.changed, wait=500), qtbot.waitSignal(search.outputs_found, timeout=PATIENCE):
        search.start()
    search.wait(seconds=5.0)


def test_a_sound_server_that_ends_is_news_and_so_is_its_return(watch: DeviceWatch, pulse: Pulse, qtbot: QtBot) -> None:
    with qtbot.waitSignal(watch.changed, timeout=PATIENCE):
        pulse.process.kill()
        pulse.process.wait()
    pulse.restart()
    pulse.await_subscriber()
    _first_news(watch, qtbot, lambda attempt: pulse.plug_in(f"yeti{attempt}", "Yeti"))


def test_with_the_last_listener_thread_and_child_end(pulse: Pulse) -> None:
    first, second = threading.Event(), threading.Event()
    with device_events.listening(first.set):
        with device_events.listening(second.set):
            pulse.await_subscriber()
            assert _threads().count("device events") == 1
        assert "device events" in _threads()
    assert "device events" not in _threads()
    pulse.await_subscriber(0)


def test_a_listener_that_was_removed_is_not_called_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no server, and no news but the test's
    called, may_return = threading.Event(), threading.Event()

    def listener() -> None:
        called.set()
        may_return.wait(120)

    device_events.add(listener)
    teller = threading.Thread(target=device_events._tell)
    remover = threading.Thread(target=lambda: device_events.remove(listener))
    teller.start()
    assert called.wait(120)
    remover.start()
    remover.join(timeout=0.2)
    assert remover.is_alive()  # who destroyed the listener now would break the call
    may_return.set()
    remover.join(timeout=120)
    assert not remover.is_alive()
    teller.join()


def test_a_listener_that_another_one_removes_is_not_called_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no server, and no news but the test's
    called = list[str]()

    def removed() -> None:
        called.append("removed")

    def remover() -> None:
        called.append("remover")
        device_events.remove(removed)

    with device_events.listening(remover):
        device_events.add(removed)
        device_events._tell()
    assert called == ["remover"]


def test_where_there_is_no_server_new_kernel_devices_are_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = tmp_path / "snd"
    kernel.mkdir()
    os.utime(kernel, (1, 1))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(device_events, "KERNEL_DEVICES", kernel)
    monkeypatch.setattr(device_events, "LOOK_SECONDS", 0.02)
    told = threading.Event()
    with device_events.listening(told.set):
        (kernel / "pcmC1D0c").touch()
        assert told.wait(120)


_APP = """
import os, signal, threading
from app.sound import device_events
device_events.add(lambda: None)
print("watching", flush=True)
threading.Event().wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there is a child process")
def test_an_app_that_is_killed_leaves_no_child(pulse: Pulse) -> None:
    with subprocess.Popen([sys.executable, "-c", _APP], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        assert app.stdout.readline() == "watching\n"
        pulse.await_subscriber()
        app.kill()
    pulse.await_subscriber(0)


_SLOW_SETPRIV = """#!/bin/sh
echo $$ > "{folder}/new" && mv "{folder}/new" "{folder}/child"
while kill -0 $PPID 2> /dev/null; do sleep 0.01; done
exec {setpriv} "$@"
"""


@pytest.mark.skipif(not shutil.which("setpriv"), reason="util-linux is missing")
def test_an_app_that_is_killed_while_it_starts_the_child_leaves_none(
    pulse: Pulse, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, child = tmp_path / "setpriv", tmp_path / "child"
    slow.write_text(_SLOW_SETPRIV.format(folder=tmp_path, setpriv=shutil.which("setpriv")))
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with subprocess.Popen([sys.executable, "-c", _APP]) as app:
        qtbot.waitUntil(child.exists, timeout=PATIENCE)
        app.kill()
    qtbot.waitUntil(lambda: not _runs(int(child.read_text())), timeout=PATIENCE)


def _runs(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_waiting_for_news_costs_nothing(watch: DeviceWatch, qtbot: QtBot) -> None:
    before = os.times()
    qtbot.wait(1000)
    after = os.times()
    assert after.user - before.user + after.system - before.system < 0.05
