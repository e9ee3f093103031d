"""Recordings whose device is unplugged, replaced, stalled or put to sleep: real devices, then made-up clocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
import pytest

from app.sound.audio_devices import MicrophoneUnavailable
from app.sound.source_notes import Back, Lost, Missed, Moved, Note, Slept
from app.sound.steady_recording import SteadyRecording, seconds_asleep, steady_chunks
from engine.audio import SAMPLE_RATE_HZ, Samples
from tests.app.pulse import Pulse, private_pulse
from tests.app.tones import loudest_hertz, write_tone

CHUNK = round(0.05 * SAMPLE_RATE_HZ)
LONGEST_SECONDS = 120

pytestmark = pytest.mark.realtime


class Recording:
    """A recording under way, read until something is so."""

    def __init__(self, device: str | None) -> None:
        self.notes: list[Note] = []
        self.stop = threading.Event()
        self.samples = 0
        self._chunks = steady_chunks(device, self.stop, self.notes.append)
        self.latest = np.zeros(0, np.float32)
        self.started = 0.0
        self.longest = 0

    def until(self, so: Callable[[], bool]) -> None:
        due = time.monotonic() + LONGEST_SECONDS
        while not so():
            assert time.monotonic() < due, self.notes
            self._read()

    def _read(self) -> None:
        chunk = next(self._chunks)
        self.started = self.started or time.monotonic() - len(chunk) / SAMPLE_RATE_HZ
        self.longest = max(self.longest, len(chunk))
        self.samples += len(chunk)
        self.latest = np.concatenate([self.latest, chunk])[-SAMPLE_RATE_HZ // 2 :]

    def until_loudest(self, hertz: float) -> None:
        self.until(lambda: bool(self.latest.any()) and abs(loudest_hertz(self.latest) - hertz) < 5)

    def until_silent(self) -> None:
        self.until(lambda: len(self.latest) == SAMPLE_RATE_HZ // 2 and not self.latest.any())

    def until_noted(self, kind: type[Note]) -> None:
        self.until(lambda: any(isinstance(note, kind) for note in self.notes))

    @property
    def late_seconds(self) -> float:
        """Seconds by which the sound lags behind the time that has gone by."""
        return time.monotonic() - self.started - self.samples / SAMPLE_RATE_HZ

    def end(self) -> None:
        self.stop.set()
        assert sum(map(len, self._chunks)) < 5 * SAMPLE_RATE_HZ


def test_an_unplugged_microphone_is_silence_until_it_is_back(pulse: Pulse, tmp_path: Path) -> None:
    microphone = pulse.plug_in("yeti", "Yeti")
    speaking = pulse.speak(write_tone(tmp_path / "tone.wav", 440), into="yeti_cable")
    others = pulse.speak(write_tone(tmp_path / "other.wav", 880), into="speech")
    recording = Recording("yeti")
    recording.until_loudest(440)
    pulse.unplug(microphone)
    recording.until_noted(Lost)
    assert "Yeti" in recording.notes[0].reason  # type: ignore[union-attr]
    recording.until_silent()  # although the server would switch us to another microphone
    pulse.ask(
        "load-module", "module-remap-source", "master=yeti_cable.monitor", "source_name=yeti", "remix=no"
    )  # plugged in again
    recording.until_noted(Back)
    recording.until_loudest(440)
    assert [type(note) for note in recording.notes] == [Lost, Back]
    recording.until(lambda: abs(recording.late_seconds) < 0.4)  # it catches up: no time is lost
    assert recording.longest < 2 * CHUNK
    recording.end()
    for each in (speaking, others):
        each.kill()
        each.wait()


def test_what_the_system_uses_instead_takes_over_for_the_default_microphone(pulse: Pulse, tmp_path: Path) -> None:
    microphone = pulse.plug_in("yeti", "Yeti")
    headset = pulse.plug_in("headset", "Headset", rate_hz=16_000)
    pulse.ask("set-default-source", "yeti")
    speaking = [
        pulse.speak(write_tone(tmp_path / "one.wav", 440), into="yeti_cable"),
        pulse.speak(write_tone(tmp_path / "two.wav", 880), into="headset_cable"),
    ]
    recording = Recording(None)
    recording.until_loudest(440)
    pulse.ask("set-default-source", "headset")
    recording.until_noted(Moved)
    recording.until_loudest(880)
    pulse.ask("set-default-source", "yeti")
    recording.until_loudest(440)
    pulse.unplug(microphone)
    recording.until(lambda: len([note for note in recording.notes if isinstance(note, Moved)]) == 3)
    moves = [note for note in recording.notes if isinstance(note, Moved)]
    assert moves[:2] == [Moved("Headset"), Moved("Yeti")]
    pulse.unplug(headset)
    recording.until(lambda: any(isinstance(note, Moved) and note.plays for note in recording.notes))
    recording.until(lambda: abs(recording.late_seconds) < 0.6)  # it catches up: no time is lost
    recording.end()
    for each in speaking:
        each.kill()
        each.wait()


def test_a_sound_server_that_dies_is_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "pulse"
    folder.mkdir()
    with private_pulse(folder) as pulse:
        recording = Recording(None)
        recording.until(lambda: recording.samples > SAMPLE_RATE_HZ // 2)
        pulse.process.kill()
        pulse.process.wait()
        recording.until_noted(Lost)
        recording.until_silent()
        pulse.restart()
        speaking = pulse.speak(write_tone(tmp_path / "tone.wav", 440))
        recording.until_noted(Back)
        recording.until_loudest(440)
        recording.until(lambda: abs(recording.late_seconds) < 0.6)  # it catches up: no time is lost
        recording.end()
        speaking.kill()
        speaking.wait()


def test_a_microphone_that_was_never_there_is_an_error(pulse: Pulse) -> None:
    with pytest.raises(MicrophoneUnavailable, match="banana"):
        next(steady_chunks("banana", threading.Event(), lambda note: None))


def test_a_recording_that_waits_for_its_device_ends_when_told(pulse: Pulse) -> None:
    microphone = pulse.plug_in("yeti", "Yeti")
    recording = Recording("yeti")
    recording.until(lambda: recording.samples > 0)
    pulse.unplug(microphone)
    recording.until_noted(Lost)
    recording.end()


class World:
    """A clock, and a device that delivers by it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept = 0.0
        self.opened = 0
        self.speed = 1.0  # delivered rate, as a multiple of the rate that the device states
        self.script: list[Callable[[], None]] = []

    def record(self, device: str | int | None, stop: threading.Event) -> Generator[Samples]:
        self.opened += 1
        self.speed = 1.0
        while not stop.is_set():
            self.now += CHUNK / SAMPLE_RATE_HZ / self.speed
            yield np.ones(CHUNK, np.float32)

    def run(self, events: dict[int, Callable[[], None]], chunks: int) -> tuple[list[Note], int, int]:
        """Record so many chunks, with events after some; return notes, samples and those of silence."""
        notes: list[Note] = []
        recording = SteadyRecording(
            None, notes.append, record=self.record, clock=lambda: self.now, asleep=lambda: self.slept
        )
        stop = threading.Event()
        total = silent = heard = 0
        for chunk in recording.chunks(stop):
            total += len(chunk)
            silent += int((chunk == 0).sum())
            heard += bool(chunk.any())
            events.get(heard, lambda: None)()
            if heard == chunks:
                stop.set()
        return notes, total, silent

    def stall(self) -> None:
        self.now += 1.5

    def sleep(self) -> None:
        self.slept += 3600

    def halve(self) -> None:
        self.speed = 0.5


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> World:
    monkeypatch.setenv("PATH", str(tmp_path))  # no sound server to ask
    return World()


def test_sound_that_a_busy_machine_lost_is_silence_and_told(world: World) -> None:
    notes, total, silent = world.run({100: world.stall}, 300)
    assert [type(note) for note in notes] == [Missed]
    assert silent / SAMPLE_RATE_HZ == pytest.approx(1.5, abs=0.06)
    assert total == 300 * CHUNK + silent


def test_a_computer_that_slept_says_so_and_goes_on(world: World) -> None:
    notes, _, silent = world.run({100: world.sleep}, 300)
    assert notes == [Slept(3600.0)]
    assert silent == 0


def test_a_device_that_changes_its_rate_is_opened_again(world: World) -> None:
    world.run({100: world.halve}, 500)
    assert world.opened == 2


def test_this_computer_counts_its_sleep() -> None:
    assert seconds_asleep() >= -0.01
    assert abs(seconds_asleep() - seconds_asleep()) < 1.0
