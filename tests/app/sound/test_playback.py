"""Loudspeakers: a real sound system whose output is recorded, and all that can be missing or break."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from app.sound import playback, portaudio
from app.sound.audio_devices import list_input_devices, microphone_chunks
from app.sound.output_devices import LoudspeakerUnavailable
from app.sound.playback import BLOCK_SECONDS, FADE_SECONDS, LATENCY_SECONDS, Player
from engine.audio import SAMPLE_RATE_HZ, Samples
from tests.app.pulse import Pulse

pytestmark = pytest.mark.realtime

RATE_HZ = 22_050
MONITOR_RATE_HZ = 48_000
BLOCK_BYTES = 4 * 480
AUDIBLE = 1e-3


@pytest.fixture
def player(pulse: Pulse) -> Iterator[Player]:
    made = Player()
    yield made
    made.close()


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


class Monitor:
    """A recorder of all that comes out of the loudspeakers, from the moment it is made."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.blocks: list[Samples] = []
        self.read()

    def read(self) -> Samples:
        """Wait for the next 10 ms of it."""
        assert self._process.stdout is not None
        block = np.frombuffer(self._process.stdout.read(BLOCK_BYTES), np.float32)
        assert len(block), "the sound system went away"
        self.blocks.append(block)
        return block

    def until_silent(self, seconds: float = 0.5) -> Samples:
        """Wait until nothing has been heard for a while; return all that was, from the first sound to the last."""
        quiet = 0
        while quiet < seconds * 100:
            quiet = 0 if np.abs(self.read()).max() > AUDIBLE else quiet + 1
        heard = np.concatenate(self.blocks)
        audible = np.flatnonzero(np.abs(heard) > AUDIBLE)
        return heard[audible[0] : audible[-1] + 1] if len(audible) else heard[:0]


@contextmanager
def monitored() -> Iterator[Monitor]:
    sound = ["--raw", f"--rate={MONITOR_RATE_HZ}", "--channels=1", "--format=float32le", "--latency-msec=10"]
    process = subprocess.Popen(["parec", "--device=speakers.monitor", *sound], stdout=subprocess.PIPE)
    try:
        yield Monitor(process)
    finally:
        process.kill()
        process.communicate()


def tone(seconds: float, level: float = 0.5, rate_hz: int = RATE_HZ) -> Samples:
    return (level * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate_hz)) / rate_hz)).astype(np.float32)


def play(player: Player, samples: Samples, chunk: int = 1102) -> None:
    for start in range(0, len(samples), chunk):
        player.play(samples[start : start + chunk], RATE_HZ)


def sounding(samples: Samples) -> float:
    """Return the seconds that are no gap: a machine that is too busy makes gaps."""
    return float(np.sum(np.abs(samples) > AUDIBLE)) / MONITOR_RATE_HZ


def test_all_of_what_is_played_is_heard_and_counted(player: Player) -> None:
    with monitored() as monitor:
        play(player, tone(0.6))
        assert player.playing
        player.drain()
        assert not player.playing
        heard = monitor.until_silent()
    assert player.played_seconds == pytest.approx(0.6, abs=0.002)
    assert sounding(heard) == pytest.approx(0.6, abs=0.03)
    assert np.abs(heard).max() == pytest.approx(0.5, rel=0.15)


def test_stopping_leaves_less_than_50_milliseconds_of_sound_which_fade(player: Player) -> None:
    with monitored() as monitor:
        play(player, tone(5))
        while player.played_seconds < 0.3:
            monitor.read()
        before = player.played_seconds
        player.stop()
        heard = monitor.until_silent()
    assert LATENCY_SECONDS + FADE_SECONDS + BLOCK_SECONDS <= 0.05
    assert player.played_seconds - before <= FADE_SECONDS + 2 * BLOCK_SECONDS
    assert sounding(heard) <= before + 0.05
    assert np.abs(heard[-round(0.002 * MONITOR_RATE_HZ) :]).max() < 0.15  # it was 0.5
    assert not player.playing


def test_the_fade_has_no_click(player: Player) -> None:
    play(player, tone(1))
    assert player._output is not None
    player.stop()
    waiting = np.concatenate([*player._output._waiting, np.zeros(1, np.float32)])
    assert len(waiting) <= round(FADE_SECONDS * player._output.rate_hz) + 1
    assert np.abs(np.diff(waiting)).max() < 0.06


def test_after_a_stop_the_next_sound_is_heard(player: Player) -> None:
    with monitored() as monitor:
        play(player, tone(5, 0.5))
        while player.played_seconds < 0.1:
            monitor.read()
        player.stop()
        monitor.until_silent()
        monitor.blocks.clear()
        play(player, tone(0.4, 0.25))
        heard = monitor.until_silent()
    assert sounding(heard) == pytest.approx(0.4, abs=0.03)
    assert np.abs(heard).max() == pytest.approx(0.25, rel=0.15)


def test_chunks_join_without_clicks() -> None:
    converter = playback._Converter(RATE_HZ, MONITOR_RATE_HZ)
    samples = tone(0.5)
    parts = [converter(samples[start : start + 1102]) for start in range(0, len(samples), 1102)]
    joined = np.concatenate([*parts, converter.finish()])
    assert len(joined) == pytest.approx(0.5 * MONITOR_RATE_HZ, abs=2)
    steepest = 0.5 * 2 * np.pi * 440 / MONITOR_RATE_HZ
    assert np.abs(np.diff(joined[100:-100])).max() < 1.05 * steepest
    assert sum(len(part) for part in parts) > len(joined) - 0.003 * MONITOR_RATE_HZ  # hardly anything is held back


def test_what_was_played_is_told_at_16_khz(player: Player) -> None:
    play(player, tone(0.5))
    player.drain()
    told = player.played()
    audible = np.flatnonzero(np.abs(told) > 0.01)
    assert (audible[-1] - audible[0]) / SAMPLE_RATE_HZ == pytest.approx(0.5, abs=0.01)
    assert len(player.played()) < SAMPLE_RATE_HZ


def test_voices_of_two_rates_follow_each_other(player: Player) -> None:
    player.play(tone(0.2), RATE_HZ)
    player.play(tone(0.2, rate_hz=24_000), 24_000)
    player.drain()
    assert player.played_seconds == pytest.approx(0.4, abs=0.002)


def test_microphones_are_listed_while_something_plays(player: Player) -> None:
    play(player, tone(0.5))
    assert list_input_devices()
    player.drain()
    assert player.available


def test_a_closed_player_opens_again_and_goes_on_counting(player: Player) -> None:
    play(player, tone(0.2))
    player.drain()
    player.close()
    play(player, tone(0.2))
    player.drain()
    assert player.played_seconds == pytest.approx(0.4, abs=0.004)


def test_a_loudspeaker_that_goes_away_is_one_error_and_then_silence(
    player: Player, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playback, "SILENT_DEVICE_SECONDS", 0.3)
    play(player, tone(0.1))
    player.drain()
    pulse.process.kill()
    pulse.process.wait()
    with pytest.raises(LoudspeakerUnavailable, match="stopped taking sound"):
        while True:
            player.play(tone(0.1), RATE_HZ)
            player.drain()
    player.play(tone(0.1), RATE_HZ)
    player.drain()
    player.stop()
    assert not player.available and not player.playing
    assert player.played_seconds >= 0.1


def test_no_loudspeaker_is_one_error_and_then_silence(no_devices: None) -> None:
    player = Player()
    with pytest.raises(LoudspeakerUnavailable, match="No loudspeaker was found"):
        player.play(tone(0.1), RATE_HZ)
    player.play(tone(0.1), RATE_HZ)
    player.drain()
    player.stop()
    player.close()
    assert not player.available
    assert player.played_seconds == 0 and len(player.played()) == 0


def test_an_unknown_loudspeaker_is_answered_with_those_there_are(pulse: Pulse) -> None:
    with pytest.raises(LoudspeakerUnavailable, match=r"'banana'.*default"):
        Player("banana").play(tone(0.1), RATE_HZ)


def test_no_portaudio_is_a_sentence_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(LoudspeakerUnavailable, match="libportaudio2"):
        Player().play(tone(0.1), RATE_HZ)


def test_nothing_is_opened_before_there_is_something_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    player = Player()
    player.stop()
    player.drain()
    player.close()
    assert player.available and not player.playing


def test_m4_what_plays_goes_on_while_devices_are_looked_for(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mac review M4: closed and opened again in the middle of a sound, of which nothing is lost."""
    monkeypatch.setattr(portaudio, "_present", object)  # others at each look
    with monitored() as monitor:
        play(player, tone(1.5))
        while player.played_seconds < 0.3:
            monitor.read()
        stop = threading.Event()
        first, second = (microphone_chunks(None, stop) for _ in range(2))
        for chunks in (first, second, first, second):
            assert len(next(chunks))
        stop.set()
        player.drain()
        assert player.available
        heard = monitor.until_silent(seconds=1.5)
    assert player.played_seconds == pytest.approx(1.5, abs=0.002)
    assert sounding(heard) > 1.2
