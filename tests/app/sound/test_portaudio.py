"""PortAudio where it does what it should not: a device that never starts must not hold up all others."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from app.sound import portaudio

LOOKS_ON = """
import threading
from app.sound import portaudio
sounddevice = portaudio.load()
looked = threading.Event()

def look():
    while True:
        with portaudio.devices(sounddevice):
            looked.set()

threading.Thread(target=look, daemon=True).start()
looked.wait()
"""


class _Error(Exception):
    pass


class _Stream:
    def __init__(self, start: object) -> None:
        self.start = start
        self.closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def sounddevice(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.setattr(portaudio, "_open_streams", 0)
    monkeypatch.setattr(portaudio, "START_SECONDS", 0.1)
    searches: list[str] = []
    return SimpleNamespace(
        PortAudioError=_Error,
        searches=searches,
        _initialized=1,
        _terminate=lambda: searches.append("end"),
        _initialize=lambda: searches.append("begin"),
    )


@pytest.fixture
def never() -> Iterator[threading.Event]:
    made = threading.Event()
    yield made
    made.set()


def test_a_device_that_never_starts_is_given_up_and_others_can_be_opened(
    sounddevice: SimpleNamespace, never: threading.Event
) -> None:
    with pytest.raises(portaudio.StartHangs):
        portaudio.open_stream(sounddevice, lambda: _Stream(never.wait))
    good = _Stream(lambda: None)
    assert portaudio.open_stream(sounddevice, lambda: good) is good
    portaudio.close_stream(good)
    assert good.closed
    assert sounddevice.searches == ["end", "begin"]  # starting PortAudio again would wait for the one that hangs
    assert sounddevice._initialized == 0


def test_a_device_that_fails_to_start_is_closed(sounddevice: SimpleNamespace) -> None:
    def start() -> None:
        raise _Error("it is in use")

    bad = _Stream(start)
    for _ in range(2):
        with pytest.raises(_Error, match="in use"):
            portaudio.open_stream(sounddevice, lambda: bad)
    assert bad.closed
    assert sounddevice.searches == ["end", "begin"] * 2


def test_what_is_opened_is_led_to_a_device_of_the_server_and_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PULSE_SOURCE", raising=False)
    with portaudio.routed("PULSE_SOURCE", "yeti"):
        assert os.environ["PULSE_SOURCE"] == "yeti"
    assert "PULSE_SOURCE" not in os.environ
    monkeypatch.setenv("PULSE_SOURCE", "the_person's_own")
    with portaudio.routed("PULSE_SOURCE", "yeti"):
        pass
    assert os.environ["PULSE_SOURCE"] == "the_person's_own"


def test_a_process_that_ends_while_it_looks_for_devices_does_not_crash() -> None:
    pytest.importorskip("sounddevice", reason="PortAudio is missing: apt install libportaudio2", exc_type=OSError)
    ended = subprocess.run([sys.executable, "-c", LOOKS_ON], capture_output=True)
    assert ended.returncode == 0
