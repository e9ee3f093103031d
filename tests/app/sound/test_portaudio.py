"""PortAudio where it does what it should not: a device that never starts must not hold up all others."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from app.look.problems import KNOWN, in_words
from app.sound import portaudio
from app.sound.output_devices import LoudspeakerUnavailable

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
    """A stream of PortAudio's, by a function that starts it."""

    def __init__(self, start: Callable[[], object] = lambda: None, ended: Callable[[], None] = lambda: None) -> None:
        self.start = start
        self.closed = False
        self.ended = ended
        self.latency = 0.03

    def close(self) -> None:
        assert not self.closed, "PortAudio has freed it"
        self.closed = True
        self.ended()


def opened(sounddevice: SimpleNamespace, stream: _Stream, ended: Callable[[], None] = lambda: None) -> portaudio.Stream:
    return portaudio.Stream(sounddevice, lambda _: stream, ended)


@pytest.fixture
def sounddevice(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.setattr(portaudio, "_open", [])
    monkeypatch.setattr(portaudio, "_is_stuck", False)
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
        opened(sounddevice, _Stream(never.wait))
    good = _Stream()
    stream = opened(sounddevice, good)
    assert stream.latency_seconds == 0.03
    stream.close()
    assert good.closed and stream.latency_seconds == 0.0
    assert sounddevice.searches == ["end", "begin"]  # starting PortAudio again would wait for the one that hangs
    assert sounddevice._initialized == 0


def test_a_device_that_fails_to_start_is_closed(sounddevice: SimpleNamespace) -> None:
    def start() -> None:
        raise _Error("it is in use")

    for _ in range(2):
        bad = _Stream(start)
        with pytest.raises(_Error, match="in use"):
            opened(sounddevice, bad)
        assert bad.closed
    assert sounddevice.searches == ["end", "begin"] * 2


class Mac:
    """A Mac where a loudspeaker is open, and a microphone is plugged in.

    Attributes:
        devices: what the system says there is.
        made: the streams of the loudspeaker, the newest last.
        refuses: the loudspeaker cannot be opened any more.
        ended: how often the loudspeaker was said to have ended.
    """

    def __init__(self, sounddevice: SimpleNamespace) -> None:
        self.devices: object = "loudspeaker"
        self.made: list[_Stream] = []
        self.refuses = False
        self.ended = 0
        self.loudspeaker = portaudio.Stream(sounddevice, self.make, self.note_end)

    def make(self, ended: Callable[[], None]) -> _Stream:
        if self.refuses:
            raise LoudspeakerUnavailable("No loudspeaker was found.")
        self.made.append(_Stream(ended=ended))
        return self.made[-1]

    def note_end(self) -> None:
        self.ended += 1


@pytest.fixture
def mac(sounddevice: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> Mac:
    monkeypatch.setattr(portaudio.sys, "platform", "darwin")
    made: list[Mac] = []
    monkeypatch.setattr(
        portaudio.core_audio, "devices", lambda: made[0].devices if made else "loudspeaker", raising=True
    )
    made.append(Mac(sounddevice))
    return made[0]


def test_m4_a_mac_looks_for_devices_afresh_with_the_loudspeaker_closed_for_a_moment(
    mac: Mac, sounddevice: SimpleNamespace
) -> None:
    """Mac review M4: only where there are others than PortAudio knows; a loudspeaker that plays on is not lost."""
    opened(sounddevice, _Stream()).close()
    assert len(mac.made) == 1 and sounddevice.searches == ["end", "begin"]
    mac.devices = "loudspeaker and microphone"
    for _ in range(2):
        opened(sounddevice, _Stream()).close()
    before, after = mac.made
    assert before.closed and not after.closed
    assert sounddevice.searches == ["end", "begin"] * 2
    assert mac.ended == 0
    after.ended()
    assert mac.ended == 1


def test_m4_a_loudspeaker_that_is_gone_meanwhile_has_ended_and_the_microphone_is_opened(
    mac: Mac, sounddevice: SimpleNamespace
) -> None:
    """Mac review M4."""
    mac.devices, mac.refuses = "microphone", True
    opened(sounddevice, _Stream())
    assert mac.ended == 1 and mac.made[0].closed
    mac.loudspeaker.close()
    mac.devices, mac.refuses = "loudspeaker", False
    opened(sounddevice, _Stream())


def test_l5_what_to_install_is_said_for_this_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review L5: no Mac has apt, and PortAudio comes with the packages there."""
    assert "libportaudio2" in portaudio.install()
    monkeypatch.setattr(portaudio.sys, "platform", "darwin")
    assert "apt" not in portaudio.install()
    assert in_words(portaudio.install()) == portaudio.install(), "known, so that it is translated"
    assert portaudio.install() in KNOWN


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
