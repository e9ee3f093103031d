"""A recording that is heard while it is captioned: what reaches the loudspeaker, muting, and going on without one."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from app.sound import pace
from app.sound.output_devices import LoudspeakerUnavailable
from app.sound.pace import CHUNK_SECONDS
from app.sound.recording_sound import RecordingSound
from app.sound.source_notes import Note, Unplayed
from engine.audio import SAMPLE_RATE_HZ, Samples
from tests.app.fake_player import FakePlayer

CHUNK = round(CHUNK_SECONDS * SAMPLE_RATE_HZ)
SAMPLES = np.linspace(-0.5, 0.5, 10 * CHUNK + 7, dtype=np.float32)


class StoppedClock:
    """Time that passes only while something waits for it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(pace.time, "monotonic", lambda: self.now)


class Stop(threading.Event):
    """Nothing is waited for: the clock moves instead."""

    def __init__(self, clock: StoppedClock) -> None:
        super().__init__()
        self._clock = clock

    def wait(self, timeout: float | None = None) -> bool:
        self._clock.now += timeout or 0.0
        return self.is_set()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StoppedClock:
    return StoppedClock(monkeypatch)


@pytest.fixture
def stop(clock: StoppedClock) -> Stop:
    return Stop(clock)


def chunks_of(samples: Samples) -> Iterator[Samples]:
    return (samples[at : at + CHUNK] for at in range(0, len(samples), CHUNK))


def never(why: object) -> None:
    raise AssertionError(why)


def test_all_of_it_is_played_and_given_out_as_it_is_heard(clock: StoppedClock, stop: Stop) -> None:
    player = FakePlayer()
    given = []
    for chunk in RecordingSound(lambda: player).beside(chunks_of(SAMPLES), stop, never):
        given.append(chunk)
        assert clock.now == pytest.approx(sum(map(len, given)) / SAMPLE_RATE_HZ)
    assert np.array_equal(np.concatenate(given), SAMPLES)
    assert np.array_equal(np.concatenate(player.pieces), SAMPLES)
    assert player.closed and player.stops == 0


def test_the_device_is_open_before_time_begins_to_pass(clock: StoppedClock, stop: Stop) -> None:
    class SlowPlayer(FakePlayer):
        def play(self, samples: Samples, rate_hz: int) -> None:
            clock.now += 0.0 if self.pieces else 5.0
            super().play(samples, rate_hz)

    chunks = RecordingSound(SlowPlayer).beside(chunks_of(SAMPLES), stop, never)
    next(chunks)
    assert clock.now == pytest.approx(5.0 + CHUNK_SECONDS)


def test_muted_it_is_silent_and_heard_again_it_goes_on_where_the_captions_are(stop: Stop) -> None:
    player = FakePlayer()
    sound = RecordingSound(lambda: player)
    chunks = sound.beside(chunks_of(SAMPLES), stop, never)
    next(chunks)
    sound.muted = True
    next(chunks)
    assert player.stops == 1
    before = len(player.pieces)
    next(chunks)
    sound.muted = False
    given = 3 * CHUNK
    assert len(player.pieces) == before, "nothing is played while it is muted"
    rest = list(chunks)
    assert player.stops == 1
    assert np.array_equal(np.concatenate(player.pieces[before:]), SAMPLES[given:])
    assert np.array_equal(np.concatenate(rest), SAMPLES[given:])


def test_what_is_muted_from_the_beginning_opens_no_device(stop: Stop) -> None:
    player = FakePlayer()
    sound = RecordingSound(lambda: player, muted=True)
    assert sum(map(len, sound.beside(chunks_of(SAMPLES), stop, never))) == len(SAMPLES)
    assert player.pieces == [] and player.closed


def test_without_a_loudspeaker_it_says_so_once_and_goes_on(stop: Stop) -> None:
    player = FakePlayer(LoudspeakerUnavailable("No loudspeaker was found."))
    told: list[Note] = []
    chunks = RecordingSound(lambda: player).beside(chunks_of(SAMPLES), stop, told.append)
    assert np.array_equal(np.concatenate(list(chunks)), SAMPLES)
    assert told == [Unplayed("No loudspeaker was found.")] and player.closed


def test_a_recording_that_is_ended_falls_silent(stop: Stop) -> None:
    player = FakePlayer()
    chunks = RecordingSound(lambda: player).beside(chunks_of(SAMPLES), stop, never)
    next(chunks)
    stop.set()
    assert list(chunks) == []
    assert player.closed
