"""Microphones: a real sound system with a microphone that is spoken into, and all that can be missing or break."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from app.sound import audio_devices
from app.sound.audio_devices import InputDevice, MicrophoneUnavailable, list_input_devices, microphone_chunks
from engine.audio import SAMPLE_RATE_HZ
from tests.app.pulse import MICROPHONE, REFUSED, Pulse, private_pulse
from tests.app.scripted_hearing import say, write_wav

PAUSE_CHUNKS = 10


@pytest.fixture
def no_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with PortAudio but without any sound device."""
    pytest.importorskip("sounddevice", reason="PortAudio is missing: apt install libportaudio2", exc_type=OSError)
    nothing = tmp_path / "asoundrc"
    nothing.write_text("</usr/share/alsa/alsa.conf>\n")  # PortAudio aborts where this is missing
    monkeypatch.setenv("ALSA_CONFIG_PATH", str(nothing))
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path}/none")
    if list_input_devices():
        pytest.skip("this machine has sound devices, which no configuration can hide")


def likeness(recorded: np.ndarray, said: np.ndarray) -> float:
    """Return the likeness of a recording to what was said, wherever that begins in it: 1 is perfect."""
    size = 1 << (len(recorded) + len(said)).bit_length()
    spectrum = np.fft.rfft(recorded, size) * np.conj(np.fft.rfft(said, size))
    start = int(np.argmax(np.fft.irfft(spectrum, size)[: len(recorded)]))
    part = recorded[start : start + len(said)]
    said = said[: len(part)]
    return float(part @ said / np.sqrt((part @ part) * (said @ said)))


def record(device: str | int | None, pulse: Pulse, wav: Path) -> np.ndarray:
    """Record from before a file is played until a moment after."""
    stop = threading.Event()
    heard: list[np.ndarray] = []
    playing = None
    quiet = 0
    for chunk in microphone_chunks(device, stop):
        heard.append(chunk)
        playing = playing or pulse.speak(wav)
        quiet += playing.poll() is not None
        if quiet > PAUSE_CHUNKS:
            stop.set()
    return np.concatenate(heard)


def test_microphones_are_listed_by_name_with_the_default_one_first(pulse: Pulse) -> None:
    devices = list_input_devices()
    assert [device.is_default for device in devices] == [True] + [False] * (len(devices) - 1)
    assert devices[0].name == "default"
    assert MICROPHONE in [device.name for device in devices]


@pytest.mark.parametrize("device", [None, MICROPHONE, "fake_mic"])
def test_what_is_said_into_a_microphone_is_recorded(device: str | None, pulse: Pulse, tmp_path: Path) -> None:
    said = say("Can you hear me?").samples
    recorded = record(device, pulse, write_wav(tmp_path / "said.wav", said))
    assert recorded.dtype == np.float32
    assert len(recorded) > len(said)
    assert likeness(recorded, said) > 0.95


def test_a_recording_ends_soon_after_it_is_told_to(pulse: Pulse) -> None:
    stop = threading.Event()
    chunks = microphone_chunks(MICROPHONE, stop)
    first = next(chunks)
    stop.set()
    rest = sum(len(chunk) for chunk in chunks)
    assert 0 < len(first) <= SAMPLE_RATE_HZ // 10
    assert rest < 5 * SAMPLE_RATE_HZ  # a busy machine is slow to end it


def test_a_microphone_that_goes_away_is_a_sentence(pulse: Pulse) -> None:
    chunks = microphone_chunks(MICROPHONE, threading.Event())
    next(chunks)
    pulse.process.kill()
    with pytest.raises(MicrophoneUnavailable, match="stopped delivering sound"):
        for _ in chunks:
            pass


def test_a_microphone_that_delivers_nothing_more_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audio_devices, "SILENT_DEVICE_SECONDS", 0.2)
    recording = audio_devices._Recording("Yeti", SAMPLE_RATE_HZ)
    recording.receive(np.zeros((800, 1), np.float32), 800, None, None)
    blocks = recording.blocks(threading.Event())
    assert len(next(blocks)) == 800
    with pytest.raises(MicrophoneUnavailable, match="'Yeti' stopped delivering sound"):
        next(blocks)


def test_a_microphone_that_refuses_is_a_sentence(pulse: Pulse) -> None:
    with pytest.raises(MicrophoneUnavailable, match=f"{REFUSED}.* cannot be opened .*Allow this app"):
        next(microphone_chunks(REFUSED, threading.Event()))


def test_an_unknown_microphone_is_answered_with_those_there_are(pulse: Pulse) -> None:
    with pytest.raises(MicrophoneUnavailable, match=f"'banana'.*{MICROPHONE}"):
        next(microphone_chunks("banana", threading.Event()))


def test_a_microphone_that_comes_later_is_found(no_devices: None, tmp_path: Path) -> None:
    assert list_input_devices() == ()
    folder = tmp_path / "pulse"
    folder.mkdir()
    with private_pulse(folder):
        assert MICROPHONE in [device.name for device in list_input_devices()]


def test_no_microphone_is_an_empty_list_and_a_sentence(no_devices: None) -> None:
    assert list_input_devices() == ()
    with pytest.raises(MicrophoneUnavailable, match="No microphone was found"):
        next(microphone_chunks(None, threading.Event()))


def test_no_portaudio_is_a_sentence_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(MicrophoneUnavailable, match="libportaudio2"):
        list_input_devices()
    with pytest.raises(MicrophoneUnavailable, match="libportaudio2"):
        next(microphone_chunks(None, threading.Event()))


def test_listing_while_recording_does_not_disturb_the_recording(pulse: Pulse) -> None:
    stop = threading.Event()
    chunks = microphone_chunks(MICROPHONE, stop)
    next(chunks)
    assert InputDevice in {type(device) for device in list_input_devices()}
    assert len(next(chunks))
    stop.set()
    assert list(chunks) is not None
