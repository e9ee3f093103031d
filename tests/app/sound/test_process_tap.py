"""The sound that a Mac plays, as an input like others: any format, and silence while nothing is played."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.sound import audio_devices, core_audio, process_tap
from app.sound.audio_devices import MicrophoneUnavailable, list_input_devices, microphone_chunks
from app.sound.core_audio import Device, Devices
from app.sound.process_tap import TapUnavailable, samples_of, tap_chunks
from engine.audio import SAMPLE_RATE_HZ


def buffer(samples: np.ndarray, rate_hz: int = 48_000, kind: str = "<f4") -> Any:
    """Make a buffer of samples (n, channels) within ±1, as catap delivers them."""
    bits = 8 * np.dtype(kind).itemsize
    whole = samples if kind == "<f4" else np.round(samples * (2 ** (bits - 1) - 1))
    layout = SimpleNamespace(
        sample_rate=float(rate_hz),
        num_channels=samples.shape[1],
        bits_per_sample=bits,
        bytes_per_sample=bits // 8,
        is_float=kind == "<f4",
        is_signed_integer=kind.startswith("<i"),
    )
    return SimpleNamespace(data=whole.astype(kind).tobytes(), frame_count=len(samples), format=layout)


@dataclass
class FakeCatap:
    """A tap that delivers what it was given.

    Attributes:
        buffers: delivered as soon as the tap is opened.
        problem: raised instead.
        fails: the capture has ended by itself; catap then raises when the tap is given back.
        stuck: how many times giving it back leaves something behind.
        process: what Core Audio knows of this process.
        excluded: whose sound is left out.
        closed: how often it was given back.
    """

    buffers: list[Any] = field(default_factory=list)
    problem: Exception | None = None
    fails: bool = False
    stuck: int = 0
    process: object | None = None
    excluded: list[Any] = field(default_factory=list)
    closed: int = 0
    captured_only_silence: bool = True

    def find_process_by_pid(self, pid: int) -> object | None:
        assert pid == os.getpid()
        if isinstance(self.process, Exception):
            raise self.process
        return self.process

    def record_system_audio(
        self, *, on_buffer: Callable[[Any], None], mono: bool, exclude: Sequence[object]
    ) -> FakeCatap:
        assert mono
        self._deliver = on_buffer
        self.excluded += exclude
        return self

    def start(self) -> None:
        if self.problem is not None:
            raise self.problem
        for each in self.buffers:
            self._deliver(each)

    @property
    def capture_failed(self) -> bool:
        return self.fails

    @property
    def needs_cleanup(self) -> bool:
        return self.closed <= self.stuck

    def close(self) -> None:
        self.closed += 1
        if self.needs_cleanup:
            raise OSError("Failed to stop audio device: status 1937010544")
        if self.fails and self.closed == 1:
            raise RuntimeError("Tap stream format changed during capture (started as 48000, now 44100)")


def heard(catap: FakeCatap, seconds: float, clock: Callable[[], float] = lambda: 0.0) -> np.ndarray:
    """Listen until so much was heard."""
    stop, parts = threading.Event(), [np.zeros(0, np.float32)]
    for chunk in tap_chunks(stop, catap=catap, clock=clock):
        parts.append(chunk)
        if sum(map(len, parts)) >= seconds * SAMPLE_RATE_HZ * 0.9:
            stop.set()
    return np.concatenate(parts)


@pytest.mark.parametrize("kind", ["<f4", "<i2", "<i4"])
@pytest.mark.parametrize("channels", [1, 2])
def test_buffers_of_any_form_are_the_same_sound(kind: str, channels: int) -> None:
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(48_000) / 48_000)[:, None].repeat(channels, axis=1)
    np.testing.assert_allclose(samples_of(buffer(tone, kind=kind)), tone, atol=1e-4)
    catap = FakeCatap([buffer(part, kind=kind) for part in np.split(tone, 100)])
    samples = heard(catap, 1.0)
    assert samples.dtype == np.float32
    assert 0.85 * SAMPLE_RATE_HZ < len(samples) <= SAMPLE_RATE_HZ
    assert np.abs(samples).max() == pytest.approx(0.5, abs=0.05)
    assert catap.closed == 1


def test_while_nothing_is_played_there_is_silence_at_the_pace_of_the_clock() -> None:
    times = iter(range(1000))
    samples = heard(FakeCatap(), 5.0, clock=lambda: float(next(times)))
    assert len(samples) == 5 * SAMPLE_RATE_HZ
    assert not samples.any()


def test_h1_a_tap_that_ends_or_cannot_be_made_says_so_and_is_given_back() -> None:
    """Mac review H1: headphones that are plugged in end a tap, and catap raises when that is closed."""
    catap = FakeCatap([buffer(np.zeros((48_000, 1)))], fails=True)
    with pytest.raises(TapUnavailable, match="no longer"):
        next(tap_chunks(threading.Event(), catap=catap))
    assert catap.closed == 1
    with pytest.raises(TapUnavailable, match="Screen & System Audio Recording"):
        next(tap_chunks(threading.Event(), catap=FakeCatap(problem=PermissionError("not permitted"))))


@pytest.mark.parametrize("stuck", [0, 1, 2])
def test_h1_a_tap_that_ended_is_stopped_like_any_other(stuck: int) -> None:
    """Mac review H1: what closing says of a file that nobody writes ends nothing, and is tried again once."""
    stop, catap = threading.Event(), FakeCatap([buffer(np.zeros((48_000, 1)))], stuck=stuck)
    for _ in tap_chunks(stop, catap=catap, clock=lambda: 0.0):
        catap.fails = True
        stop.set()
    assert catap.closed == min(stuck, 1) + 1


@pytest.mark.parametrize("process", [None, "Earshot", OSError("no such property")])
def test_l6_the_tap_leaves_out_what_earshot_says_itself(process: object | None) -> None:
    """Mac review L6."""
    catap = FakeCatap([buffer(np.zeros((48_000, 1)))], process=process)
    next(tap_chunks(threading.Event(), catap=catap, clock=lambda: 0.0))
    assert catap.excluded == (["Earshot"] if process == "Earshot" else [])


def test_l7_silence_may_be_a_no_of_the_persons_until_sound_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review L7."""
    monkeypatch.setattr(process_tap, "_sound_came", threading.Event())
    catap = FakeCatap([buffer(np.zeros((48_000, 1)))])
    next(tap_chunks(threading.Event(), catap=catap, clock=lambda: 0.0))
    assert process_tap.may_be_forbidden(process_tap.NAME)
    assert not process_tap.may_be_forbidden("BlackHole 2ch")
    catap.captured_only_silence = False
    next(tap_chunks(threading.Event(), catap=catap, clock=lambda: 0.0))
    assert not process_tap.may_be_forbidden(process_tap.NAME)


def test_a_format_that_nobody_knows_is_refused() -> None:
    odd = buffer(np.zeros((10, 1)))
    odd.format.bits_per_sample = 24
    with pytest.raises(TapUnavailable, match="not known"):
        samples_of(odd)


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[int, int]], None]:
    def make(version: tuple[int, int]) -> None:
        monkeypatch.setattr(process_tap.sys, "platform", "darwin")
        monkeypatch.setattr(process_tap, "macos_version", lambda: version)
        monkeypatch.setattr(process_tap.importlib.util, "find_spec", lambda name: name)

    return make


def test_there_are_taps_from_macos_14_4_on_and_loopback_devices_before(mac: Callable[[tuple[int, int]], None]) -> None:
    assert not process_tap.is_there() and not process_tap.needs_loopback()
    assert not process_tap.is_loopback("BlackHole 2ch"), "on Linux the server says what a monitor is"
    mac((14, 3))
    assert not process_tap.is_there() and process_tap.needs_loopback()
    assert process_tap.is_loopback("BlackHole 2ch") and not process_tap.is_loopback("MacBook Pro Microphone")
    mac((14, 4))
    assert process_tap.is_there() and not process_tap.needs_loopback()


INPUTS = Devices((Device(7, "MacBook Pro Microphone", 1, 0), Device(8, "BlackHole 2ch", 2, 2)), 7, 8)


def test_the_tap_is_listed_last_and_recorded_without_the_microphone(
    mac: Callable[[tuple[int, int]], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mac((15, 0))
    monkeypatch.setattr(core_audio, "devices", lambda: INPUTS)
    microphone, loopback, tap = list_input_devices()
    assert microphone.is_default and not microphone.is_monitor
    assert loopback.is_monitor and tap.is_monitor
    assert tap.name == process_tap.NAME and tap.label == process_tap.title() != ""

    monkeypatch.setattr(audio_devices, "await_microphone_permission", lambda stop: pytest.fail("it asked"))
    said: queue.SimpleQueue[str] = queue.SimpleQueue()

    def chunks(stop: threading.Event) -> Any:
        said.put("opened")
        yield np.zeros(10, np.float32)
        raise TapUnavailable("it is gone")

    monkeypatch.setattr(process_tap, "tap_chunks", chunks)
    for name in (tap.name, tap.label):
        recorded = microphone_chunks(name, threading.Event())
        assert len(next(recorded)) == 10
        with pytest.raises(MicrophoneUnavailable, match="it is gone"):
            next(recorded)
    assert said.qsize() == 2
